"""Paired comparison of models on the items they all answered: interval, test, rank groups.

All pairs come from one set of resamples: a resample's counts are computed once for every model,
so fourteen models (91 pairs) cost little more than fourteen intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from mouse.metrics.exact import LARGEST_EXACT_N, paired_difference_exact
from mouse.metrics.mcnemar import mcnemar_exact
from mouse.metrics.metric import Column
from mouse.metrics.multiplicity import holm, rank_groups
from mouse.metrics.power import detectable_from_error
from mouse.metrics.resampling import counts_of, draw_multiplicities, percentile_interval
from mouse.metrics.tables import FloatArray
from mouse.scoring.aligned import Aligned, Answers, RowKey, align
from mouse.tasks.registry import get_task, random_stream

__all__ = ["Answers", "Comparison", "PairedResult", "Ranking", "compare_models"]

_RESAMPLES_A_BLOCK = 1000
# Differences of metrics are compared with this slack: equal counts may differ in the last bit.
_TIE = 1e-12


@dataclass(frozen=True)
class Comparison:
    """Model a against model b in one metric; `difference` is a minus b.

    `lo`, `hi`: paired percentile bootstrap over clusters. `exact_lo`, `exact_hi`: exact interval
    of the paired difference of shares where the rows are few and independent, else NaN.
    `p_value` of `test`, two-sided; `p_holm` the same within `family`. `ties`: rows on which both
    gave the same answer. `detectable`: least true difference that a test of level 5% finds here
    with probability 80%. `status`: `tested`; `no_pairs` where no common row was answered by both;
    `undefined` where the metric is, with the reason in `note`.
    """

    metric: str
    a: str
    b: str
    value_a: float
    value_b: float
    difference: float
    lo: float
    hi: float
    p_value: float
    test: str
    status: Literal["tested", "no_pairs", "undefined"]
    n_paired: int
    n_clusters: int
    ties: int
    exact_lo: float = float("nan")
    exact_hi: float = float("nan")
    detectable: float = float("nan")
    p_holm: float = float("nan")
    family: str = ""
    method: str = ""
    note: str = ""


@dataclass(frozen=True)
class Ranking:
    """Models from best to worst in one metric; those that share a letter are not told apart."""

    metric: str
    order: tuple[str, ...]
    values: Mapping[str, float]
    letters: Mapping[str, str]
    family: str
    alpha: float


@dataclass(frozen=True)
class PairedResult:
    """All pairs in all metrics, a ranking a metric, and the rows that could not be paired."""

    comparisons: tuple[Comparison, ...]
    rankings: tuple[Ranking, ...]
    unpaired: Mapping[str, tuple[RowKey, ...]]
    failed: tuple[RowKey, ...]


def compare_models(
    task: str,
    runs: Mapping[str, Answers],
    *,
    clusters: Mapping[str, str],
    metrics: Sequence[str] | None = None,
    resamples: int = 10_000,
    permutations: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    alpha: float = 0.05,
) -> PairedResult:
    """Compare two or more models on the rows that all of them answered.

    `metrics`: full names (`td/f1`); by default all of the task but the judge's coverage. Shares of
    right answers are tested by McNemar's exact test where every row is a cluster of its own, all
    else by a permutation test that swaps the two models' answers a whole cluster at a time. Holm's
    correction runs over all pairs of models within one metric. Raises `ValueError` on models
    asked different data and on unknown metrics. Whether two runs *may* be compared (same prompt,
    judge, data fingerprint) is for the caller to refuse.
    """
    columns = _columns(task, metrics)
    aligned = align(task, runs, clusters)
    values = _values(aligned, columns, aligned.kinds.total[None])[..., 0]
    index = random_stream(task)
    replicates = _bootstrap(aligned, columns, resamples, np.random.default_rng([seed, index, 1]))
    swapped = _swapped_counts(aligned, permutations, np.random.default_rng([seed, index, 2]))
    method = (
        f"paired percentile bootstrap over {aligned.kinds.n_clusters} clusters, "
        f"{resamples} resamples, seed {seed}, {confidence:.0%}"
    )
    comparisons: list[Comparison] = []
    rankings = []
    for c, column in enumerate(columns):
        pairs = [
            replace(
                _compare(
                    aligned, column, i, j, values[:, c], replicates[:, c], swapped, confidence
                ),
                method=method,
            )
            for i, j in combinations(range(len(runs)), 2)
        ]
        pairs, ranking = _rank(aligned, column, pairs, values[:, c], alpha)
        comparisons += pairs
        rankings.append(ranking)
    return PairedResult(tuple(comparisons), tuple(rankings), aligned.unpaired, aligned.failed)


def _columns(task: str, metrics: Sequence[str] | None) -> list[Column]:
    known = {column.name: column for column in get_task(task).columns}
    if metrics is None:
        return [column for column in known.values() if column.metric.compares_models]
    if unknown := [name for name in metrics if name not in known]:
        raise ValueError(f"{task} has no metric {unknown[0]!r}; it has {', '.join(known)}")
    return [known[name] for name in metrics]


def _values(aligned: Aligned, columns: Sequence[Column], counts: FloatArray) -> FloatArray:
    """(M, columns, R) metric values from (R, M · C) counts."""
    table = aligned.tables[0]
    out = np.empty((len(aligned.names), len(columns), len(counts)))
    for m, model in enumerate(aligned.model_counts(counts)):
        parts = table.split(model)
        for c, column in enumerate(columns):
            out[m, c] = table.evaluate(column, parts)
    return out


def _bootstrap(
    aligned: Aligned, columns: Sequence[Column], resamples: int, rng: np.random.Generator
) -> FloatArray:
    """(M, columns, resamples): every model on the same resamples of the clusters."""
    blocks = []
    for start in range(0, resamples, _RESAMPLES_A_BLOCK):
        rows = min(_RESAMPLES_A_BLOCK, resamples - start)
        drawn = draw_multiplicities(aligned.kinds, rows, rng)
        blocks.append(_values(aligned, columns, counts_of(aligned.kinds, drawn)))
    return np.concatenate(blocks, axis=-1)


def _swapped_counts(
    aligned: Aligned, permutations: int, rng: np.random.Generator
) -> list[FloatArray]:
    """Per model (permutations, C): its counts on the clusters whose answers are swapped.

    Under the null hypothesis two models' answers to a cluster may be exchanged. Each permutation
    picks half the clusters; for models a and b, swapping gives a's counts as
    total_a - picked_a + picked_b, so one pick serves every pair.
    """
    picked = rng.binomial(
        aligned.kinds.multiplicity, 0.5, size=(permutations, len(aligned.kinds.multiplicity))
    ).astype(np.float64)
    return aligned.model_counts(counts_of(aligned.kinds, picked))


def _compare(
    aligned: Aligned,
    column: Column,
    i: int,
    j: int,
    values: FloatArray,
    replicates: FloatArray,
    swapped: Sequence[FloatArray],
    confidence: float,
) -> Comparison:
    """One pair in one metric; `values` (M,), `replicates` (M, R)."""
    difference = float(values[i] - values[j])
    base = Comparison(
        metric=column.name,
        a=aligned.names[i],
        b=aligned.names[j],
        value_a=float(values[i]),
        value_b=float(values[j]),
        difference=difference,
        lo=float("nan"),
        hi=float("nan"),
        p_value=float("nan"),
        test="none",
        status="no_pairs",
        n_paired=aligned.n_rows,
        n_clusters=aligned.kinds.n_clusters,
        ties=int((aligned.tables[i].cells == aligned.tables[j].cells).sum()),
    )
    if aligned.n_rows == 0:
        return replace(base, note="no row was answered by both models")
    if np.isnan(difference):
        return replace(base, status="undefined", note=f"{column.name} is undefined on these rows")
    differences = replicates[i] - replicates[j]
    low, high = percentile_interval(differences, confidence)
    result = replace(
        base,
        status="tested",
        lo=low,
        hi=high,
        detectable=detectable_from_error(float(np.nanstd(differences))),
    )
    if column.metric.binomial and aligned.independent:
        right_i, right_j = aligned.right(i), aligned.right(j)
        only_i, only_j = int((right_i & ~right_j).sum()), int((right_j & ~right_i).sum())
        result = replace(
            result, p_value=mcnemar_exact(only_i, only_j), test="McNemar, exact binomial"
        )
        if aligned.n_rows <= LARGEST_EXACT_N:
            low, high = paired_difference_exact(only_i, only_j, aligned.n_rows, confidence)
            result = replace(result, exact_lo=low, exact_hi=high)
        return result
    return replace(
        result,
        p_value=_permutation_p(aligned, column, i, j, swapped, difference),
        test=f"paired permutation over clusters, {len(swapped[0])} permutations",
    )


def _permutation_p(
    aligned: Aligned,
    column: Column,
    i: int,
    j: int,
    swapped: Sequence[FloatArray],
    difference: float,
) -> float:
    """Share of exchanges with at least this difference, the observed one counted among them."""
    totals = aligned.model_counts(aligned.kinds.total)
    table = aligned.tables[0]
    moved = swapped[j] - swapped[i]
    one = table.evaluate(column, table.split(totals[i] + moved))
    other = table.evaluate(column, table.split(totals[j] - moved))
    extreme = np.abs(one - other) >= abs(difference) - _TIE
    # Where an exchange leaves the metric undefined, it counts against significance.
    extreme |= np.isnan(one - other)
    return (1 + int(extreme.sum())) / (1 + len(extreme))


def _rank(
    aligned: Aligned,
    column: Column,
    pairs: list[Comparison],
    values: FloatArray,
    alpha: float,
) -> tuple[list[Comparison], Ranking]:
    names = aligned.names
    family = f"{column.name}, all {len(pairs)} pairs of {len(names)} models"
    adjusted = holm({(p.a, p.b): p.p_value for p in pairs}, family).adjusted
    pairs = [replace(p, p_holm=adjusted[p.a, p.b], family=family) for p in pairs]
    sign = -1.0 if column.metric.higher_is_better else 1.0
    # NaN sorts last in either direction.
    order = tuple(names[m] for m in np.argsort(sign * values, kind="stable"))
    letters = rank_groups(order, {(p.a, p.b): p.p_holm <= alpha for p in pairs})
    by_name = {name: float(value) for name, value in zip(names, values, strict=True)}
    return pairs, Ranking(column.name, order, by_name, letters, family, alpha)
