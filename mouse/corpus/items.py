"""The items of the benchmark, a set of them, and its fingerprint: Chouxiang expressions, choices."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Literal, get_args

from mouse.corpus.labels import COMPONENT_OF, OPEN_MECHANISMS, Mechanism
from mouse.corpus.labels import COMPONENTS as COMPONENTS
from mouse.corpus.labels import INTENTS as INTENTS
from mouse.corpus.labels import ComponentName as ComponentName
from mouse.corpus.labels import Intent as Intent

OPTION_LETTERS = "ABCDEFGH"

ChoiceTask = Literal["ms", "cc"]
CHOICE_TASKS: tuple[ChoiceTask, ...] = get_args(ChoiceTask)
"""What a choice item may be: meaning selection or cloze."""


@dataclass(frozen=True, slots=True)
class Components:
    """Which kinds of substitution a CXEI uses; None where the data set does not say."""

    homophonic: bool | None
    visual: bool | None
    semantic: bool | None


@dataclass(frozen=True, slots=True)
class Derivation:
    """One substitution undone, as in the paper's Table 2: 🌶️ → 辣椒 → 辣 → 了.

    `surface` stands in the original, `target` in the reference, `chain` lies between them.
    """

    surface: str
    chain: tuple[str, ...]
    target: str
    mechanism: Mechanism

    @property
    def component(self) -> ComponentName:
        return COMPONENT_OF[self.mechanism]


@dataclass(frozen=True, slots=True)
class CXEI:
    """One Chouxiang expression with its reference in Standard Chinese and its labels.

    A label that the data set does not give is None; tasks that need it leave the item out and
    count it. `group` names the CXEI that several rows share (two perturbations of one sentence),
    the unit over which intervals are resampled; empty means the item stands alone.
    """

    id: str
    original_text: str
    reference: str | None
    components: Components
    intent: Intent | None
    toxicity: Literal[0, 1] | None
    source: str = ""
    revision: str = ""
    derivation: tuple[Derivation, ...] = ()
    group: str = ""

    @property
    def cluster(self) -> str:
        return self.group or self.id

    @property
    def open_case(self) -> bool:
        """Whether a component of it is this project's choice, the paper being silent."""
        return any(step.mechanism in OPEN_MECHANISMS for step in self.derivation)


@dataclass(frozen=True, slots=True)
class ChoiceItem:
    """A question with lettered options: meaning selection (`ms`) or cloze (`cc`).

    `ms`: `text` is the expression whose meaning is asked, `context` is empty. `cc`: `context` is
    the dialogue before, one turn a line, and `text` the turn with the blank `____`.
    """

    id: str
    task: ChoiceTask
    context: str
    text: str
    options: tuple[str, ...]
    answer: str
    """The right option's letter, `A` for the first."""
    cxei_id: str = ""

    @property
    def cluster(self) -> str:
        return self.cxei_id or self.id


@dataclass(frozen=True)
class Dataset:
    """A named set of items; order is the file's."""

    name: str
    cxeis: tuple[CXEI, ...] = ()
    choices: tuple[ChoiceItem, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = ()
    """Sentences a reader of results must know (`written for development, not the benchmark`)."""

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (64 hex digits) over the items as a multiset: order does not count, repeats do."""
        groups: tuple[tuple[CXEI | ChoiceItem, ...], ...] = (self.cxeis, self.choices)
        digests = sorted(item_fingerprint(item) for group in groups for item in group)
        return hashlib.sha256("\n".join(digests).encode("ascii")).hexdigest()


def item_fingerprint(item: CXEI | ChoiceItem) -> str:
    """SHA-256 (64 hex digits) of all fields of one item, as canonical JSON.

    Text enters code point by code point: 1️⃣ with and without its variation selector, or a
    character composed and decomposed, are different items, since models see different tokens.
    """
    content = {"kind": "cxei" if isinstance(item, CXEI) else "choice", **asdict(item)}
    # ASCII escapes give every code point, even a lone surrogate, one spelling in bytes.
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
