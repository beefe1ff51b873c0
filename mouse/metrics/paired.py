"""Paired comparison of models on the rows they all answered: interval, test, rank groups.

All pairs come from one set of resamples: a resample's counts are computed once for every model,
so fourteen models (91 pairs) cost little more than fourteen intervals. Takes arrays; who answered
which row is `mouse.comparison.aligned`'s business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mouse.metrics.exact import LARGEST_EXACT_N, mcnemar_exact, paired_difference_exact
from mouse.metrics.multiplicity import holm, rank_groups
from mouse.metrics.resampling import (
    ClusterKinds,
    counts_of,
    draw_multiplicities,
    percentile_interval,
)
from mouse.metrics.tables import FloatArray, IntArray

_RESAMPLES_A_BLOCK = 1000
# Differences of metrics are compared with this slack: equal counts may differ in the last bit.
_TIE = 1e-12


@dataclass(frozen=True, eq=False)
class PairedRows:
    """`names`: the M models; `cells`: (M, n) each row's cell in 0..C-1 of its model's counts;
    `kinds`: clusters grouped by what all models said, counts (U, M · C)."""

    names: tuple[str, ...]
    cells: IntArray
    kinds: ClusterKinds

    @property
    def n_rows(self) -> int:
        return self.cells.shape[1]

    @property
    def independent(self) -> bool:
        """Whether every row is a cluster of its own, as exact binomial tests require."""
        return self.kinds.n_clusters == self.n_rows

    def model_counts(self, counts: FloatArray) -> list[FloatArray]:
        """(..., M · C) counts → one (..., C) a model."""
        return list(np.moveaxis(counts.reshape(*counts.shape[:-1], len(self.names), -1), -2, 0))


@dataclass(frozen=True, eq=False)
class PairedMetric:
    """`value`: one model's counts (..., C) → (...). `right`: (M, n) the rows each model has right,
    where the metric is their share; McNemar's test then applies."""

    name: str
    value: Callable[[FloatArray], FloatArray]
    right: NDArray[np.bool_] | None = None
    higher_is_better: bool = True


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

    @property
    def interval(self) -> tuple[float, float]:
        """The exact interval of the difference where there is one, else the bootstrap's."""
        has_exact = self.exact_lo == self.exact_lo
        return (self.exact_lo, self.exact_hi) if has_exact else (self.lo, self.hi)


@dataclass(frozen=True)
class Ranking:
    """Models from best to worst in one metric; those that share a letter are not told apart."""

    metric: str
    order: tuple[str, ...]
    values: Mapping[str, float]
    letters: Mapping[str, str]
    family: str
    alpha: float


def compare_rows(
    rows: PairedRows,
    metrics: Sequence[PairedMetric],
    *,
    resamples: int,
    permutations: int,
    seed: Sequence[int],
    confidence: float,
    alpha: float,
) -> tuple[list[Comparison], list[Ranking]]:
    """All pairs of models in all metrics, and a ranking a metric.

    Shares of right answers are tested by McNemar's exact test where every row is a cluster of its
    own, all else by a permutation test that swaps the two models' answers a whole cluster at a
    time. Holm's correction runs over all pairs within one metric.
    """
    values = metric_values(rows, metrics, rows.kinds.total[None])[..., 0]
    replicates = _bootstrap(rows, metrics, resamples, np.random.default_rng([*seed, 1]))
    swapped = swapped_counts(rows, permutations, np.random.default_rng([*seed, 2]))
    method = (
        f"paired percentile bootstrap over {rows.kinds.n_clusters} clusters, "
        f"{resamples} resamples, seed {seed[0]}, {confidence:.0%}"
    )
    comparisons: list[Comparison] = []
    rankings = []
    for m, metric in enumerate(metrics):
        pairs = [
            replace(
                _compare(rows, metric, i, j, values[:, m], replicates[:, m], swapped, confidence),
                method=method,
            )
            for i, j in combinations(range(len(rows.names)), 2)
        ]
        family = f"{metric.name}, all {len(pairs)} pairs of {len(rows.names)} models"
        # NaN sorts last in either direction.
        best_first = np.argsort(
            values[:, m] * (-1 if metric.higher_is_better else 1), kind="stable"
        )
        ranking = Ranking(
            metric.name,
            tuple(rows.names[i] for i in best_first),
            {name: float(value) for name, value in zip(rows.names, values[:, m], strict=True)},
            {},
            family,
            alpha,
        )
        pairs = adjusted(pairs, family)
        comparisons += pairs
        rankings += lettered([ranking], pairs, family, alpha)
    return comparisons, rankings


def adjusted(comparisons: Sequence[Comparison], family: str) -> list[Comparison]:
    """The comparisons with Holm's correction over all of them, under the family's name."""
    p_holm = holm({index: c.p_value for index, c in enumerate(comparisons)})
    return [replace(c, p_holm=p_holm[i], family=family) for i, c in enumerate(comparisons)]


def lettered(
    rankings: Sequence[Ranking], comparisons: Sequence[Comparison], family: str, alpha: float
) -> list[Ranking]:
    """The rankings with the letters that follow from the comparisons' corrected p-values."""
    found = []
    for ranking in rankings:
        apart = {(c.a, c.b): c.p_holm <= alpha for c in comparisons if c.metric == ranking.metric}
        letters = rank_groups(ranking.order, apart)
        found.append(replace(ranking, letters=letters, family=family))
    return found


def detectable_from_error(
    standard_error: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Least true difference found with probability `power` at two-sided level `alpha`.

    (z₁₋α/₂ + z_power) · `standard_error` of the difference: 2.80 standard errors by default.
    For any metric whose difference is about normal; the error comes from a paired bootstrap.
    """
    from scipy.special import ndtri

    return float((ndtri(1 - alpha / 2) + ndtri(power)) * standard_error)


def metric_values(
    rows: PairedRows, metrics: Sequence[PairedMetric], counts: FloatArray
) -> FloatArray:
    """(M, metrics, R) values from (R, M · C) counts."""
    return np.array(
        [[metric.value(model) for metric in metrics] for model in rows.model_counts(counts)]
    )


def _bootstrap(
    rows: PairedRows, metrics: Sequence[PairedMetric], resamples: int, rng: np.random.Generator
) -> FloatArray:
    """(M, metrics, resamples): every model on the same resamples of the clusters."""
    blocks = []
    for start in range(0, resamples, _RESAMPLES_A_BLOCK):
        size = min(_RESAMPLES_A_BLOCK, resamples - start)
        drawn = draw_multiplicities(rows.kinds, size, rng)
        blocks.append(metric_values(rows, metrics, counts_of(rows.kinds, drawn)))
    return np.concatenate(blocks, axis=-1)


def swapped_counts(
    rows: PairedRows, permutations: int, rng: np.random.Generator
) -> list[FloatArray]:
    """Per model (permutations, C): its counts on the clusters whose answers are swapped.

    Under the null hypothesis two models' answers to a cluster may be exchanged. Each permutation
    picks half the clusters; for models a and b, swapping gives a's counts as
    total_a - picked_a + picked_b, so one pick serves every pair.
    """
    size = (permutations, len(rows.kinds.multiplicity))
    picked = rng.binomial(rows.kinds.multiplicity, 0.5, size=size).astype(np.float64)
    return rows.model_counts(counts_of(rows.kinds, picked))


def permutation_p(
    rows: PairedRows,
    metric: PairedMetric,
    i: int,
    j: int,
    swapped: Sequence[FloatArray],
    difference: float,
) -> float:
    """Share of exchanges with at least this difference, the observed one counted among them."""
    totals = rows.model_counts(rows.kinds.total)
    moved = swapped[j] - swapped[i]
    exchanged = metric.value(totals[i] + moved) - metric.value(totals[j] - moved)
    # Where an exchange leaves the metric undefined, it counts against significance.
    extreme = (np.abs(exchanged) >= abs(difference) - _TIE) | np.isnan(exchanged)
    return (1 + int(extreme.sum())) / (1 + len(extreme))


def _compare(
    rows: PairedRows,
    metric: PairedMetric,
    i: int,
    j: int,
    values: FloatArray,
    replicates: FloatArray,
    swapped: Sequence[FloatArray],
    confidence: float,
) -> Comparison:
    """One pair in one metric; `values` (M,), `replicates` (M, R)."""
    difference = float(values[i] - values[j])
    result = Comparison(
        metric=metric.name,
        a=rows.names[i],
        b=rows.names[j],
        value_a=float(values[i]),
        value_b=float(values[j]),
        difference=difference,
        lo=float("nan"),
        hi=float("nan"),
        p_value=float("nan"),
        test="none",
        status="no_pairs",
        n_paired=rows.n_rows,
        n_clusters=rows.kinds.n_clusters,
        ties=int((rows.cells[i] == rows.cells[j]).sum()),
    )
    if rows.n_rows == 0:
        return replace(result, note="no row was answered by both models")
    if np.isnan(difference):
        return replace(result, status="undefined", note=f"{metric.name} is undefined on these rows")
    differences = replicates[i] - replicates[j]
    low, high = percentile_interval(differences, confidence)
    detectable = detectable_from_error(float(np.nanstd(differences)))
    result = replace(result, status="tested", lo=low, hi=high, detectable=detectable)
    if metric.right is None or not rows.independent:
        p_value = permutation_p(rows, metric, i, j, swapped, difference)
        test = f"paired permutation over clusters, {len(swapped[0])} permutations"
        return replace(result, p_value=p_value, test=test)
    right_i, right_j = metric.right[i], metric.right[j]
    only_i, only_j = int((right_i & ~right_j).sum()), int((right_j & ~right_i).sum())
    p_value = mcnemar_exact(only_i, only_j)
    result = replace(result, p_value=p_value, test="McNemar, exact binomial")
    if rows.n_rows <= LARGEST_EXACT_N:
        low, high = paired_difference_exact(only_i, only_j, rows.n_rows, confidence)
        result = replace(result, exact_lo=low, exact_hi=high)
    return result
