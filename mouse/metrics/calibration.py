"""Whether answers are right as often as their probability says (reliability, ECE, Brier score)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mouse.metrics.resampling import percentile_interval
from mouse.metrics.tables import FloatArray, IntArray

BINS = 10
RESAMPLES = 1000


@dataclass(frozen=True)
class Calibration:
    """`overconfidence`: mean probability minus share right, `lo` and `hi` its 95% interval."""

    n: int
    mean_probability: float
    share_right: float
    overconfidence: float
    lo: float
    hi: float
    error: float
    brier: float


def calibration(curve: FloatArray) -> Calibration:
    """`curve`: (n, 2) probability of the answer given, and whether it was right (0 or 1); n ≥ 1.

    The interval of the overconfidence is a bootstrap over answers.
    """
    gap = curve[:, 0] - curve[:, 1]
    draws = np.random.default_rng(0).integers(0, len(curve), (RESAMPLES, len(curve)))
    lo, hi = percentile_interval(gap[draws].mean(axis=1))
    sure, right = (float(v) for v in curve.mean(axis=0))
    error, brier = calibration_error(curve), float((gap**2).mean())
    return Calibration(len(curve), sure, right, float(gap.mean()), lo, hi, error, brier)


def calibration_error(curve: FloatArray) -> float:
    """Expected calibration error in ten equal bins: mean |share right - mean probability|.

    0 is perfect. Its expectation is above 0 even for a calibrated model of finite n. Source: Guo
    et al. 2017, On Calibration of Modern Neural Networks.
    """
    bins = _bins(curve)
    gaps = [abs(float((curve[bins == b, 1] - curve[bins == b, 0]).sum())) for b in range(BINS)]
    return sum(gaps) / len(curve)


def reliability(curve: FloatArray, least: int) -> FloatArray:
    """(bins, 2) mean probability and share right of each bin with at least `least` answers."""
    bins = _bins(curve)
    means = [curve[bins == b].mean(axis=0) for b in range(BINS) if (bins == b).sum() >= least]
    return np.array(means).reshape(-1, 2)


def _bins(curve: FloatArray) -> IntArray:
    return np.clip((curve[:, 0] * BINS).astype(int), 0, BINS - 1)
