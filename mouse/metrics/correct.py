"""Sem.Acc corrected for the judge's errors by a human-rated subset (prediction-powered inference).

The judge rates everything, people a few. The raw score is precise and, if the judge is biased,
precisely wrong; people's mean alone is right and imprecise. The corrected score takes the judge's
mean and adds the judge's error as measured on the subset, the judge weighing as much as it is
worth (PPI++: Angelopoulos, Duchi & Zrnic 2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from mouse.metrics.tables import FloatArray

Key = TypeVar("Key")


@dataclass(frozen=True)
class CorrectedMean:
    """A mean with its interval, and the two estimates that it lies between.

    `weight`: how much the judge counts, 0 (people alone) to 1 (judge, plus its mean error).
    `judge_bias`: judge minus people on the subset. `n_human`, `n_judge`: subset and all the rest.
    """

    value: float
    lo: float
    hi: float
    raw: float
    raw_lo: float
    raw_hi: float
    human_only: float
    judge_bias: float
    weight: float
    n_human: int
    n_judge: int
    status: Literal["ok", "undefined"]
    method: str
    note: str = ""


def ppi_mean(
    human: FloatArray,
    judge_on_human: FloatArray,
    judge_on_rest: FloatArray,
    *,
    weight: float | None = None,
) -> tuple[float, float, float]:
    """(estimate, standard error, weight λ) of the mean human rating, by PPI++.

    `human`, `judge_on_human`: (n,) ratings of the same units, a simple random subset;
    `judge_on_rest`: (N,) the judge's ratings of the other units. The estimate is
    λ·mean(judge_on_rest) + mean(human - λ·judge_on_human); `weight` None takes the λ of least
    variance, cov(human, judge) / ((1 + n/N)·var(judge)), clipped to [0, 1].
    """
    n, n_rest = len(human), len(judge_on_rest)
    if weight is None:
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

    Within one judge's score the rated units are a random sample of all, whatever their number,
    so people's mean there is weighted by the share of that score among all units
    (post-stratification). The error has a part from the people and one from the shares. Raises
    `ValueError` where a score that the judge gave was never shown to people.
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
    *,
    sampling: Literal["random", "stratified"] = "random",
    confidence: float = 0.95,
) -> CorrectedMean:
    """Judge-corrected Sem.Acc in [0, 1], the raw one beside it.

    `human`: consensus rating (0 to 2) of the units that people rated; `judge`: the judge's (0, 1,
    2) of every unit, those included. `sampling`: how the subset was drawn: simple `random`
    (PPI++) or `stratified` by the judge's score (`stratified_mean`). Both intervals are normal
    ones, for the mean over the population that the items stand for. Undefined, with a note, with
    fewer than two rated or two unrated units. Raises `ValueError` for a human rating of a unit
    that the judge did not score.
    """
    from scipy.special import ndtri

    if missing := [key for key in human if key not in judge]:
        raise ValueError(f"unit {missing[0]!r} has a human rating and no judge's score")
    keys = sorted(human, key=str)
    people = np.array([human[key] for key in keys], dtype=float) / 2
    on_human = np.array([judge[key] for key in keys], dtype=float) / 2
    rest = np.array([score for key, score in judge.items() if key not in human], dtype=float) / 2
    everything = np.concatenate([on_human, rest])
    n, n_rest = len(people), len(rest)
    z = float(ndtri((1 + confidence) / 2))
    raw = float(everything.mean()) if len(everything) else float("nan")
    raw_error = float(everything.std(ddof=1) / len(everything) ** 0.5) if len(everything) > 1 else 0
    value = error = weight = float("nan")
    note = ""
    if n < 2 or n_rest < 2:
        note = f"undefined: {n} units rated by people and {n_rest} others; two of each are needed"
    elif sampling == "random":
        value, error, weight = ppi_mean(people, on_human, rest)
    elif unseen := sorted(set(rest.tolist()) - set(on_human.tolist())):
        note = f"undefined: no unit that the judge scored {unseen[0] * 2:g} was rated by people"
    else:
        value, error = stratified_mean(people, on_human, rest)
    return CorrectedMean(
        value=value,
        lo=value - z * error,
        hi=value + z * error,
        raw=raw,
        raw_lo=raw - z * raw_error,
        raw_hi=raw + z * raw_error,
        human_only=float(people.mean()) if n else float("nan"),
        judge_bias=float((on_human - people).mean()) if n else float("nan"),
        weight=weight,
        n_human=n,
        n_judge=n_rest,
        status="undefined" if note else "ok",
        method="PPI++ mean, normal interval"
        if sampling == "random"
        else "post-stratified by judge's score, normal interval",
        note=note,
    )
