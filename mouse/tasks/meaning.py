"""`ms`: which of the options means the same as the expression, without context."""

from __future__ import annotations

from mouse.tasks.choice import ChoiceTask


class MeaningSelection(ChoiceTask):
    """The expression and its options."""

    code = "ms"
    title = "meaning selection"
    title_zh = "含义选择"
    lexicon_rule = "meaning"
