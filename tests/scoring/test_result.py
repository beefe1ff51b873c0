"""A task's result is assembled in one place, with metrics or without."""

from __future__ import annotations

from mouse.contracts import Outcome, Prediction, Verdict
from mouse.scoring.result import Answers, task_result
from mouse.scoring.score import score_task

ROWS = [
    Prediction(f"i{n}", "", str(n % 2), str(n % 3 % 2), Outcome.VALID, "", task="td")
    for n in range(12)
]


def test_the_metrics_are_those_of_score_task() -> None:
    result = task_result("td", Answers(ROWS), clusters={}, resamples=100, seed=3)
    assert result.metrics == score_task("td", ROWS, clusters={}, resamples=100, seed=3)
    assert result.predictions == tuple(ROWS)
    assert result.ledger["valid"] == 12


def test_what_is_not_scored_keeps_its_ledger() -> None:
    verdicts = [Verdict("i0", None, "none", "unscored")]
    answers = Answers(ROWS[:1], verdicts, (), verdicts)
    result = task_result("tr", answers, clusters={}, scored=False, not_applicable=4)
    assert (result.metrics, result.verdicts) == ((), tuple(verdicts))
    assert (result.rated_verdicts, result.not_applicable) == (tuple(verdicts), 4)
    assert result.ledger["valid"] == 1
