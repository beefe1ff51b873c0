"""One model's score on two kinds of items: the difference, its interval, a test.

For the paper's figures 4 and 5. The items differ between the kinds, so nothing is paired; items
of one expression (repeats, perturbations) are resampled together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000


@dataclass(frozen=True)
class Contrast:
    """`difference` is mean of the first kind minus mean of the second; NaN where one is empty."""

    mean_first: float
    mean_second: float
    difference: float
    n_first: int
    n_second: int
    method: str
    first_lo: float = float("nan")
    first_hi: float = float("nan")
    second_lo: float = float("nan")
    second_hi: float = float("nan")
    lo: float = float("nan")
    hi: float = float("nan")
    p_value: float = float("nan")


def contrast(
    scores: Sequence[float],
    is_first: Sequence[bool],
    cluster: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> Contrast:
    """Compare the mean score of two kinds of rows.

    Intervals: percentile bootstrap over clusters. Test: two-sided permutation of the kinds over
    clusters where no cluster has both kinds; otherwise the bootstrap's normal approximation
    (`method` says which). All sequences have one entry a row.
    """
    score, first = np.asarray(scores, dtype=float), np.asarray(is_first, dtype=bool)
    _, code = np.unique(np.asarray(cluster), return_inverse=True)
    n_clusters = int(code.max()) + 1 if len(code) else 0
    sums = np.zeros((n_clusters, 4))  # sum and count of each kind
    np.add.at(sums, (code[first], 0), score[first])
    np.add.at(sums, (code[first], 1), 1)
    np.add.at(sums, (code[~first], 2), score[~first])
    np.add.at(sums, (code[~first], 3), 1)
    n_first, n_second = int(first.sum()), int((~first).sum())
    one, other = (float(score[m].mean()) if m.any() else float("nan") for m in (first, ~first))
    if not n_first or not n_second:
        return Contrast(one, other, one - other, n_first, n_second, "one kind has no items")
    rng = np.random.default_rng([seed, n_first, n_second])
    kinds, multiplicity = np.unique(sums, axis=0, return_counts=True)
    drawn = rng.multinomial(n_clusters, multiplicity / n_clusters, size=resamples) @ kinds
    with np.errstate(invalid="ignore", divide="ignore"):
        ones, others = drawn[:, 0] / drawn[:, 1], drawn[:, 2] / drawn[:, 3]
    tail = (1 - confidence) / 2
    bounds = [np.nanquantile(v, [tail, 1 - tail]) for v in (ones, others, ones - others)]
    if ((sums[:, 1] > 0) & (sums[:, 3] > 0)).any():
        p, test = _normal_p(one - other, float(np.nanstd(ones - others))), "normal approximation"
    else:
        p, test = _permutation_p(sums, one - other, resamples, rng), "permutation of kinds"
    (first_lo, first_hi), (second_lo, second_hi), (lo, hi) = (map(float, b) for b in bounds)
    return Contrast(
        mean_first=one,
        mean_second=other,
        difference=one - other,
        n_first=n_first,
        n_second=n_second,
        method=f"bootstrap over {n_clusters} clusters, {resamples} resamples; test: {test}",
        first_lo=first_lo,
        first_hi=first_hi,
        second_lo=second_lo,
        second_hi=second_hi,
        lo=lo,
        hi=hi,
        p_value=p,
    )


def _permutation_p(
    sums: np.ndarray, difference: float, permutations: int, rng: np.random.Generator
) -> float:
    """Clusters are exchangeable under the hypothesis; as many as before become the first kind."""
    pooled = np.column_stack([sums[:, 0] + sums[:, 2], sums[:, 1] + sums[:, 3]])
    # Clusters with the same sum and size are the same cluster here: how many of each kind become
    # «first» is one hypergeometric draw, and no order need be drawn.
    kinds, multiplicity = np.unique(pooled, axis=0, return_counts=True)
    take = int((sums[:, 1] > 0).sum())
    picked = rng.multivariate_hypergeometric(
        multiplicity, take, size=permutations, method="marginals"
    )
    sum_first, n_first = (picked @ kinds).T
    sum_all, n_all = pooled.sum(axis=0)
    means = sum_first / n_first - (sum_all - sum_first) / (n_all - n_first)
    extreme = int((np.abs(means) >= abs(difference) - 1e-12).sum())
    return (1 + extreme) / (1 + permutations)


def _normal_p(difference: float, error: float) -> float:
    from scipy.special import ndtr

    return 1.0 if error == 0 else float(2 * ndtr(-abs(difference) / error))
