"""One answer, one prediction: the reader first, then the copy filter for judged tasks alone."""

from __future__ import annotations

import pytest

from mouse.contracts import Completion, CompletionError, Message, Outcome, Request
from mouse.corpus.items import CXEI, Components
from mouse.scoring.reading import COPIED, read
from mouse.tasks.registry import get_task

ITEM = CXEI("x1", "太⑧行了", "太不行了", Components(True, False, False), "Comment", 1)


def reading(task: str, completion: Completion, threshold: float = 0.9):
    request = Request("k", "x1", task, "", 0, (Message("user", "…"),))
    return read(get_task(task), request, completion, ITEM, copy_threshold=threshold)


@pytest.mark.parametrize(
    ("text", "outcome", "note"),
    [
        ("太不行了", Outcome.VALID, ""),
        ("太8行了", Outcome.COPIED, COPIED),
        ("太⑧行了", Outcome.COPIED, COPIED),
    ],
)
def test_a_translation_that_hands_the_original_back_is_copied_and_keeps_its_text(
    text: str, outcome: Outcome, note: str
) -> None:
    prediction = reading("tr", Completion("k", text=text, finish_reason="stop"))
    assert (prediction.outcome, prediction.predicted, prediction.note) == (outcome, text, note)


def test_only_valid_answers_are_held_against_the_original() -> None:
    cut = Completion("k", text="太⑧行了", finish_reason="length")
    assert reading("tr", cut).outcome is Outcome.TRUNCATED
    lost = Completion("k", error=CompletionError("timeout", "no answer in time"))
    assert reading("tr", lost).outcome is Outcome.FAILED


def test_a_label_is_never_a_copy() -> None:
    prediction = reading("td", Completion("k", text="1", finish_reason="stop"))
    assert (prediction.outcome, prediction.predicted) == (Outcome.VALID, "1")


def test_the_threshold_is_the_filters() -> None:
    nearly = Completion("k", text="太⑧行", finish_reason="stop")
    assert reading("tr", nearly, threshold=0.7).outcome is Outcome.COPIED
    assert reading("tr", nearly, threshold=1.0).outcome is Outcome.VALID
