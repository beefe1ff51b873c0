"""How a substitution works, and which component each way belongs to (the paper's §2.2.1).

The mechanism of a derivation's step is what people decide; the components of an expression follow
from it and are decided nowhere else. Rules with examples: docs/decisions/labels.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, get_args

ComponentName = Literal["homophonic", "visual", "semantic"]
COMPONENTS: tuple[ComponentName, ...] = get_args(ComponentName)

Mechanism = Literal[
    "homophone",
    "digit",
    "letter",
    "image_chain",
    "transliteration",
    "decomposition",
    "visual_metaphor",
    "geometric",
    "symbol",
    "dialect",
    "meme",
]
MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)

COMPONENT_OF: Mapping[Mechanism, ComponentName] = MappingProxyType(
    {
        "homophone": "homophonic",
        "digit": "homophonic",
        "letter": "homophonic",
        "image_chain": "homophonic",
        "transliteration": "homophonic",
        "decomposition": "visual",
        "visual_metaphor": "visual",
        "geometric": "visual",
        "symbol": "semantic",
        "dialect": "semantic",
        "meme": "semantic",
    }
)
"""The component of each mechanism; every mechanism has exactly one."""

OPEN_MECHANISMS: frozenset[Mechanism] = frozenset({"transliteration", "meme"})
"""Mechanisms on which the paper is silent, so that their component is this project's choice."""


def components_of(mechanisms: Iterable[Mechanism]) -> frozenset[ComponentName]:
    """The components that substitutions of these mechanisms bring into an expression."""
    return frozenset(COMPONENT_OF[mechanism] for mechanism in mechanisms)


def is_open(mechanisms: Iterable[Mechanism]) -> bool:
    """Whether some substitution's component is this project's choice and not the paper's."""
    return not OPEN_MECHANISMS.isdisjoint(mechanisms)
