"""Whether a prediction is right, and how far."""

from __future__ import annotations

from mouse.contracts import Outcome, Prediction, Verdict
from mouse.metrics.tables import SCORE_OF_CELL, score_cell


def share_of_marks(
    prediction: Prediction, verdict: Verdict | None, *, judged: bool
) -> float | None:
    """Share of full marks in [0, 1]; None where it is not known.

    `judged` (the task's): half the verdict's score, 0 for what no judge needs to see, None where
    request or judge failed or none scored. Else 1 for the gold label, 0 for another, None: failed.
    """
    if judged:
        score = int(SCORE_OF_CELL[score_cell(prediction, verdict)])
        return score / 2 if score >= 0 else None
    if prediction.outcome is Outcome.FAILED:
        return None
    return float(prediction.outcome is Outcome.VALID and prediction.predicted == prediction.gold)


def is_right(prediction: Prediction, verdict: Verdict | None, *, judged: bool) -> bool | None:
    """Whether the prediction has full marks; None where that is not known."""
    share = share_of_marks(prediction, verdict, judged=judged)
    return None if share is None else share == 1.0


def note_of(prediction: Prediction, verdict: Verdict | None) -> str:
    """Why a prediction is not valid or has no score; empty where neither is so."""
    if prediction.outcome is Outcome.VALID and verdict is not None and verdict.is_failed:
        return f"judge: {verdict.rationale}"
    return prediction.note
