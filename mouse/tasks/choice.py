"""What meaning selection and cloze share: lettered options, one of them right."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar

from mouse.answers.types import LabelSet
from mouse.corpus.items import OPTION_LETTERS, ChoiceItem, Dataset
from mouse.metrics.accuracy import ACCURACY
from mouse.metrics.mcc import MCC
from mouse.tasks.base import Task


class ChoiceTask(Task[ChoiceItem]):
    """One of the item's letters."""

    kind = "letter"
    placeholders: ClassVar[tuple[str, ...]] = ("text", "options")
    headline = (ACCURACY,)
    also = (MCC,)

    def candidates(self, dataset: Dataset) -> Sequence[ChoiceItem]:
        return [item for item in dataset.choices if item.task == self.code]

    def label_set(self, item: ChoiceItem | None = None) -> LabelSet:
        """The item's letters; without an item the four that the benchmark has."""
        return LabelSet.letters(("", "", "", "") if item is None else item.options)

    def table_labels(self, seen: Collection[str]) -> tuple[str, ...]:
        """Letters up to the last that occurs, two at least."""
        last = max((OPTION_LETTERS.find(letter) for letter in seen), default=0)
        return tuple(OPTION_LETTERS[: max(last + 1, 2)])

    def gold_or_none(self, item: ChoiceItem, variant: str) -> str | None:
        return item.answer or None

    def fields(self, item: ChoiceItem) -> dict[str, str]:
        return {"text": item.text, "options": lettered(item.options)}

    def payload(self, item: ChoiceItem, variant: str) -> dict[str, Any]:
        return {"text": item.text, "options": list(item.options)}


def lettered(options: Sequence[str]) -> str:
    """The options as the prompt shows them: `A. …`, one a line."""
    return "\n".join(
        f"{letter}. {option}" for letter, option in zip(OPTION_LETTERS, options, strict=False)
    )
