"""`rc`: three independent yes/no questions an item, one a kind of substitution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mouse.answers.types import LabelSet
from mouse.corpus.items import COMPONENTS, CXEI, Dataset
from mouse.tasks.base import BaseTask


class Components(BaseTask[CXEI]):
    """The variants are the components; a component the data set does not state is not asked."""

    code = "rc"
    kind = "binary"
    variants = COMPONENTS

    def candidates(self, dataset: Dataset) -> Sequence[CXEI]:
        return dataset.cxeis

    def labels(self, item: CXEI | None = None) -> tuple[str, ...]:
        return ("0", "1")

    def label_set(self, item: CXEI) -> LabelSet:
        return LabelSet.binary("components")

    def gold_or_none(self, item: CXEI, variant: str) -> str | None:
        uses = getattr(item.components, variant)
        return None if uses is None else str(int(uses))

    def payload(self, item: CXEI, variant: str) -> dict[str, Any]:
        return {"text": item.original_text, "component": variant}
