"""Krippendorff's α: agreement of any number of raters, with gaps, on a nominal or ordinal scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from mouse.metrics.agreement import Agreement, landis_koch
from mouse.metrics.metric import ratio
from mouse.metrics.resampling import percentile_interval
from mouse.metrics.tables import FloatArray

Level = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(
    ratings: FloatArray,
    *,
    values: Sequence[float] = (0, 1, 2),
    level: Level = "ordinal",
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Agreement:
    """α of (raters, units) ratings, NaN where a rater left a unit out (Krippendorff 2019).

    1 is perfect agreement, 0 as chance, negative systematic disagreement; with two raters, no gap
    and many units close to the kappa of the same weights. The value is the package
    `krippendorff`'s. Units with fewer than two ratings hold no pair and do not count (`n` is the
    others). Where all ratings are equal nothing can be compared: undefined, not 1. The interval
    resamples units. Raises `ValueError` on a rating that is not in `values`.
    """
    ratings = np.asarray(ratings, dtype=float)
    given = ratings[~np.isnan(ratings)]
    if strange := sorted(set(given.tolist()) - {float(v) for v in values}):
        raise ValueError(f"rating {strange[0]:g} is none of {tuple(values)}")
    counts = np.stack([(ratings == v).sum(0) for v in values], axis=1).astype(float)
    counts = counts[counts.sum(1) >= 2]
    raw = _raw_agreement(counts)
    n = len(counts)
    nan = float("nan")
    if n == 0 or np.count_nonzero(counts.sum(0)) < 2:
        why = "no unit has two ratings" if n == 0 else "all ratings are equal"
        return Agreement("alpha", nan, nan, nan, n, raw, "undefined", note=f"undefined: {why}")
    import krippendorff

    value = float(
        krippendorff.alpha(
            reliability_data=ratings, value_domain=list(values), level_of_measurement=level
        )
    )
    replicates = _bootstrap(counts, values, level, resamples, seed)
    low, high = percentile_interval(replicates, confidence)
    undefined = int(np.isnan(replicates).sum())
    return Agreement(
        "alpha",
        value,
        low,
        high,
        n,
        raw,
        "ok",
        band=landis_koch(value),
        method=f"{level}; percentile bootstrap over {n} units, {resamples} resamples, seed {seed}",
        note=f"{undefined} resamples without variation were left out" if undefined else "",
    )


def alpha_from_coincidences(
    coincidences: FloatArray, values: Sequence[float], level: Level
) -> FloatArray:
    """α (...) from (..., V, V) coincidence matrices; NaN where one value alone occurs."""
    marginal = coincidences.sum(-1)
    total = marginal.sum(-1)
    distance = _squared_distance(marginal, values, level)
    observed = (coincidences * distance).sum((-2, -1))
    expected = (marginal[..., :, None] * marginal[..., None, :] * distance).sum((-2, -1))
    return 1 - ratio(observed * (total - 1), expected, np.nan)


def _squared_distance(marginal: FloatArray, values: Sequence[float], level: Level) -> FloatArray:
    """(..., V, V) squared distance of values; ordinal counts the ratings that lie between."""
    v = len(values)
    if level == "nominal":
        return 1.0 - np.eye(v)
    if level == "interval":
        return np.subtract.outer(np.asarray(values, float), np.asarray(values, float)) ** 2
    # Up to and including a value, less half its own: the distance is a difference of these.
    rank = marginal.cumsum(-1) - marginal / 2
    return (rank[..., :, None] - rank[..., None, :]) ** 2


def _coincidences(counts: FloatArray) -> FloatArray:
    """(U, V, V) coincidences of each unit from its (U, V) counts of values, all at least two."""
    v = counts.shape[1]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(v)
    return pairs / (counts.sum(1) - 1)[:, None, None]


def _raw_agreement(counts: FloatArray) -> float:
    """Share of rating pairs within units that are equal."""
    pairs = (counts.sum(1) * (counts.sum(1) - 1)).sum()
    return float((counts * (counts - 1)).sum() / pairs) if pairs else float("nan")


def _bootstrap(
    counts: FloatArray, values: Sequence[float], level: Level, resamples: int, seed: int
) -> FloatArray:
    """(resamples,) α over units drawn with replacement; equal units are drawn as one kind."""
    kinds, multiplicity = np.unique(counts, axis=0, return_counts=True)
    v = counts.shape[1]
    n = int(multiplicity.sum())
    drawn = np.random.default_rng(seed).multinomial(n, multiplicity / n, size=resamples)
    flat = drawn.astype(float) @ _coincidences(kinds).reshape(len(kinds), v * v)
    return alpha_from_coincidences(flat.reshape(resamples, v, v), values, level)
