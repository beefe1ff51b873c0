"""One task's predictions and verdicts become its `TaskResult`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mouse.contracts import Prediction, TaskResult, Verdict
from mouse.scoring.score import score_task


@dataclass(frozen=True)
class Answers:
    """One model's predictions of one task, with the verdicts on them where the task is judged."""

    predictions: Sequence[Prediction]
    verdicts: Sequence[Verdict] = ()
    member_verdicts: Sequence[Verdict] = ()
    rated_verdicts: Sequence[Verdict] = ()


def task_result(
    task: str,
    answers: Answers,
    *,
    clusters: Mapping[str, str],
    scored: bool = True,
    not_applicable: int = 0,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> TaskResult:
    """The result of one task. `scored=False` (interrupted, no judge): a ledger without metrics.

    The other arguments are those of `score_task`, whose `ValueError`s it raises.
    """
    metrics = (
        score_task(
            task,
            answers.predictions,
            verdicts=answers.verdicts,
            clusters=clusters,
            resamples=resamples,
            seed=seed,
            confidence=confidence,
        )
        if scored
        else ()
    )
    return TaskResult(
        task=task,
        predictions=tuple(answers.predictions),
        metrics=metrics,
        verdicts=tuple(answers.verdicts),
        member_verdicts=tuple(answers.member_verdicts),
        rated_verdicts=tuple(answers.rated_verdicts),
        not_applicable=not_applicable,
    )
