"""`ir`: which of the eight communicative intents an expression has."""

from __future__ import annotations

from typing import ClassVar

from mouse.answers.types import LabelSet
from mouse.corpus.items import CXEI, INTENTS
from mouse.corpus.labels import INTENT_SYNONYMS, INTENT_ZH
from mouse.metrics.accuracy import ACCURACY
from mouse.metrics.balanced_accuracy import BALANCED_ACCURACY
from mouse.metrics.macro_f1 import MACRO_F1
from mouse.metrics.mcc import MCC
from mouse.tasks.base import Task
from mouse.tasks.template import Template

_INTENTS = LabelSet.named({intent: (INTENT_ZH[intent],) for intent in INTENTS}, INTENT_SYNONYMS)


class IntentRecognition(Task[CXEI]):
    """One of eight; the prompt numbers them in the order of `INTENTS`."""

    code = "ir"
    title = "intent"
    title_zh = "意图识别"
    kind = "label"
    headline = (BALANCED_ACCURACY, MACRO_F1)
    also = (ACCURACY, MCC)
    label_titles: ClassVar[dict[str, str]] = {
        intent: f"{name}\n{intent}" for intent, name in INTENT_ZH.items()
    }
    lexicon_rule = "intent"

    def answer_in(self, template: Template, label: str) -> str:
        """The Chinese name where the prompt lists the intents by their Chinese names."""
        if all(name in template.system for name in INTENT_ZH.values()):
            return INTENT_ZH[label]  # type: ignore[index]
        return label

    def label_set(self, item: CXEI | None = None) -> LabelSet:
        return _INTENTS

    def gold_or_none(self, item: CXEI, variant: str) -> str | None:
        return item.intent
