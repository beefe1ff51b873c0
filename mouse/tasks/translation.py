"""`tr`: rewrite a Chouxiang expression in Standard Chinese; free text, judged later."""

from __future__ import annotations

from collections.abc import Sequence

from mouse.answers.types import LabelSet
from mouse.corpus.items import CXEI, Dataset
from mouse.tasks.base import BaseTask


class Translation(BaseTask[CXEI]):
    """Free text. Whether it merely copies the original is decided by `judging.copy_filter`."""

    code = "tr"
    kind = "text"

    def candidates(self, dataset: Dataset) -> Sequence[CXEI]:
        return dataset.cxeis

    def labels(self, item: CXEI | None = None) -> tuple[str, ...]:
        return ()

    def label_set(self, item: CXEI) -> LabelSet:
        return LabelSet.free()

    def gold_or_none(self, item: CXEI, variant: str) -> str | None:
        return item.reference or None

    def stratum(self, item: CXEI) -> str:
        """No label here: the kinds of substitution keep easy and hard expressions in proportion."""
        parts = item.components
        return repr((parts.homophonic, parts.visual, parts.semantic))
