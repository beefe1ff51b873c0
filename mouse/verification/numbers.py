"""Computes a run's metrics again from its stored predictions and compares them with those logged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mouse.contracts import RunResult, TaskResult, Verdict
from mouse.tasks.registry import task_codes
from mouse.text.json_text import finite
from mouse.verification.sources import RunWithSources, same_data
from mouse.verification.verify import Check, some

TOLERANCE = 1e-9
_QUALITY = "judge/"


def recompute(run: RunWithSources) -> RunResult:
    """The result that the stored predictions, verdicts and configuration give.

    Same seed and resamples, so intervals too are the same to the last bit for the same numpy.
    `usage` and `judge` are empty: the first was measured, the second is `judge_quality`'s.
    """
    from mouse.scoring.score import score_task

    config = run.config
    tasks = []
    for task in run.tasks:
        predictions = run.task_predictions(task)
        verdicts = run.task_verdicts(task) if task == "tr" else ()
        unscored = run.summary.status == "interrupted" or (
            task == "tr" and config.judge.kind.value == "none"
        )
        metrics = (
            ()
            if unscored
            else score_task(
                task,
                predictions,
                verdicts=verdicts,
                clusters=run.clusters(task),
                resamples=config.metrics.resamples,
                seed=config.seed,
                confidence=config.metrics.confidence,
            )
        )
        tasks.append(
            TaskResult(
                task=task,
                predictions=predictions,
                metrics=metrics,
                verdicts=verdicts,
                member_verdicts=run.task_verdicts(task, "members") if task == "tr" else (),
                ratings=run.task_verdicts(task, "ratings") if task == "tr" else (),
                not_applicable=run.manifest["tasks"][task]["not_applicable"],
            )
        )
    return RunResult(
        model=run.manifest["config"]["model"]["name"],
        data=run.manifest["dataset"]["name"],
        fingerprint=run.manifest["dataset"]["fingerprint"],
        tasks=tuple(tasks),
        usage={},
    )


def logged_metrics(run: RunWithSources, result: RunResult) -> list[Check]:
    """Every number in MLflow that follows from predictions: values, intervals, bounds, ledger."""
    from mouse.tracking.plain import name
    from mouse.tracking.writer import metric_entries

    again = {name(key): value for key, value in metric_entries(result).items()}
    logged = run.summary.metrics
    checks = []
    for task in task_codes():
        mine = {key: value for key, value in again.items() if _task_of(key) == task}
        theirs = {key: value for key, value in logged.items() if _task_of(key) == task}
        if not mine and not theirs:
            continue
        wrong = _differences(theirs, mine)
        why = some(wrong) if wrong else f"{len(mine)} numbers computed again, all equal"
        checks.append(Check(f"metrics {task}", "DIFFERENT" if wrong else "ok", why))
    if not checks:
        checks.append(Check("metrics", "not checked", "the run has no predictions"))
    return checks


def metric_records(run: RunWithSources, result: RunResult) -> list[Check]:
    """`metrics.json`, which holds what MLflow cannot: undefined values, notes, methods."""
    from mouse.tracking import files

    mine = [finite(record) for record in files.metric_records(result)]
    theirs = run.metrics
    names = [record["name"] for record in mine]
    if names != [record["name"] for record in theirs]:
        return [Check("metrics.json", "DIFFERENT", "it does not hold the metrics of this run")]
    wrong = [
        f"{record['name']} {field}: {there.get(field)} stored, {value} computed"
        for record, there in zip(mine, theirs, strict=True)
        for field, value in record.items()
        if not _same(there.get(field), value)
    ]
    why = some(wrong) if wrong else f"{len(mine)} metrics with intervals, bounds and notes"
    return [Check("metrics.json", "DIFFERENT" if wrong else "ok", why)]


def judge_quality(run: RunWithSources, result: RunResult) -> list[Check]:
    """`judge/…`: agreement with ratings and within a panel, where data and judge are at hand."""
    from mouse.judging import make_judge
    from mouse.judging.quality import judge_quality as quality
    from mouse.judging.reference_ratings import rated_pairs

    logged = {
        key.removeprefix(_QUALITY): value
        for key, value in run.summary.metrics.items()
        if key.startswith(_QUALITY)
    }
    if not logged:
        return []
    config = run.config
    tr = next((task for task in result.tasks if task.task == "tr"), None)
    if tr is None:
        return [Check("judge quality", "DIFFERENT", "logged, but the run has no translations")]
    scored = {metric.name: metric.value for metric in tr.metrics}
    dataset = same_data(run)
    ratings: Sequence[Verdict] = tr.ratings
    if config.judge.kind.value == "rule":
        pairs = rated_pairs({item.id: item for item in dataset.cxeis})
        judge = make_judge(config.judge, config.model)
        ratings = [
            judge.judge(pair.item, pair.prediction(config.judge.copy_threshold), ()).final
            for pair in pairs
        ]
    again = quality(
        dataset,
        tr.verdicts,
        tr.member_verdicts,
        ratings,
        coverage=scored.get("tr/judge_coverage", math.nan),
        seed=config.seed,
        resamples=config.metrics.resamples,
    )
    wrong = _differences(logged, {k: float(v) for k, v in again.items() if math.isfinite(v)})
    why = some(wrong) if wrong else f"{len(logged)} numbers computed again, all equal"
    return [Check("judge quality", "DIFFERENT" if wrong else "ok", why)]


def _task_of(key: str) -> str:
    """The task that a metric's name begins with; empty for what was measured (`usage/…`)."""
    first, _, rest = key.partition("/")
    task = rest.partition("/")[0] if first == "outcome" else first
    return task if task in task_codes() else ""


def _differences(logged: Mapping[str, float], again: Mapping[str, float]) -> list[str]:
    wrong = [f"{key} is not logged" for key in sorted(again.keys() - logged.keys())]
    wrong += [f"{key} is logged and cannot be computed" for key in sorted(logged.keys() - again)]
    wrong += [
        f"{key}: {logged[key]:.9g} logged, {again[key]:.9g} computed"
        for key in sorted(logged.keys() & again.keys())
        if not _same(logged[key], again[key])
    ]
    return wrong


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(one == other)
