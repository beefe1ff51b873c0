"""`rc`: three independent yes/no questions an item, one a kind of substitution."""

from __future__ import annotations

from typing import Any, ClassVar

from mouse.answers.types import LabelSet
from mouse.corpus.items import COMPONENTS, CXEI
from mouse.corpus.labels import COMPONENT_ZH
from mouse.metrics.balanced_accuracy import BALANCED_ACCURACY
from mouse.metrics.macro_f1 import MACRO_F1
from mouse.metrics.mcc import MCC
from mouse.tasks.base import Task

TOPIC = "谐音|同音|近音|视觉|形近|字形|语义|替换|成分|homophon|phonetic|visual|semantic|substitut|component"


class Components(Task[CXEI]):
    """The variants are the components; a component the data set does not state is not asked."""

    code = "rc"
    title = "components"
    title_zh = "成分识别"
    kind = "binary"
    variants = COMPONENTS
    headline = (BALANCED_ACCURACY, MACRO_F1)
    also = (MCC,)
    label_titles: ClassVar[dict[str, str]] = {"1": "有\nyes", "0": "无\nno"}
    variant_titles: ClassVar[dict[str, str]] = {
        component: f"{COMPONENT_ZH[component]} {component}" for component in COMPONENTS
    }
    lexicon_rule = "component"

    def label_set(self, item: CXEI | None = None) -> LabelSet:
        return LabelSet.binary(TOPIC)

    def gold_or_none(self, item: CXEI, variant: str) -> str | None:
        uses = getattr(item.components, variant)
        return None if uses is None else str(int(uses))

    def payload(self, item: CXEI, variant: str) -> dict[str, Any]:
        return {"text": item.original_text, "component": variant}
