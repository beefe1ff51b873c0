"""Computes a run's metrics again from its stored predictions and compares them with those logged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mouse.contracts import RunResult
from mouse.judging.quality import judge_quality
from mouse.judging.reference_ratings import rated_pairs
from mouse.judging.registry import judge_class, make_judge
from mouse.scoring.result import task_result
from mouse.tasks.registry import get_task, task_codes
from mouse.text.json_text import finite
from mouse.tracking import files
from mouse.tracking.plain import name
from mouse.tracking.writer import metric_entries
from mouse.verification.sources import Check, RunWithSources, found, same_data

TOLERANCE = 1e-9
_QUALITY = "judge/"


def recompute(run: RunWithSources) -> RunResult:
    """The result that the stored predictions, verdicts and configuration give.

    Same seed and resamples, so intervals too are the same to the last bit for the same numpy.
    `usage` and `judge` are empty: the first was measured, the second is `quality`'s.
    """
    config, manifest = run.config, run.manifest
    scores = judge_class(config.judge.kind).scores
    interrupted = run.summary.status == "interrupted"
    return RunResult(
        model=manifest["config"]["model"]["name"],
        data=manifest["dataset"]["name"],
        fingerprint=manifest["dataset"]["fingerprint"],
        tasks=tuple(
            task_result(
                task,
                run.answers(task),
                clusters=run.clusters(task),
                scored=not interrupted and (scores or not get_task(task).judged),
                not_applicable=manifest["tasks"][task]["not_applicable"],
                resamples=config.metrics.resamples,
                seed=config.seed,
                confidence=config.metrics.confidence,
            )
            for task in run.tasks
        ),
        usage={},
    )


def logged_metrics(run: RunWithSources, result: RunResult) -> list[Check]:
    """Every number in MLflow that follows from predictions: values, intervals, bounds, ledger."""
    again = {name(key): value for key, value in metric_entries(result).items()}
    checks = []
    for task in task_codes():
        mine = {key: value for key, value in again.items() if _task_of(key) == task}
        theirs = {k: value for k, value in run.summary.metrics.items() if _task_of(k) == task}
        if mine or theirs:
            fine = f"{len(mine)} numbers computed again, all equal"
            checks.append(found(f"metrics {task}", _differences(theirs, mine), fine))
    return checks or [Check("metrics", "not checked", "the run has no predictions")]


def metric_records(run: RunWithSources, result: RunResult) -> Check:
    """`metrics.json`, which holds what MLflow cannot: undefined values, notes, methods."""
    mine = [finite(record) for record in files.metric_records(result)]
    theirs = run.metrics
    if [record["name"] for record in mine] != [record["name"] for record in theirs]:
        return Check("metrics.json", "DIFFERENT", "it does not hold the metrics of this run")
    wrong = [
        f"{record['name']} {field}: {there.get(field)} stored, {value} computed"
        for record, there in zip(mine, theirs, strict=True)
        for field, value in record.items()
        if not _same(there.get(field), value)
    ]
    return found("metrics.json", wrong, f"{len(mine)} metrics with intervals, bounds and notes")


def quality(run: RunWithSources, result: RunResult) -> list[Check]:
    """`judge/…`: agreement with ratings and within a panel, where data and judge are at hand."""
    logged = {
        key.removeprefix(_QUALITY): value
        for key, value in run.summary.metrics.items()
        if key.startswith(_QUALITY)
    }
    if not logged:
        return []
    config = run.config
    judged = next((task for task in result.tasks if get_task(task.task).judged), None)
    if judged is None:
        return [Check("judge quality", "DIFFERENT", "logged, but the run has no translations")]
    dataset = same_data(run)
    if not judge_class(config.judge.kind).asks_models:
        judge = make_judge(config.judge, config.model)
        rated = tuple(
            judge.judge(pair.item, pair.prediction(config.judge.copy_threshold)).final
            for pair in rated_pairs({item.id: item for item in dataset.cxeis})
        )
        judged = replace(judged, rated_verdicts=rated)
    again = judge_quality(dataset, judged, seed=config.seed, resamples=config.metrics.resamples)
    wrong = _differences(logged, {k: float(v) for k, v in again.items() if math.isfinite(v)})
    return [found("judge quality", wrong, f"{len(logged)} numbers computed again, all equal")]


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
