"""What an answer is, and which answers a question admits.

This module owns the shapes only; reading is `mouse.answers.read`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from mouse.contracts import Outcome
from mouse.corpus.items import OPTION_LETTERS

AnswerKind = Literal["label", "letter", "binary", "text"]
"""`label`: one of a closed set of names (intents). `letter`: one option's letter. `binary`: `0`
or `1`. `text`: free text (a translation)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's text as read. `value` is set when, and only when, `outcome` is valid."""

    outcome: Outcome
    value: str | None
    note: str = ""
    """Why it is not valid, in a few words (`two answers: A, C`); empty where it is valid."""

    def __post_init__(self) -> None:
        if (self.value is None) is (self.outcome is Outcome.VALID):
            raise ValueError(f"outcome {self.outcome} does not go with value {self.value!r}")


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The closed set of answers to one question; empty for free text.

    `labels` are the canonical values that `Answer.value` may take, in the order the prompt lists
    them. `names` are names a label may be recognised by inside a sentence; `aliases` are looser
    ones that count only where the text states an answer (`意图：情绪`) or is nothing else.
    `options` maps letters to the options' texts. `numbered`: a label may be given by its 1-based
    place in the list. `topic`: a regular expression of the words for what a yes-or-no question is
    about, so that a whole sentence (`is not toxic`) can be read as yes or no; without one, only a
    digit, a yes or a no is read.
    """

    labels: tuple[str, ...] = ()
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    numbered: bool = False
    topic: str = ""

    @classmethod
    def binary(cls, topic: str = "") -> LabelSet:
        """The labels `0` and `1`; what yes and no sound like is `mouse.answers.binary`'s."""
        return cls(labels=("0", "1"), topic=topic)

    @classmethod
    def letters(cls, options: Sequence[str]) -> LabelSet:
        """Letters `A`, `B`, … for the given option texts.

        Raises ValueError where there are fewer than two options or more than eight.
        """
        if not 2 <= len(options) <= len(OPTION_LETTERS):
            raise ValueError(f"2 to {len(OPTION_LETTERS)} options are possible, not {len(options)}")
        pairs = dict(zip(OPTION_LETTERS, options, strict=False))
        return cls(labels=tuple(pairs), options=pairs)

    @classmethod
    def named(
        cls,
        names: Mapping[Any, Sequence[str]],
        aliases: Mapping[Any, Sequence[str]] | None = None,
    ) -> LabelSet:
        """Labels (keys, in listed order) with further names; a label is a name of itself."""
        return cls(
            labels=tuple(names),
            names={label: (label, *others) for label, others in names.items()},
            aliases={label: tuple((aliases or {}).get(label, ())) for label in names},
            numbered=True,
        )
