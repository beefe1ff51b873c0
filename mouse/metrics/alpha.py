"""Krippendorff's α: agreement of any number of raters, with gaps, on a nominal or ordinal scale."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mouse.metrics.agreement import Agreement, coefficient, undefined
from mouse.metrics.metric import mean_over_present, ratio
from mouse.metrics.resampling import percentile_interval
from mouse.metrics.tables import FloatArray

Level = Literal["nominal", "ordinal"]


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

    1 is perfect agreement, 0 as chance. The value is the package `krippendorff`'s. Units with
    fewer than two ratings do not count. Where all ratings are equal: undefined, not 1. The
    interval resamples units. Raises `ValueError` on a rating that is not in `values`.
    """
    ratings = np.asarray(ratings, dtype=float)
    given = ratings[~np.isnan(ratings)]
    if strange := sorted(set(given.tolist()) - {float(v) for v in values}):
        raise ValueError(f"rating {strange[0]:g} is none of {tuple(values)}")
    counts = np.stack([(ratings == v).sum(0) for v in values], axis=1).astype(float)
    counts = counts[counts.sum(1) >= 2]
    raw = _raw_agreement(counts)
    n = len(counts)
    if n == 0 or np.count_nonzero(counts.sum(0)) < 2:
        why = "no unit has two ratings" if n == 0 else "all ratings are equal"
        return undefined("alpha", n, raw, why)
    import krippendorff

    value = float(
        krippendorff.alpha(
            reliability_data=ratings, value_domain=list(values), level_of_measurement=level
        )
    )
    replicates = _bootstrap(counts, level, resamples, seed)
    method = f"{level}; percentile bootstrap over {n} units, {resamples} resamples, seed {seed}"
    return coefficient("alpha", value, replicates, n, raw, method, confidence)


def rating_matrix(
    ratings: Iterable[tuple[Hashable, Hashable, float | None]],
    raters: Sequence[Hashable],
    units: Sequence[Hashable],
) -> FloatArray:
    """(raters, units) matrix of (rater, unit, rating); NaN where there is no rating."""
    row = {rater: at for at, rater in enumerate(raters)}
    column = {unit: at for at, unit in enumerate(units)}
    matrix = np.full((len(raters), len(units)), np.nan)
    for rater, unit, rating in ratings:
        if rating is not None:
            matrix[row[rater], column[unit]] = rating
    return matrix


@dataclass(frozen=True)
class RaterAlpha:
    """One rater against the others: α an aspect, and their mean with its 95% interval."""

    units: int
    alphas: dict[str, float]
    mean: float
    lo: float
    hi: float


def rater_alpha(
    matrices: Mapping[str, FloatArray],
    sizes: Mapping[str, int],
    who: int,
    resamples: int,
    seed: int,
) -> RaterAlpha:
    """Nominal two-rater α between a rater and each co-rater of a unit, a unit weighing the same
    however many co-raters it has; near 0 for random answers, under 0 for constant ones.

    `matrices`: aspect → (raters, units) codes 0 … `sizes[aspect]` - 1, NaN where there is none. An
    aspect is NaN where the ratings do not vary; the mean is over the others.
    """
    rated = np.any([~np.isnan(matrix[who]) for matrix in matrices.values()], axis=0)
    n = int(rated.sum())
    nan = float("nan")
    if not n:
        return RaterAlpha(0, dict.fromkeys(matrices, nan), nan, nan, nan)
    # One draw of units for all aspects, so that the mean's interval knows their dependence.
    drawn = np.random.default_rng([seed, who]).multinomial(n, np.full(n, 1 / n), resamples)
    alphas: dict[str, float] = {}
    replicates = []
    for aspect, matrix in matrices.items():
        v = sizes[aspect]
        pairs = _pairs_with_rest(matrix[:, rated], who, v)
        alphas[aspect] = float(alpha_from_coincidences(pairs.sum(0), "nominal"))
        sums = (drawn.astype(float) @ pairs.reshape(n, v * v)).reshape(resamples, v, v)
        replicates.append(alpha_from_coincidences(sums, "nominal"))
    mean = float(_mean_of_defined(np.array(list(alphas.values()))))
    return RaterAlpha(n, alphas, mean, *percentile_interval(_mean_of_defined(np.array(replicates))))


def _pairs_with_rest(matrix: FloatArray, who: int, v: int) -> FloatArray:
    """(units, V, V) symmetric coincidences of the rater with each unit's mean co-rater."""
    given = (matrix[:, :, None] == np.arange(v)).astype(float)
    own, rest = given[who], given.sum(0) - given[who]
    total = rest.sum(1, keepdims=True)
    share = np.divide(rest, total, out=np.zeros_like(own), where=total > 0)
    pairs = own[:, :, None] * share[:, None, :]
    return pairs + pairs.swapaxes(1, 2)


def _mean_of_defined(alphas: FloatArray) -> FloatArray:
    """Mean over the first axis of what is not NaN; NaN where nothing is."""
    last = np.moveaxis(alphas, 0, -1)
    return mean_over_present(last, ~np.isnan(last))


def alpha_from_coincidences(coincidences: FloatArray, level: Level) -> FloatArray:
    """α (...) from (..., V, V) coincidence matrices; NaN where one value alone occurs."""
    marginal = coincidences.sum(-1)
    total = marginal.sum(-1)
    distance = _squared_distance(marginal, level)
    observed = (coincidences * distance).sum((-2, -1))
    expected = (marginal[..., :, None] * marginal[..., None, :] * distance).sum((-2, -1))
    return 1 - ratio(observed * (total - 1), expected, np.nan)


def _squared_distance(marginal: FloatArray, level: Level) -> FloatArray:
    """(..., V, V) squared distance of values; ordinal counts the ratings that lie between."""
    if level == "nominal":
        return 1.0 - np.eye(marginal.shape[-1])
    # Up to and including a value, less half its own: the distance is a difference of these.
    rank = marginal.cumsum(-1) - marginal / 2
    return (rank[..., :, None] - rank[..., None, :]) ** 2


def coincidences(counts: FloatArray) -> FloatArray:
    """(U, V, V) coincidences of each unit from its (U, V) counts of values, all at least two."""
    v = counts.shape[1]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(v)
    return pairs / (counts.sum(1) - 1)[:, None, None]


def _raw_agreement(counts: FloatArray) -> float:
    """Share of rating pairs within units that are equal."""
    pairs = (counts.sum(1) * (counts.sum(1) - 1)).sum()
    return float((counts * (counts - 1)).sum() / pairs) if pairs else float("nan")


def _bootstrap(counts: FloatArray, level: Level, resamples: int, seed: int) -> FloatArray:
    """(resamples,) α over units drawn with replacement; equal units are drawn as one kind."""
    kinds, multiplicity = np.unique(counts, axis=0, return_counts=True)
    v = counts.shape[1]
    n = int(multiplicity.sum())
    drawn = np.random.default_rng(seed).multinomial(n, multiplicity / n, size=resamples)
    flat = drawn.astype(float) @ coincidences(kinds).reshape(len(kinds), v * v)
    return alpha_from_coincidences(flat.reshape(resamples, v, v), level)
