"""`cc`: which of the options fits the blank of a turn, given the dialogue before it."""

from __future__ import annotations

from typing import Any

from mouse.corpus.items import ChoiceItem
from mouse.tasks.choice import ChoiceTask


class ClozeCompletion(ChoiceTask):
    """The dialogue, the turn with the blank, and the options."""

    code = "cc"
    title = "cloze"
    title_zh = "完形填空"
    placeholders = ("context", "text", "options")
    lexicon_rule = "cloze"

    def fields(self, item: ChoiceItem) -> dict[str, str]:
        return {"context": item.context, **super().fields(item)}

    def payload(self, item: ChoiceItem, variant: str) -> dict[str, Any]:
        return {"context": item.context, **super().payload(item, variant)}
