"""The closed label sets (intents, components, mechanisms) and every name that data give them.

How a substitution works, its mechanism, is what people decide; the components of an expression
follow from it and are decided nowhere else. Rules with examples: docs/decisions/labels.md.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal, cast, get_args

Intent = Literal[
    "Comment",
    "Emotional Expression",
    "General Statement",
    "Sexualized Reference",
    "Humor & Memes",
    "Group Identity",
    "Urging",
    "Others",
]
INTENTS: tuple[Intent, ...] = get_args(Intent)

ComponentName = Literal["homophonic", "visual", "semantic"]
COMPONENTS: tuple[ComponentName, ...] = get_args(ComponentName)

COMPONENT_BITS: Mapping[ComponentName, int] = {
    name: 1 << place for place, name in enumerate(COMPONENTS)
}
"""Each component as one bit, for code that holds sets of components in an integer."""

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

COMPONENT_OF: Mapping[Mechanism, ComponentName] = {
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
"""The component of each mechanism (the paper's §2.2.1); every mechanism has exactly one."""

OPEN_MECHANISMS: frozenset[Mechanism] = frozenset({"transliteration", "meme"})
"""Mechanisms on which the paper is silent, so that their component is this project's choice."""


def components_of(mechanisms: Iterable[Mechanism]) -> frozenset[ComponentName]:
    """The components that substitutions of these mechanisms bring into an expression."""
    return frozenset(COMPONENT_OF[mechanism] for mechanism in mechanisms)


INTENT_ZH: Mapping[Intent, str] = {
    "Comment": "评价（吐槽，赞扬等）",
    "Emotional Expression": "情绪表达",
    "General Statement": "一般陈述",
    "Sexualized Reference": "性暗示",
    "Humor & Memes": "幽默与梗",
    "Group Identity": "群体身份",
    "Urging": "催促",
    "Others": "其他",
}
"""The one Chinese name of each intent, as prompts and tables show it.

The paper gives one in Chinese, that of Comment (Table 2); the others are this project's.
"""

INTENT_FAMILIES: Mapping[str, tuple[Intent, ...]] = {
    "informational": ("General Statement", "Urging"),
    "affective": ("Comment", "Emotional Expression"),
    "social": ("Group Identity", "Humor & Memes"),
    "non-standard": ("Sexualized Reference",),
}
"""The families of the paper's §3.3; Others belongs to none."""

COMPONENT_ZH: Mapping[ComponentName, str] = {
    "homophonic": "谐音",
    "visual": "视觉",
    "semantic": "语义",
}
"""The one Chinese name of each component, as prompts and tables show it."""


def fold(text: str) -> str:
    """A label reduced to what is compared: width, case, spaces and punctuation do not count."""
    wide = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in wide if character.isalnum())


@cache
def spellings(table: str) -> Mapping[str, tuple[str, ...]]:
    """Name → its spellings in data files, of a table of `spellings.tsv`; compared after `fold`."""
    text = Path(__file__).with_name("spellings.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    return {name: tuple(listed.split(", ")) for of, name, listed in rows if of == table}


INTENT_SYNONYMS = cast("Mapping[Intent, tuple[str, ...]]", spellings("intent"))
COMPONENT_SYNONYMS = cast("Mapping[ComponentName, tuple[str, ...]]", spellings("component"))
YES, NO, NO_COMPONENT = map(frozenset, spellings("flag").values())
"""Spellings of yes and no in lower case and ordinary width, and of no component after `fold`."""


def known_intent(name: object) -> Intent | None:
    """The intent of a name in either language, compared after `fold`; None where it is none."""
    return _INTENT_BY_NAME.get(fold(name)) if isinstance(name, str) else None


def known_component(name: object) -> ComponentName | None:
    """The component of a name in either language, compared after `fold`; None where it is none."""
    return _COMPONENT_BY_NAME.get(fold(name)) if isinstance(name, str) else None


_INTENT_BY_NAME: dict[str, Intent] = {
    fold(name): intent
    for intent in INTENTS
    for name in (intent, INTENT_ZH[intent], *INTENT_SYNONYMS[intent])
}
_COMPONENT_BY_NAME: dict[str, ComponentName] = {
    fold(name): component
    for component in COMPONENTS
    for name in (component, COMPONENT_ZH[component], *COMPONENT_SYNONYMS[component])
}
