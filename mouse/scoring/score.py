"""From the predictions of one task to its metrics with intervals and bounds (`score_task`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mouse.contracts import MetricValue, Prediction, Verdict
from mouse.metrics.exact import LARGEST_EXACT_N, clopper_pearson
from mouse.metrics.metric import Metric
from mouse.metrics.resampling import cluster_kinds, percentile_interval, resample_counts
from mouse.metrics.tables import FloatArray
from mouse.scoring.task_tables import task_tables
from mouse.tasks.registry import random_stream


def score_task(
    task: str,
    predictions: Sequence[Prediction],
    *,
    verdicts: Sequence[Verdict] = (),
    clusters: Mapping[str, str],
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> tuple[MetricValue, ...]:
    """Every metric of a task (DESIGN §4), headline first, each with interval and bounds.

    `predictions`: all of one task, every outcome, every variant and repeat. `verdicts`: one a
    translation (tr only). `clusters`: item id → the expression it belongs to; rows of one cluster
    are resampled together, so repeats and perturbations do not pass for independent items.

    `value` is over the answers that came (`n` of them; for rc's means over the three questions
    together); `failed` ones enter `worst` and `best` alone. `lo`, `hi`: percentile bootstrap over
    clusters, the same for any order of the predictions. NaN, with a note, where undefined. Raises
    `ValueError` on labels, variants or verdicts that contradict the contracts.
    """
    tables = task_tables(task, predictions, verdicts, clusters)
    parts = tables.split(tables.counts.astype(np.float64))
    valid = tables.valid_only()
    kinds = cluster_kinds(tables.cells, tables.cluster, tables.n_cells)
    # A task's resamples must not depend on which other tasks run.
    rng = np.random.default_rng([seed, random_stream(task)])
    resampled = tables.split(resample_counts(kinds, resamples, rng))
    method = (
        f"percentile bootstrap over {kinds.n_clusters} clusters, "
        f"{resamples} resamples, seed {seed}, {confidence:.0%}"
    )
    results = []
    for column in tables.columns:
        metric = column.metric
        value = tables.point(column, parts)
        replicates = tables.evaluate(column, resampled)
        low, high = np.nan, np.nan
        if not np.isnan(value):
            low, high = percentile_interval(replicates, confidence)
        worst, best = tables.bounds(column)
        if not metric.higher_is_better:
            worst, best = best, worst
        n = tables.n_answered(column)
        results.append(
            MetricValue(
                name=column.name,
                value=value,
                lo=low,
                hi=high,
                n=n,
                worst=worst,
                best=best,
                valid_only=tables.point(column, valid),
                higher_is_better=metric.higher_is_better,
                unit=metric.unit,
                method=method,
                note=_exact_note(metric, value, n, kinds.n_clusters, confidence)
                or _note(metric, value, n, kinds.n_clusters, low == high, replicates),
            )
        )
    return tuple(results)


def _note(
    metric: Metric, value: float, n: int, n_clusters: int, flat: bool, replicates: FloatArray
) -> str:
    if np.isnan(value):
        return f"undefined: {metric.undefined if n else 'no answer came'}"
    if n_clusters < 2:
        return "one cluster: the interval has no width and says nothing"
    if flat:
        return "the interval has no width, because resamples of these answers cannot differ"
    if undefined := int(np.isnan(replicates).sum()):
        return f"{undefined} resamples in which the metric is undefined were left out"
    return ""


def _exact_note(metric: Metric, value: float, n: int, n_clusters: int, confidence: float) -> str:
    """The exact interval of a share of few independent items, where the bootstrap is poor."""
    if not 2 <= n <= LARGEST_EXACT_N or n != n_clusters or not metric.binomial:
        return ""
    low, high = clopper_pearson(round(value * n), n, confidence)
    return f"exact (Clopper-Pearson) interval {low:.3f} to {high:.3f}"
