"""`td`: whether an expression is toxic (1) or not (0)."""

from __future__ import annotations

from typing import ClassVar

from mouse.answers.types import LabelSet
from mouse.corpus.items import CXEI
from mouse.metrics.accuracy import ACCURACY
from mouse.metrics.f1 import F1
from mouse.metrics.mcc import MCC
from mouse.metrics.precision import PRECISION
from mouse.metrics.recall import RECALL
from mouse.tasks.base import Task

TOPIC = (
    "毒|攻击|侮辱|辱骂|谩骂|冒犯|仇恨|歧视|恶意|不当|有害|伤害"
    "|toxic|hate|offens|abus|insult|harass|harm|hostil|derogat|demean"
)


class ToxicityDetection(Task[CXEI]):
    """Binary; the positive class is toxic."""

    code = "td"
    title = "toxicity"
    title_zh = "毒性检测"
    kind = "binary"
    headline = (ACCURACY, F1)
    also = (MCC, PRECISION, RECALL)
    label_titles: ClassVar[dict[str, str]] = {"1": "有毒\ntoxic", "0": "无毒\nsafe"}
    lexicon_rule = "toxicity"

    def label_set(self, item: CXEI | None = None) -> LabelSet:
        return LabelSet.binary(TOPIC)

    def gold_or_none(self, item: CXEI, variant: str) -> str | None:
        return None if item.toxicity is None else str(item.toxicity)
