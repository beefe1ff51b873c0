"""Agreement of two raters on one scale: quadratic weighted kappa and what one needs beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mouse.metrics.metric import ratio
from mouse.metrics.resampling import cluster_kinds, percentile_interval, resample_counts
from mouse.metrics.tables import FloatArray

Rating = int | float | None

SCORES = (0, 1, 2)
"""What a judge or a rater gives a translation."""

_BANDS = (
    (0.0, "slight"),
    (0.2, "fair"),
    (0.4, "moderate"),
    (0.6, "substantial"),
    (0.8, "almost perfect"),
)


@dataclass(frozen=True)
class Agreement:
    """One coefficient; NaN and `undefined` where ratings do not vary, with the reason in `note`.

    `raw_agreement`: share of equal ratings (of pairs, for α). `band`: Landis & Koch's word.
    """

    name: str
    value: float
    lo: float
    hi: float
    n: int
    raw_agreement: float
    status: Literal["ok", "undefined"]
    band: str = ""
    method: str = ""
    note: str = ""


def landis_koch(kappa: float) -> str:
    """Landis & Koch's (1977) word; a bound belongs to the lower band (0.20 is slight); NaN: ""."""
    if np.isnan(kappa):
        return ""
    if kappa < 0:
        return "poor"
    return next(word for least, word in reversed(_BANDS) if kappa > least or least == 0)


def weighted_kappa(
    first: Sequence[Rating],
    second: Sequence[Rating],
    *,
    clusters: Sequence[int] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> Agreement:
    """Cohen's kappa of two raters on 0, 1, 2 with quadratic weights (QWK; Cohen 1968).

    1 is perfect agreement, 0 what the marginals alone would give, negative less than that; a miss
    by two counts four times a miss by one. The value is scikit-learn's with `labels` given, so
    that a label nobody used still has its place. Missing ratings (None, NaN) leave the pair out.
    Where both raters are constant and agree, kappa is 0/0: undefined, not 1. `clusters`: units
    drawn together. Raises `ValueError` on unequal lengths and on a rating that is off the scale.
    """
    from sklearn.metrics import cohen_kappa_score

    if len(first) != len(second):
        raise ValueError(f"{len(first)} ratings against {len(second)}: they must be of one list")
    ratings = np.array([first, second], dtype=float)
    keep = ~np.isnan(ratings).any(0)
    ratings = ratings[:, keep]
    if (strange := ratings[~np.isin(ratings, SCORES)]).size:
        raise ValueError(f"rating {strange[0]:g} is none of {SCORES}")
    a, b = ratings.astype(np.int64)
    n, v = len(a), len(SCORES)
    raw = float((a == b).mean()) if n else float("nan")
    if not n:
        return undefined("qwk", n, raw, "no unit was rated by both")
    if len(np.union1d(a, b)) == 1:
        return undefined("qwk", n, raw, "both raters gave every unit the same rating")
    value = float(cohen_kappa_score(a, b, labels=SCORES, weights="quadratic"))
    groups = np.arange(n) if clusters is None else np.asarray(clusters)[keep]
    kinds = cluster_kinds(a * v + b, groups, v * v)
    counts = resample_counts(kinds, resamples, np.random.default_rng(seed))
    replicates = kappa_from_counts(counts.reshape(-1, v, v))
    method = (
        f"percentile bootstrap over {kinds.n_clusters} units, {resamples} resamples, seed {seed}"
    )
    return coefficient("qwk", value, replicates, n, raw, method)


def coefficient(
    name: str,
    value: float,
    replicates: FloatArray,
    n: int,
    raw: float,
    method: str,
    confidence: float = 0.95,
) -> Agreement:
    """A defined coefficient with the percentile interval of its (R,) bootstrap replicates."""
    low, high = percentile_interval(replicates, confidence)
    left_out = int(np.isnan(replicates).sum())
    note = f"{left_out} resamples without variation were left out" if left_out else ""
    return Agreement(name, value, low, high, n, raw, "ok", landis_koch(value), method, note)


def undefined(name: str, n: int, raw: float, why: str, method: str = "") -> Agreement:
    """A coefficient that has no value, with the reason."""
    nan = float("nan")
    note = f"undefined: {why}"
    return Agreement(name, nan, nan, nan, n, raw, "undefined", method=method, note=note)


def kappa_from_counts(counts: FloatArray) -> FloatArray:
    """Quadratic weighted kappa (...) from (..., V, V); NaN where chance disagreement is 0."""
    labels = np.arange(counts.shape[-1])
    weight = np.abs(np.subtract.outer(labels, labels)).astype(float) ** 2
    total = counts.sum((-2, -1))
    observed = (counts * weight).sum((-2, -1)) * total
    expected = np.einsum("...i,ij,...j->...", counts.sum(-1), weight, counts.sum(-2))
    return 1 - ratio(observed, expected, np.nan)
