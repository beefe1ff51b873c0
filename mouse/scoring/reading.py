"""One answer read into one prediction: the task's reader, then the copy filter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mouse.contracts import Completion, Outcome, Prediction, Request
from mouse.corpus.items import CXEI, ChoiceItem
from mouse.scoring.copy_filter import is_copied
from mouse.tasks.base import Task

COPIED = "nothing of the substitution undone"
"""The note of a translation that the copy filter caught."""


def read(
    task: Task[Any],
    request: Request,
    completion: Completion,
    item: CXEI | ChoiceItem,
    *,
    copy_threshold: float,
) -> Prediction:
    """The one prediction of a request; `copied` where a judged answer hands the original back."""
    prediction = task.read(request, completion, item)
    if task.judged and isinstance(item, CXEI):
        return copy_filtered(prediction, item, copy_threshold)
    return prediction


def copy_filtered(prediction: Prediction, item: CXEI, threshold: float) -> Prediction:
    """The prediction with outcome `copied` where `is_copied` says so; no other outcome changes."""
    if prediction.outcome is Outcome.VALID and is_copied(
        item.original_text, prediction.predicted or "", item.reference, threshold=threshold
    ):
        return replace(prediction, outcome=Outcome.COPIED, note=COPIED)
    return prediction
