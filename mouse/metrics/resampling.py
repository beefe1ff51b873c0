"""The percentile bootstrap over clusters, computed through counts.

Every metric here is a function of a few cell counts, and two clusters with the same counts are
the same cluster as far as a metric can tell. So a resample needs no index vector: the number of
times each *kind* of cluster is drawn is one multinomial draw, and the resample's counts are that
draw times the kinds' counts. For 1,099 items of a yes/no question this is four numbers a resample
instead of 1,099, and exactly the same distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mouse.metrics.tables import FloatArray, IntArray

_BLOCK_ELEMENTS = 4_000_000
# One binomial draw of a multinomial costs about as much as this many drawn cluster indices
# (scripts/bench/metrics.py measures it).
_INDEX_DRAWS_PER_KIND = 6


@dataclass(frozen=True, eq=False)
class ClusterKinds:
    """Clusters grouped by content: `counts` (U, C) of each kind, `multiplicity` (U,) clusters."""

    counts: FloatArray
    multiplicity: IntArray

    @property
    def n_clusters(self) -> int:
        return int(self.multiplicity.sum())

    @cached_property
    def total(self) -> FloatArray:
        """(C,) counts of the whole sample."""
        return self.multiplicity.astype(np.float64) @ self.counts


def cluster_kinds(cells: IntArray, cluster: IntArray, n_cells: int) -> ClusterKinds:
    """Group the clusters of a sample by the counts of their rows' cells.

    `cells`: (n,) in 0..n_cells-1, a row's cell; `cluster`: (n,), rows with one code are drawn
    together. The order of the kinds depends on their content alone, so neither the order of rows
    nor the naming of clusters changes a resample.
    """
    _, code, size = np.unique(cluster, return_inverse=True, return_counts=True)
    observed, cell_code = np.unique(cells, return_inverse=True)
    if size.size == cluster.size:
        counts = np.zeros((observed.size, n_cells))
        counts[np.arange(observed.size), observed] = 1.0
        return ClusterKinds(counts, np.bincount(cell_code).astype(np.int64))
    dense = np.bincount(
        code * observed.size + cell_code, minlength=size.size * observed.size
    ).reshape(size.size, observed.size)
    kinds, multiplicity = np.unique(dense, axis=0, return_counts=True)
    counts = np.zeros((len(kinds), n_cells))
    counts[:, observed] = kinds
    return ClusterKinds(counts, multiplicity.astype(np.int64))


def draw_multiplicities(
    kinds: ClusterKinds, resamples: int, rng: np.random.Generator
) -> FloatArray:
    """(resamples, U) how often each kind is drawn in n_clusters draws with replacement.

    Multinomial draws where kinds are few, index draws where most clusters are of their own kind;
    the distribution is the same, the choice depends on the sample alone.
    """
    n, u = kinds.n_clusters, len(kinds.multiplicity)
    if n == 0:
        return np.zeros((resamples, u))
    if u * _INDEX_DRAWS_PER_KIND <= n:
        return rng.multinomial(n, kinds.multiplicity / n, size=resamples).astype(np.float64)
    kind_of = np.repeat(np.arange(u), kinds.multiplicity)
    drawn = np.empty((resamples, u))
    block = max(1, _BLOCK_ELEMENTS // n)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        picks = kind_of[rng.integers(0, n, size=(rows, n))]
        picks += np.arange(rows)[:, None] * u
        drawn[start : start + rows] = np.bincount(picks.ravel(), minlength=rows * u).reshape(
            rows, u
        )
    return drawn


def resample_counts(kinds: ClusterKinds, resamples: int, rng: np.random.Generator) -> FloatArray:
    """(resamples, C) cell counts of bootstrap samples of the clusters."""
    return counts_of(kinds, draw_multiplicities(kinds, resamples, rng))


def counts_of(kinds: ClusterKinds, drawn: FloatArray) -> FloatArray:
    """(R, C) cell counts of (R, U) draws.

    The resample axis is contiguous in memory, along which numpy adds up several times faster.
    """
    return (kinds.counts.T @ drawn.T).T


def percentile_interval(replicates: FloatArray, confidence: float = 0.95) -> tuple[float, float]:
    """Percentile interval of (R,) replicates, NaN replicates left out; NaN if all are.

    The quantiles are numpy's default (linear), as in `scipy.stats.bootstrap`.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    defined = replicates[~np.isnan(replicates)]
    if not defined.size:
        return float("nan"), float("nan")
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)
