"""`ir`: which of the eight communicative intents an expression has."""

from __future__ import annotations

from collections.abc import Sequence

from mouse.answers.types import LabelSet
from mouse.corpus.items import CXEI, INTENTS, Dataset
from mouse.corpus.labels import INTENT_ZH
from mouse.tasks.base import BaseTask
from mouse.tasks.prompts import Template

_INTENTS = LabelSet.intents()


class IntentRecognition(BaseTask[CXEI]):
    """One of eight; the prompt numbers them in the order of `INTENTS`."""

    code = "ir"
    kind = "label"

    def candidates(self, dataset: Dataset) -> Sequence[CXEI]:
        return dataset.cxeis

    def labels(self, item: CXEI | None = None) -> tuple[str, ...]:
        return INTENTS

    def answer_in(self, template: Template, label: str) -> str:
        """The Chinese name where the prompt lists the intents by their Chinese names."""
        if all(name in template.system for name in INTENT_ZH.values()):
            return INTENT_ZH[label]  # type: ignore[index]
        return label

    def label_set(self, item: CXEI) -> LabelSet:
        return _INTENTS

    def gold_or_none(self, item: CXEI, variant: str) -> str | None:
        return item.intent
