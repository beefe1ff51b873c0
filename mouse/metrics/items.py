"""How hard items are, how well they tell models apart, and the mean of a group of people."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import numpy as np

from mouse.metrics.tables import FloatArray


def item_statistics(right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(items,) share of models right, and discrimination, from (models, items) of 0 and 1.

    Discrimination is the point-biserial correlation of being right on an item with the share right
    on the others (corrected item-total); NaN with fewer than three models or without variance.
    """
    share = right.mean(axis=0)
    if len(right) < 3:
        return share, np.full(right.shape[1], np.nan)
    rest = right.sum(axis=1, keepdims=True) - right
    a, b = right - share, rest - rest.mean(axis=0)
    scale = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    value = np.divide((a * b).sum(axis=0), scale, out=np.full(len(scale), np.nan), where=scale > 0)
    return share, value


def mean_of_people(values: Sequence[float]) -> tuple[float, float, float, float]:
    """(mean, sd, lo, hi) of a share over people, 95% by Student's t and cut to [0, 1].

    `sd` is NaN for one person; the limits are NaN for one, and where all are alike: an interval of
    no width would claim that all people are.
    """
    mean = statistics.fmean(values)
    sd = statistics.stdev(values) if len(values) > 1 else math.nan
    if not sd > 0:
        return mean, sd, math.nan, math.nan
    from scipy.stats import t

    half = float(t.ppf(0.975, len(values) - 1)) * sd / math.sqrt(len(values))
    return mean, sd, max(mean - half, 0.0), min(mean + half, 1.0)
