"""Agreement of two raters on one scale: quadratic weighted kappa and what one needs beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mouse.metrics.metric import ratio
from mouse.metrics.resampling import cluster_kinds, percentile_interval, resample_counts
from mouse.metrics.tables import FloatArray, IntArray

Weights = Literal["quadratic", "linear", "none"]
Rating = int | float | None

_BANDS = (
    (0.0, "slight"),
    (0.2, "fair"),
    (0.4, "moderate"),
    (0.6, "substantial"),
    (0.8, "almost perfect"),
)


@dataclass(frozen=True)
class Agreement:
    """One coefficient of agreement with its interval.

    `value` is NaN and `status` `undefined` where the ratings do not vary, with the reason in
    `note`; `raw_agreement`, the share of equal ratings (of pairs of ratings, for α), stands beside
    it then. `lo`, `hi`: percentile bootstrap over units; `band` is Landis & Koch's word.
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
    """Landis & Koch's (1977) word for a kappa: poor below 0, then slight … almost perfect.

    A bound belongs to the lower band (0.20 is slight, 0.21 fair); empty for NaN.
    """
    if np.isnan(kappa):
        return ""
    if kappa < 0:
        return "poor"
    return next(word for least, word in reversed(_BANDS) if kappa > least or least == 0)


def confusion(first: Sequence[Rating], second: Sequence[Rating], labels: Sequence[int]) -> IntArray:
    """(V, V) counts of (first, second) ratings; a pair with a missing one is left out.

    Its sums over rows and columns are the raters' marginals. Raises `ValueError` on unequal
    lengths and on a rating that is not in `labels`.
    """
    a, b = _codes(first, second, labels)
    v = len(labels)
    return np.bincount(a * v + b, minlength=v * v).reshape(v, v).astype(np.int64)


def weighted_kappa(
    first: Sequence[Rating],
    second: Sequence[Rating],
    *,
    labels: Sequence[int] = (0, 1, 2),
    weights: Weights = "quadratic",
    clusters: Sequence[int] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Agreement:
    """Cohen's kappa of two raters, quadratic weights by default (QWK; Cohen 1968).

    1 is perfect agreement, 0 what the marginals alone would give, negative less than that. The
    squared distance between labels weighs a disagreement: on 0, 1, 2 a miss by two counts four
    times a miss by one. The value is scikit-learn's with `labels` given, so that a label nobody
    used still has its place. Missing ratings (None, NaN) leave the pair out. Where both raters are
    constant and agree, kappa is 0/0: undefined, not 1. `clusters`: units drawn together.
    """
    from sklearn.metrics import cohen_kappa_score

    a, b = _codes(first, second, labels)
    keep = _both_given(first, second)
    n, v = len(a), len(labels)
    raw = float((a == b).mean()) if n else float("nan")
    name = {"quadratic": "qwk", "linear": "lwk", "none": "kappa"}[weights]
    if why := _why_undefined(a, b):
        return undefined(name, n, raw, why)
    weighting = None if weights == "none" else weights
    value = float(cohen_kappa_score(a, b, labels=np.arange(v), weights=weighting))
    groups = np.arange(n) if clusters is None else np.asarray(clusters)[keep]
    kinds = cluster_kinds(a * v + b, groups, v * v)
    counts = resample_counts(kinds, resamples, np.random.default_rng(seed))
    replicates = kappa_from_counts(counts.reshape(-1, v, v), weights)
    method = (
        f"percentile bootstrap over {kinds.n_clusters} units, {resamples} resamples, seed {seed}"
    )
    return coefficient(name, value, replicates, n, raw, method, confidence)


def coefficient(
    name: str,
    value: float,
    replicates: FloatArray,
    n: int,
    raw: float,
    method: str,
    confidence: float,
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


def kappa_from_counts(counts: FloatArray, weights: Weights = "quadratic") -> FloatArray:
    """Weighted kappa (...) from (..., V, V) counts; NaN where chance disagreement is 0."""
    v = counts.shape[-1]
    distance = np.abs(np.subtract.outer(np.arange(v), np.arange(v))).astype(float)
    weight = {"quadratic": distance**2, "linear": distance, "none": (distance > 0) * 1.0}[weights]
    total = counts.sum((-2, -1))
    observed = (counts * weight).sum((-2, -1)) * total
    expected = np.einsum("...i,ij,...j->...", counts.sum(-1), weight, counts.sum(-2))
    return 1 - ratio(observed, expected, np.nan)


def _both_given(first: Sequence[Rating], second: Sequence[Rating]) -> NDArray[np.bool_]:
    if len(first) != len(second):
        raise ValueError(f"{len(first)} ratings against {len(second)}: they must be of one list")
    a, b = (np.array([np.nan if x is None else x for x in r], dtype=float) for r in (first, second))
    return ~(np.isnan(a) | np.isnan(b))


def _codes(
    first: Sequence[Rating], second: Sequence[Rating], labels: Sequence[int]
) -> tuple[IntArray, IntArray]:
    keep = _both_given(first, second)
    index = {label: code for code, label in enumerate(labels)}
    codes = []
    for ratings in (first, second):
        kept = [x for x, given in zip(ratings, keep, strict=True) if given]
        if strange := [x for x in kept if x not in index]:
            raise ValueError(f"rating {strange[0]!r} is none of {tuple(labels)}")
        codes.append(np.array([index[x] for x in kept], dtype=np.int64))  # type: ignore[index]
    return codes[0], codes[1]


def _why_undefined(a: IntArray, b: IntArray) -> str:
    if not len(a):
        return "no unit was rated by both"
    if len(np.union1d(a, b)) == 1:
        return "both raters gave every unit the same rating"
    return ""
