"""`tr`: rewrite a Chouxiang expression in Standard Chinese; free text, judged later."""

from __future__ import annotations

from mouse.answers.types import LabelSet
from mouse.corpus.items import CXEI
from mouse.metrics.copy_rate import COPY_RATE
from mouse.metrics.judge_coverage import JUDGE_COVERAGE
from mouse.metrics.perfect_rate import PERFECT_RATE
from mouse.metrics.score_shares import SCORE_SHARES
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

    def label_set(self, item: CXEI | None = None) -> LabelSet:
        return LabelSet()

    def gold_or_none(self, item: CXEI, variant: str) -> str | None:
        return item.reference or None
