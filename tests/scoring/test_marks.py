"""Whether a prediction is right: one rule for the run, for stored runs and for comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.comparison.aligned import align
from mouse.contracts import Outcome, Prediction, TaskResult, Verdict, ended
from mouse.metrics.sem_acc import SEM_ACC
from mouse.scoring.marks import is_right, note_of, share_of_marks
from mouse.scoring.result import Answers
from mouse.scoring.task_tables import task_tables


def translation(outcome: Outcome = Outcome.VALID, item: str = "x") -> Prediction:
    said = outcome in (Outcome.VALID, Outcome.COPIED)
    return Prediction(item, "", "对", "答" if said else None, outcome, "答", task="tr", note="why")


def verdict(score: int | None, status: str = "judged", item: str = "x") -> Verdict:
    return Verdict(item, score, "j", status, "because")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("prediction", "given_verdict", "share"),
    [
        (translation(), verdict(2), 1.0),
        (translation(), verdict(1), 0.5),
        (translation(), verdict(0), 0.0),
        (translation(Outcome.COPIED), verdict(0, "copied"), 0.0),
        (translation(Outcome.REFUSAL), verdict(0, "invalid_answer"), 0.0),
        (translation(), verdict(None, "judge_failed"), None),
        (translation(), verdict(None, "unscored"), None),
        (translation(), None, None),
        (translation(Outcome.FAILED), verdict(None, "failed"), None),
    ],
)
def test_a_judged_answer_has_half_of_its_score(
    prediction: Prediction, given_verdict: Verdict | None, share: float | None
) -> None:
    assert share_of_marks(prediction, given_verdict, judged=True) == share
    right = is_right(prediction, given_verdict, judged=True)
    assert right is (None if share is None else share == 1.0)


@pytest.mark.parametrize(
    ("predicted", "outcome", "right"),
    [
        ("1", Outcome.VALID, True),
        ("0", Outcome.VALID, False),
        (None, Outcome.REFUSAL, False),
        (None, Outcome.TRUNCATED, False),
        (None, Outcome.FAILED, None),
    ],
)
def test_a_label_is_right_where_it_is_the_gold_one(
    predicted: str | None, outcome: Outcome, right: bool | None
) -> None:
    prediction = Prediction("x", "", "1", predicted, outcome, predicted, task="td")
    assert is_right(prediction, None, judged=False) is right


def test_a_failed_judge_leaves_the_prediction_and_fails_its_row() -> None:
    prediction, failed = translation(), verdict(None, "judge_failed")
    assert prediction.outcome is Outcome.VALID
    assert ended(prediction, failed) is Outcome.FAILED
    assert note_of(prediction, failed) == "judge: because"
    result = TaskResult("tr", (prediction,), (), (failed,))
    assert (result.ledger["valid"], result.ledger["failed"]) == (0, 1)
    assert ended(prediction, verdict(2)) is Outcome.VALID
    assert note_of(translation(Outcome.REFUSAL), verdict(0, "invalid_answer")) == "why"


@given(st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=12))
def test_marks_and_metrics_and_alignment_agree(scores: list[int]) -> None:
    rows = [translation(item=f"i{n}") for n in range(len(scores))]
    verdicts = [verdict(score, item=f"i{n}") for n, score in enumerate(scores)]
    pairs = list(zip(rows, verdicts, strict=True))
    shares = [share_of_marks(*pair, judged=True) for pair in pairs]
    counts = task_tables("tr", rows, verdicts, {}).counts.astype(np.float64)
    assert float(SEM_ACC.from_counts(counts)) == pytest.approx(np.mean(shares))
    aligned = align("tr", dict.fromkeys("ab", Answers(rows, verdicts)), {})
    (perfect_rate,) = aligned.metrics(["tr/perfect_rate"])
    assert perfect_rate.right[0].tolist() == [is_right(*pair, judged=True) for pair in pairs]
