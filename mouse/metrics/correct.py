"""Sem.Acc corrected for the judge's errors by a human-rated subset (prediction-powered inference).

The judge rates everything, people a few: the judge's mean plus its error as measured on the
subset, the judge weighing as much as it is worth (PPI++: Angelopoulos, Duchi & Zrnic 2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from mouse.metrics.tables import FloatArray

Key = TypeVar("Key")


@dataclass(frozen=True)
class Corrected:
    """Sem.Acc corrected by people's ratings, over all scored translations, beside the raw one.

    `human_only`: from the ratings alone. `judge_bias`: judge minus people. All in [0, 1] but the
    bias. `n_human` translations were rated; `n_scored` have a score, those that are 0 by rule too.
    """

    value: float
    lo: float
    hi: float
    raw: float
    raw_lo: float
    raw_hi: float
    human_only: float
    judge_bias: float
    n_human: int
    n_scored: int
    status: Literal["ok", "undefined"]
    method: str
    note: str = ""


def ppi_mean(
    human: FloatArray, judge_on_human: FloatArray, judge_on_rest: FloatArray
) -> tuple[float, float, float]:
    """(estimate, standard error, weight λ) of the mean human rating, by PPI++.

    `human`, `judge_on_human`: (n,) ratings of the same units, a simple random subset;
    `judge_on_rest`: (N,) the judge's ratings of the other units. The estimate is
    λ·mean(judge_on_rest) + mean(human - λ·judge_on_human) with the λ of least variance,
    cov(human, judge) / ((1 + n/N)·var(judge)), clipped to [0, 1].
    """
    n, n_rest = len(human), len(judge_on_rest)
    spread = float(np.var(np.concatenate([judge_on_human, judge_on_rest])))
    covariance = float(np.cov(human, judge_on_human, ddof=1)[0, 1])
    weight = 0.0 if spread == 0 else covariance / ((1 + n / n_rest) * spread)
    weight = float(np.clip(weight, 0, 1))
    rectified = human - weight * judge_on_human
    estimate = weight * judge_on_rest.mean() + rectified.mean()
    variance = rectified.var(ddof=1) / n + weight**2 * judge_on_rest.var(ddof=1) / n_rest
    return float(estimate), float(variance**0.5), weight


def stratified_mean(
    human: FloatArray, judge_on_human: FloatArray, judge_on_rest: FloatArray
) -> tuple[float, float]:
    """(estimate, standard error) of the mean human rating where the subset was drawn by judge score.

    People's mean within one judge's score is weighted by the share of that score among all units
    (post-stratification). Raises `ValueError` where people saw no unit of a score.
    """
    everything = np.concatenate([judge_on_human, judge_on_rest])
    means, variances, shares = [], [], []
    for score in np.unique(everything):
        ratings = human[judge_on_human == score]
        if not len(ratings):
            raise ValueError(f"no unit that the judge scored {score:g} was rated by people")
        means.append(ratings.mean())
        # One rating alone shows no spread: take that of all ratings rather than none.
        spread = ratings.var(ddof=1) if len(ratings) > 1 else human.var()
        variances.append(spread / len(ratings))
        shares.append((everything == score).mean())
    m, v, w = np.array(means), np.array(variances), np.array(shares)
    estimate = float(w @ m)
    variance = float((w**2) @ v + w @ (m - estimate) ** 2 / len(everything))
    return estimate, variance**0.5


def corrected_sem_acc(
    human: Mapping[Key, float],
    judge: Mapping[Key, float],
    scored: int | None = None,
    *,
    sampling: Literal["random", "stratified"] = "random",
    confidence: float = 0.95,
) -> Corrected:
    """Judge-corrected Sem.Acc in [0, 1], the raw one beside it.

    `human`: consensus rating (0 to 2) of the units that people rated; `judge`: the judge's (0, 1,
    2) of every unit, those included. `sampling`: how the subset was drawn: simple `random`
    (PPI++) or `stratified` by the judge's score (`stratified_mean`). `scored`: the number of units
    with those that are 0 whoever rates them (None: there are none), which only scale: with p the
    share of judged ones and m their mean, value p·m, variance p²·var(m) + m²·p(1-p)/scored. Where
    people rated every judged unit there is nothing to correct. Intervals are normal ones, for the
    population that the items stand for. Undefined, with a note, with fewer than two rated or two
    unrated units. Raises `ValueError` for a human rating of a unit that the judge did not score.
    """
    from scipy.special import ndtri

    if missing := [key for key in human if key not in judge]:
        raise ValueError(f"unit {missing[0]!r} has a human rating and no judge's score")
    keys = sorted(human, key=str)
    people = np.array([human[key] for key in keys], dtype=float) / 2
    on_human = np.array([judge[key] for key in keys], dtype=float) / 2
    rest = np.array([score for key, score in judge.items() if key not in human], dtype=float) / 2
    n, n_rest, everyone = len(people), len(rest), scored or len(judge)
    mean = error = float("nan")
    method, note = "PPI++ mean, normal interval", ""
    if sampling == "stratified":
        method = "post-stratified by judge's score, normal interval"
    if n > 1 and not n_rest:
        mean, error = _mean(people)
        method = "people rated every judged translation, normal interval"
    elif n < 2 or n_rest < 2:
        note = f"undefined: {n} units rated by people and {n_rest} others; two of each are needed"
    elif sampling == "random":
        mean, error, _ = ppi_mean(people, on_human, rest)
    elif unseen := sorted(set(rest.tolist()) - set(on_human.tolist())):
        note = f"undefined: no unit that the judge scored {unseen[0] * 2:g} was rated by people"
    else:
        mean, error = stratified_mean(people, on_human, rest)
    z, p = float(ndtri((1 + confidence) / 2)), len(judge) / everyone
    raw_mean, raw_error = _mean(np.concatenate([on_human, rest]))
    value, lo, hi = _scaled(mean, error, p, everyone, z)
    raw, raw_lo, raw_hi = _scaled(raw_mean, raw_error, p, everyone, z)
    judge_bias = float((on_human - people).mean()) if n else float("nan")
    human_only = p * float(people.mean()) if n else float("nan")
    if sampling == "stratified":
        # Plain means of a stratified sample are of no population.
        judge_bias, human_only = raw_mean - mean, value
    if p < 1 and not note:
        method += f"; {p:.1%} of the scored translations met the judge, the others are 0"
    return Corrected(
        *(value, lo, hi, raw, raw_lo, raw_hi, human_only, judge_bias),
        *(n, everyone, "undefined" if note else "ok", method, note),
    )


def _mean(values: FloatArray) -> tuple[float, float]:
    """(mean, standard error); NaN without values, error 0 of one."""
    if not len(values):
        return float("nan"), 0.0
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return float(values.mean()), float(error)


def _scaled(mean: float, error: float, p: float, n: int, z: float) -> tuple[float, float, float]:
    """(value, lo, hi) of p·mean where p is a share of n."""
    value = p * mean
    spread = z * (p**2 * error**2 + mean**2 * p * (1 - p) / n) ** 0.5
    if np.isnan(value):
        return value, value, value
    return value, max(0.0, value - spread), min(1.0, value + spread)
