"""Sem.Acc: the mean judge's score of the translations over its maximum, 2 (the paper's headline)."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, ratio
from mouse.metrics.tables import (
    JUDGE_FAILED,
    ONE,
    REQUEST_FAILED,
    TWO,
    ZERO_JUDGED,
    FloatArray,
    IntArray,
)


def scored(counts: FloatArray) -> FloatArray:
    """(...) number of translations that have a score, from (..., 7) counts."""
    return counts[..., : TWO + 1].sum(-1)


def judged_at_all(counts: FloatArray) -> FloatArray:
    """(...) False where the judge failed on every translation that it was asked about."""
    return (counts[..., ZERO_JUDGED : TWO + 1].sum(-1) > 0) | (counts[..., JUDGE_FAILED] == 0)


def share_of(counts: FloatArray, numerator: FloatArray) -> FloatArray:
    """numerator / number of scored translations; NaN where `judged_at_all` is False."""
    return np.where(judged_at_all(counts), ratio(numerator, scored(counts), np.nan), np.nan)


def sem_acc_from_counts(counts: FloatArray) -> FloatArray:
    """mean(score) / 2 in [0, 1], shape (...), from (..., 7) counts.

    Copied and invalid translations score 0, failed ones not at all. At least the perfect rate, and
    equal to it when no score is 1. NaN where nothing was judged though something should have
    been: zeros from invalid answers alone would mislead.
    """
    return share_of(counts, counts[..., TWO] + counts[..., ONE] / 2)


def with_failed_as(counts: IntArray, cell: int) -> FloatArray:
    """(7,) counts in which every failed translation had come out as `cell`."""
    complete = counts.astype(np.float64)
    complete[cell] += counts[JUDGE_FAILED] + counts[REQUEST_FAILED]
    complete[[JUDGE_FAILED, REQUEST_FAILED]] = 0
    return complete


def sem_acc_bounds(counts: IntArray) -> tuple[float, float]:
    """Exact bounds: every failed translation a 0, every one a 2."""
    return (
        float(sem_acc_from_counts(with_failed_as(counts, ZERO_JUDGED))),
        float(sem_acc_from_counts(with_failed_as(counts, TWO))),
    )


SEM_ACC = Metric("sem_acc", sem_acc_from_counts, sem_acc_bounds)
