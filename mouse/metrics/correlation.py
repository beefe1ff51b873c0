"""How two numbers go together over models: Pearson's and Spearman's correlation, and a line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mouse.metrics.tables import FloatArray


@dataclass(frozen=True)
class Correlation:
    """`r` is Pearson's with its 95% interval by Fisher's z, `rho` Spearman's; all NaN where one
    side is the same for all models."""

    n: int
    r: float = math.nan
    lo: float = math.nan
    hi: float = math.nan
    p_value: float = math.nan
    rho: float = math.nan
    rho_p_value: float = math.nan


def correlation(x: Sequence[float], y: Sequence[float]) -> Correlation:
    """The correlation of at least four pairs; p values are two-sided and single."""
    from scipy.stats import pearsonr, spearmanr

    if len(set(x)) < 2 or len(set(y)) < 2:
        return Correlation(len(x))
    r, rho = pearsonr(x, y), spearmanr(x, y)
    low, high = r.confidence_interval(0.95)
    numbers = (r.statistic, low, high, r.pvalue, rho.statistic, rho.pvalue)
    return Correlation(len(x), *map(float, numbers))


@dataclass(frozen=True)
class LineFit:
    """Least squares of a score on log10 of a size.

    `slope`: score for a tenfold of the size, `lo`, `hi` its 95% interval (Student's t with n - 2
    degrees of freedom). `r`: Pearson's correlation on log10 of the size, `r_linear` on the size
    itself. `grid`, `line`, `band_lo`, `band_hi`: sizes and scores to be drawn.
    """

    n: int
    slope: float
    lo: float
    hi: float
    r: float
    r_linear: float
    grid: FloatArray
    line: FloatArray
    band_lo: FloatArray
    band_hi: FloatArray


def fit_log_line(points: Sequence[tuple[float, float]]) -> LineFit | None:
    """The line through (size, score); None for fewer than three sizes, which have no error."""
    if len({size for size, _ in points}) < 3:
        return None
    from scipy.stats import linregress, pearsonr, t

    sizes = np.array([size for size, _ in points])
    x = np.log10(sizes)
    y = np.array([value for _, value in points])
    n, found = len(x), linregress(x, y)
    away = np.linspace(x.min(), x.max(), 60) - x.mean()
    line = y.mean() + found.slope * away
    quantile = float(t.ppf(0.975, n - 2))
    # The error of the mean at the centre is that of the slope, turned by the spread of x.
    half = quantile * found.stderr * np.hypot(x.std(), away)
    constant = bool(np.ptp(y) == 0)
    return LineFit(
        n,
        float(found.slope),
        float(found.slope - quantile * found.stderr),
        float(found.slope + quantile * found.stderr),
        math.nan if constant else float(found.rvalue),
        math.nan if constant else float(pearsonr(sizes, y).statistic),
        10 ** (away + x.mean()),
        line,
        line - half,
        line + half,
    )
