"""`td`: whether an expression is toxic (1) or not (0)."""

from __future__ import annotations

from collections.abc import Sequence

from mouse.answers.types import LabelSet
from mouse.corpus.items import CXEI, Dataset
from mouse.tasks.base import BaseTask


class ToxicityDetection(BaseTask[CXEI]):
    """Binary; the positive class is toxic."""

    code = "td"
    kind = "binary"

    def candidates(self, dataset: Dataset) -> Sequence[CXEI]:
        return dataset.cxeis

    def labels(self, item: CXEI | None = None) -> tuple[str, ...]:
        return ("0", "1")

    def label_set(self, item: CXEI) -> LabelSet:
        return LabelSet.binary("toxicity")

    def gold_or_none(self, item: CXEI, variant: str) -> str | None:
        return None if item.toxicity is None else str(item.toxicity)
