"""What drawing a sample does to a score by chance: the paper's figure 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mouse.metrics.tables import FloatArray, IntArray

_EXACT_UP_TO = 1500
"""Sample size up to which the distribution of the gap is summed exactly."""


@dataclass(frozen=True)
class SamplingGap:
    """One bar of figure 3: |Sem.Acc on the sample - on all| of the judge's own scores.

    `expected`: mean of the gap over all samples of `n` of `population` drawn without replacement;
    `expected_hi`: what 95% of them do not exceed; `p_value`: share of them with at least this gap.
    A gap below `expected_hi` is what sampling alone does.
    """

    model: str
    n: int
    population: int
    sample: float
    everything: float
    gap: float
    expected: float
    expected_hi: float
    p_value: float
    status: Literal["ok", "by_design"]
    note: str = ""


def sampling_gap(
    model: str,
    sampled: Sequence[int],
    everything: Sequence[int],
    *,
    weights: Sequence[float] | None = None,
) -> SamplingGap:
    """Figure 3 from the judge's scores (0, 1, 2) of the sample and of all, the sample included.

    A simple random sample's scores are multivariate hypergeometric, which gives the expectation
    exactly (above 1,500 sampled: normal approximation with the finite-population correction).
    `weights`: of a sample stratified by these very scores, which has no gap: `by_design`. Raises
    `ValueError` for a sample that cannot be one of `everything`.
    """
    whole = np.bincount(np.asarray(everything, dtype=np.int64), minlength=3)
    part = np.bincount(np.asarray(sampled, dtype=np.int64), minlength=3)
    n, total = int(part.sum()), int(whole.sum())
    if n == 0 or (part > whole).any():
        raise ValueError("the sampled scores are none of a sample of all of them")
    value = np.arange(3) / 2
    all_ = float(whole @ value / total)
    if weights is not None:
        sample = float(np.average(np.asarray(sampled) / 2, weights=weights))
        note, nan = "stratified by the judge's score: no gap by design", float("nan")
        gap = abs(sample - all_)
        return SamplingGap(model, n, total, sample, all_, gap, nan, nan, nan, "by_design", note)
    sample = float(part @ value / n)
    gap = abs(sample - all_)
    if n <= _EXACT_UP_TO:
        gaps, probability = _exact(whole, n, all_)
        # Equal gaps come out of different sums of floats.
        p_value = float(probability[gaps >= gap - 1e-9].sum())
        expected = float(probability @ gaps)
        order = np.argsort(gaps)
        reached = np.cumsum(probability[order]) >= 0.95 - 1e-12
        high = float(gaps[order][np.argmax(reached)])
    else:
        from scipy.special import ndtr, ndtri

        variance = float(whole @ (value - all_) ** 2 / (total - 1)) if total > 1 else 0.0
        error = (variance / n * (1 - n / total)) ** 0.5
        expected, high = error * (2 / np.pi) ** 0.5, error * float(ndtri((1 + 0.95) / 2))
        p_value = float(2 * ndtr(-gap / error)) if error else 1.0
    return SamplingGap(model, n, total, sample, all_, gap, expected, high, min(1.0, p_value), "ok")


def _exact(whole: IntArray, n: int, mean: float) -> tuple[FloatArray, FloatArray]:
    """All gaps that a sample of n can have, and their probabilities."""
    from scipy.stats import multivariate_hypergeom

    ones, twos = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    zeros = n - ones - twos
    possible = (zeros >= 0) & (zeros <= whole[0]) & (ones <= whole[1]) & (twos <= whole[2])
    drawn = np.stack([zeros[possible], ones[possible], twos[possible]], axis=-1)
    gaps = np.abs((drawn[:, 1] / 2 + drawn[:, 2]) / n - mean)
    return gaps, multivariate_hypergeom.pmf(drawn, m=whole, n=n)
