"""From everything that was answered to a `RunResult`: metrics, judge quality, usage, warnings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mouse.contracts import Prediction, RunResult, TaskResult, Verdict
from mouse.evaluation.plan import Plan
from mouse.evaluation.usage import UsageMeter, priced
from mouse.models.config import ModelConfig

if TYPE_CHECKING:
    from mouse.config.schema import RunConfig
    from mouse.engine.dispatch import Engine
    from mouse.evaluation.evaluate import Answers
    from mouse.judging.base import Judge

NOT_VALIDATED = "judge not validated"
"""How every table marks a translation score whose judge is not known to agree with people."""


def summarise(
    config: RunConfig,
    plan: Plan,
    judge: Judge,
    answers: Answers,
    usage: Mapping[str, float],
    *,
    interrupted: bool,
) -> RunResult:
    """Metrics of every task. An interrupted run has a ledger and no metrics."""
    from mouse.scoring.score import score_task

    results: list[TaskResult] = []
    for task in plan.tasks:
        predictions: Sequence[Prediction] = answers.predictions.get(task.code, [])
        verdicts: Sequence[Verdict] = answers.verdicts if task.code == "tr" else []
        unscored = task.code == "tr" and config.judge.kind.value == "none"
        metrics = (
            ()
            if interrupted or unscored
            else score_task(
                task.code,
                predictions,
                verdicts=verdicts,
                clusters=task.clusters,
                resamples=config.metrics.resamples,
                seed=config.seed,
                confidence=config.metrics.confidence,
            )
        )
        results.append(
            TaskResult(
                task=task.code,
                predictions=tuple(predictions),
                metrics=tuple(metrics),
                verdicts=tuple(verdicts),
                member_verdicts=tuple(answers.member_verdicts) if task.code == "tr" else (),
                ratings=tuple(answers.ratings) if task.code == "tr" else (),
                not_applicable=task.not_applicable,
            )
        )
    quality = _judge_quality(config, plan, answers, results, interrupted)
    warnings = _warnings(plan, judge, interrupted)
    missing = sum(verdict.score is None for verdict in answers.ratings)
    if missing and quality:
        warnings.append(
            f"the judge gave {missing} of the data's {len(answers.ratings)} rated translations no "
            "score; its QWK is over the rest"
        )
    doubt = judge_doubt(config.judge.min_qwk, quality)
    if doubt and any(task.code == "tr" for task in plan.tasks):
        warnings.append(doubt)
    return RunResult(
        model=config.model.name,
        data=plan.dataset.name,
        fingerprint=plan.dataset.fingerprint,
        tasks=tuple(results),
        usage=usage,
        judge=quality,
        warnings=tuple(warnings),
    )


def _judge_quality(
    config: RunConfig,
    plan: Plan,
    answers: Answers,
    results: Sequence[TaskResult],
    interrupted: bool,
) -> Mapping[str, float]:
    from mouse.judging.quality import judge_quality

    if interrupted or config.judge.kind.value == "none":
        return {}
    scored = (metric for task in results for metric in task.metrics)
    return judge_quality(
        plan.dataset,
        answers.verdicts,
        answers.member_verdicts,
        answers.ratings,
        coverage=next((m.value for m in scored if m.name == "tr/judge_coverage"), math.nan),
        seed=config.seed,
        resamples=config.metrics.resamples,
    )


def asked_models(config: RunConfig, judge: Judge) -> dict[str, ModelConfig]:
    """Pool name → configuration (at the prices that apply), for the model and every judge."""
    judges = {member.name: member for member in config.judge.members.values()}
    if config.judge.model is not None:
        judges[config.judge.model.name] = config.judge.model
    named = {pool: judges[pool.removeprefix("judge:").partition("#")[0]] for pool in judge.pools}
    return {
        pool: priced(model, config.engine)
        for pool, model in {"model": config.model, **named}.items()
    }


def judge_usage(config: RunConfig, judge: Judge, engine: Engine) -> dict[str, float]:
    """What the judges of this run were asked and cost, apart from the model under test."""
    if not judge.pools:
        return {}
    models = asked_models(config, judge)
    stats = {pool: engine.stats_of(pool) for pool in judge.pools}
    return {
        "judge_requests": sum(entry.requests for entry in stats.values()),
        "judge_cache_hits": sum(entry.cache_hits for entry in stats.values()),
        "judge_cost_usd": sum(
            UsageMeter(models[pool].price).paid(entry) for pool, entry in stats.items()
        ),
    }


def judge_doubt(min_qwk: float | None, quality: Mapping[str, float]) -> str:
    """Why the judge does not reach `judge.min_qwk`; empty where it does or none is set.

    A run's own QWK is that with the sample's ratings; people's ratings of this very run come
    later, with `mouse.annotate import`, and then decide.
    """
    if min_qwk is None:
        return ""
    if "qwk" not in quality:
        return (
            f"{NOT_VALIDATED}: judge.min_qwk={min_qwk:g} is set and nobody has rated this run yet "
            "(python -m mouse.annotate export)"
        )
    qwk = quality["qwk"]
    if math.isnan(qwk) or qwk < min_qwk:
        return f"{NOT_VALIDATED}: its QWK {qwk:.3f} is under judge.min_qwk={min_qwk:g}"
    return ""


def _warnings(plan: Plan, judge: Judge, interrupted: bool) -> list[str]:
    warnings = [*plan.dataset.notes, *plan.warnings]
    if judge.note and any(task.code == "tr" for task in plan.tasks):
        warnings.append(judge.note)
    if interrupted:
        warnings.append("interrupted: everything answered so far is kept; the same command goes on")
    return warnings
