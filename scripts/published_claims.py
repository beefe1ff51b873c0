"""Intervals for the paper's own numbers, and which of its rankings its sample sizes support.

The paper prints points. Where they determine counts (`published_counts`), a published
model gets the interval of its counts. Two published models were asked the same items, but which
of them each got right is not printed: how much their errors coincide is unknown. So a difference
is judged under every coincidence that the printed numbers allow, and only what holds, or fails,
under all of them is called supported, or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from published_counts import binary_tables, integers_behind, score_histograms

from mouse.metrics.exact import clopper_pearson, mcnemar_exact
from mouse.metrics.resampling import ClusterKinds, percentile_interval, resample_counts
from mouse.metrics.tables import ONE, SCORE_CELLS, TWO, ZERO_JUDGED, IntArray
from mouse.reporting.published import PublishedInterval
from mouse.tasks.registry import get_task, random_stream

ITEMS: Mapping[str, int] = {"tr": 1099, "rc": 1099, "ir": 1099, "td": 1099, "ms": 100, "cc": 100}
"""Items a task in the published benchmark."""

TOXIC = 500
"""Toxic items of 1,099: the one class balance that fits all fourteen models' toxicity numbers."""


def published_intervals(
    row: Mapping[str, float],
    *,
    people: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> tuple[PublishedInterval, ...]:
    """Intervals for one model's published row (metric name → value, tables 3 and 4 merged).

    Toxicity from its confusion matrix and translation from its score histogram by the percentile
    bootstrap, meaning and cloze from their counts of 100 by Clopper and Pearson. No invalid
    answers are assumed, as the paper prints none. `people`: the row is a group's mean, so it is no
    count of items.
    """
    results = []
    for name, value in row.items():
        task = name.partition("/")[0]
        if task not in ITEMS:
            continue
        n = ITEMS[task]
        tables = _tables_behind(task, row)
        note = ""
        if people:
            limits = []
        elif name in ("ms/acc", "cc/acc"):
            (count,) = integers_behind(value, n)
            limits = [clopper_pearson(int(count), n, confidence)]
            method, note = "Clopper-Pearson", f"{count} of {n}"
        elif tables:
            limits = [_bootstrap(name, t, resamples, seed, confidence) for t in tables]
            method = f"percentile bootstrap, {resamples} resamples, seed {seed}"
            what = "score histogram" if task == "tr" else "confusion matrix"
        else:
            limits = []
        if not limits:
            nan = float("nan")
            note = "the printed numbers do not determine the counts behind this one"
            results.append(PublishedInterval(name, value, nan, nan, n, "", note))
            continue
        lows, highs = zip(*limits, strict=True)
        if len(limits) > 1:
            note = f"spans the {len(limits)} {what}s that print alike"
        results.append(PublishedInterval(name, value, min(lows), max(highs), n, method, note))
    return tuple(results)


def _tables_behind(task: str, row: Mapping[str, float]) -> list[IntArray]:
    """Count tables (in the layout of `mouse.metrics.tables`) that print as the row's task."""
    if task == "td" and {"td/acc", "td/f1", "td/mcc"} <= row.keys():
        found = binary_tables(
            row["td/acc"], row["td/f1"], row["td/mcc"], n=ITEMS["td"], positives=TOXIC
        )
        return [table.counts[:, :-1] for table in found]
    if task == "tr" and {"tr/sem_acc", "tr/perfect_rate"} <= row.keys():
        tables = []
        for h in score_histograms(row["tr/sem_acc"], row["tr/perfect_rate"], n=ITEMS["tr"]):
            counts = np.zeros(SCORE_CELLS, dtype=np.int64)
            counts[[ZERO_JUDGED, ONE, TWO]] = h.zero, h.one, h.two
            tables.append(counts)
        return tables
    return []


def _bootstrap(
    name: str, table: IntArray, resamples: int, seed: int, confidence: float
) -> tuple[float, float]:
    observed = np.flatnonzero(table)
    kinds = ClusterKinds(np.eye(table.size)[observed], table.ravel()[observed])
    rng = np.random.default_rng([seed, random_stream(name.partition("/")[0])])
    counts = resample_counts(kinds, resamples, rng).reshape(resamples, *table.shape)
    columns = get_task(name.partition("/")[0]).columns
    metric = next(column.metric for column in columns if column.name == name)
    return percentile_interval(metric.from_counts(counts), confidence)


@dataclass(frozen=True)
class PublishedClaim:
    """Whether a published difference `better` over `worse` is more than chance.

    `p_least`, `p_most`: least and greatest two-sided p-value over all coincidences of the two
    models' answers that the printed numbers allow; `p_independent`: if they were independent.
    `needed_correlation`: correlation of the two models' item scores from which on p ≤ alpha (NaN
    if none suffices, -1 if any does). `verdict`: `supported` under every coincidence,
    `unsupported` under every one, else `depends`.
    """

    metric: str
    better: str
    worse: str
    difference: float
    p_least: float
    p_most: float
    p_independent: float
    needed_correlation: float
    verdict: Literal["supported", "unsupported", "depends"]
    test: str


CLAIM_METRICS = ("tr/sem_acc", "tr/perfect_rate", "td/acc", "ms/acc", "cc/acc")
"""Metrics that are means over items whose distribution the printed numbers give."""


def published_claims(
    rows: Mapping[str, Mapping[str, float]], metric: str, *, alpha: float = 0.05
) -> tuple[PublishedClaim, ...]:
    """Every pair of published models in one of `CLAIM_METRICS`, widest difference first.

    Unadjusted: each pair is judged as if it alone were asked about, so over the 91 pairs of
    fourteen models the p-values are best cases. Where several counts print alike the middle one
    is taken. Raises `ValueError` for another metric.
    """
    if metric not in CLAIM_METRICS:
        raise ValueError(f"{metric}: only {', '.join(CLAIM_METRICS)} are means of known counts")
    scores = {name: _item_scores(metric, row) for name, row in rows.items() if metric in row}
    claims = []
    for first, second in combinations(scores, 2):
        better, worse = (
            (first, second) if _total(scores[first]) >= _total(scores[second]) else (second, first)
        )
        claims.append(_claim(metric, better, worse, scores[better], scores[worse], alpha))
    return tuple(sorted(claims, key=lambda c: -c.difference))


Strata = tuple[np.ndarray, ...]
"""Item scores (0, ½, 1) in sorted arrays, one a known subset of the items; order within: unknown."""


def _total(strata: Strata) -> float:
    return float(sum(stratum.sum() for stratum in strata))


def _item_scores(metric: str, row: Mapping[str, float]) -> Strata:
    """What the printed row says of single items: toxicity knows its toxic and its safe items."""
    n = ITEMS[metric.partition("/")[0]]
    if metric == "tr/sem_acc":
        found = score_histograms(row["tr/sem_acc"], row["tr/perfect_rate"], n=n)
        h = found[len(found) // 2]
        return (np.repeat([0.0, 0.5, 1.0], [h.zero, h.one, h.two]),)
    if metric == "td/acc":
        tables = binary_tables(row["td/acc"], row["td/f1"], row["td/mcc"], n=n, positives=TOXIC)
        t = tables[len(tables) // 2]
        return np.repeat([0.0, 1.0], [t.fn, t.tp]), np.repeat([0.0, 1.0], [t.fp, t.tn])
    counts = integers_behind(row[metric], n)
    right = int(counts[len(counts) // 2])
    return (np.repeat([0.0, 1.0], [n - right, right]),)


def _claim(
    metric: str, better: str, worse: str, first: Strata, second: Strata, alpha: float
) -> PublishedClaim:
    """Scan what the answers' coincidence can be: within a stratum, sorted alike to reversed."""
    x, y = np.concatenate(first), np.concatenate(second)
    n = len(x)
    alike = sum(float(a @ b) for a, b in zip(first, second, strict=True))
    unlike = sum(float(a @ b[::-1]) for a, b in zip(first, second, strict=True))
    independent = sum(float(a.mean() * b.sum()) for a, b in zip(first, second, strict=True))
    binary = metric != "tr/sem_acc"
    steps = round(alike - unlike) + 1 if binary else 2001
    sums = np.linspace(unlike, alike, steps)
    p_value = _mcnemar_by_coincidence if binary else _z_test_by_coincidence
    p = p_value(x, y, sums)
    spread = float(x.std() * y.std())
    significant = sums[p <= alpha]
    needed = float("nan")
    if p.max() <= alpha:
        needed = -1.0
    elif len(significant) and spread > 0:
        needed = float((significant.min() / n - x.mean() * y.mean()) / spread)
    verdict: Literal["supported", "unsupported", "depends"] = "depends"
    if p.max() <= alpha:
        verdict = "supported"
    elif p.min() > alpha:
        verdict = "unsupported"
    return PublishedClaim(
        metric=metric,
        better=better,
        worse=worse,
        difference=float(x.mean() - y.mean()),
        p_least=float(p.min()),
        p_most=float(p.max()),
        p_independent=float(p_value(x, y, np.array([independent]))[0]),
        needed_correlation=needed,
        verdict=verdict,
        test="McNemar, exact binomial" if binary else "paired z-test of the mean score",
    )


def _mcnemar_by_coincidence(x: np.ndarray, y: np.ndarray, both: np.ndarray) -> np.ndarray:
    """Exact p-values if `both` items were answered right by both models."""
    right_x, right_y = int(x.sum()), int(y.sum())
    return np.array([mcnemar_exact(right_x - b, right_y - b) for b in np.rint(both).astype(int)])


def _z_test_by_coincidence(x: np.ndarray, y: np.ndarray, products: np.ndarray) -> np.ndarray:
    """p-values of the mean difference if the item scores' products summed to `products`."""
    from scipy.special import ndtr

    n = len(x)
    covariance = products / n - x.mean() * y.mean()
    variance = np.maximum(x.var() + y.var() - 2 * covariance, 0)
    difference = abs(float(x.mean() - y.mean()))
    if difference == 0:
        return np.ones(len(products))
    # No variance left means every item differs alike: as far from chance as can be.
    return 2 * ndtr(-difference / np.sqrt(np.maximum(variance, 1e-300) / n))
