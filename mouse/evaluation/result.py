"""From everything that was answered to a `RunResult`: metrics, judge quality, usage, warnings."""

from __future__ import annotations

import math
from collections.abc import Mapping

from mouse.config.schema import RunConfig
from mouse.contracts import JudgeValidation, RunResult
from mouse.evaluation.asking import Asked
from mouse.evaluation.plan import Plan
from mouse.judging.base import Judge
from mouse.judging.quality import judge_quality
from mouse.scoring.result import task_result


def run_result(
    config: RunConfig,
    plan: Plan,
    judge: Judge,
    asked: Asked,
    usage: Mapping[str, float],
    *,
    interrupted: bool,
) -> RunResult:
    """Metrics of every task. An interrupted run has a ledger and no metrics."""
    tasks = tuple(
        task_result(
            task.code,
            asked.answers(task.code, task.task.judged),
            clusters=task.clusters,
            scored=not interrupted and (judge.scores or not task.task.judged),
            not_applicable=task.not_applicable,
            resamples=config.metrics.resamples,
            seed=config.seed,
            confidence=config.metrics.confidence,
        )
        for task in plan.tasks
    )
    warnings = [*plan.dataset.notes, *plan.warnings]
    validation = JudgeValidation()
    quality: Mapping[str, float] = {}
    judged = [task for task, one in zip(tasks, plan.tasks, strict=True) if one.task.judged]
    if judged and judge.note:
        warnings.append(judge.note)
    if interrupted:
        warnings.append("interrupted: everything answered so far is kept; the same command goes on")
    for task in judged:
        if judge.scores and not interrupted:
            quality = judge_quality(
                plan.dataset, task, seed=config.seed, resamples=config.metrics.resamples
            )
        missing = sum(verdict.score is None for verdict in task.rated_verdicts)
        if missing and quality:
            warnings.append(
                f"the judge gave {missing} of the data's {len(task.rated_verdicts)} rated "
                "translations no score; its QWK is over the rest"
            )
        validation = judge_validation(config.judge.min_qwk, quality)
        if validation.reason:
            warnings.append(validation.reason)
    return RunResult(
        model=config.model.name,
        data=plan.dataset.name,
        fingerprint=plan.dataset.fingerprint,
        tasks=tasks,
        usage=usage,
        judge=quality,
        warnings=tuple(warnings),
        judge_validation=JudgeValidation() if interrupted else validation,
    )


def judge_validation(min_qwk: float | None, quality: Mapping[str, float]) -> JudgeValidation:
    """Whether the judge reaches `judge.min_qwk`.

    A run's own QWK is that with the sample's ratings; people's ratings of this very run come
    later, with `mouse.annotate import`, and then decide.
    """
    if min_qwk is None:
        return JudgeValidation()
    qwk = quality.get("qwk")
    if qwk is None:
        return JudgeValidation(
            False,
            f"judge not validated: judge.min_qwk={min_qwk:g} is set and nobody has rated this run "
            "yet (python -m mouse.annotate export)",
        )
    if math.isnan(qwk) or qwk < min_qwk:
        return JudgeValidation(
            False, f"judge not validated: its QWK {qwk:.3f} is under judge.min_qwk={min_qwk:g}"
        )
    return JudgeValidation(True)
