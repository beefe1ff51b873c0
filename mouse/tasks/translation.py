"""`tr`: rewrite a Chouxiang expression in Standard Chinese; free text, judged later."""

from __future__ import annotations

from collections.abc import Sequence

from mouse.answers.types import LabelSet
from mouse.corpus.items import CXEI, Dataset
from mouse.metrics.perfect_rate import PERFECT_RATE
from mouse.metrics.score_shares import COPY_RATE, JUDGE_COVERAGE, SCORE_SHARES
from mouse.metrics.sem_acc import SEM_ACC
from mouse.tasks.base import Task


class Translation(Task[CXEI]):
    """Free text. Whether it merely copies the original is decided by `mouse.scoring.copy_filter`."""

    code = "tr"
    title = "translation"
    title_zh = "翻译"
    kind = "text"
    headline = (SEM_ACC, PERFECT_RATE)
    also = (COPY_RATE, *SCORE_SHARES, JUDGE_COVERAGE)
    judged = True
    lexicon_rule = "translate"

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
