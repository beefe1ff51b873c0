"""Sem.Acc: the mean judge's score of the translations over its maximum, 2 (the paper's headline)."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, ratio
from mouse.metrics.tables import JUDGE_FAILED, ONE, TWO, ZERO_JUDGED, FloatArray


def share_of_scored(counts: FloatArray, numerator: FloatArray) -> FloatArray:
    """numerator / number of translations that have a score, (...), from (..., 7) counts.

    NaN where the judge failed on every translation that it was asked about: zeros from invalid
    answers alone would mislead.
    """
    judged = (counts[..., ZERO_JUDGED : TWO + 1].sum(-1) > 0) | (counts[..., JUDGE_FAILED] == 0)
    return np.where(judged, ratio(numerator, counts[..., : TWO + 1].sum(-1), np.nan), np.nan)


def sem_acc_from_counts(counts: FloatArray) -> FloatArray:
    """mean(score) / 2 in [0, 1], shape (...), from (..., 7) counts.

    Copied and invalid translations score 0, failed ones not at all. At least the perfect rate, and
    equal to it when no score is 1. NaN as `share_of_scored`.
    """
    return share_of_scored(counts, counts[..., TWO] + counts[..., ONE] / 2)


NO_VERDICT = "no translation has a verdict"

SEM_ACC = Metric("sem_acc", sem_acc_from_counts, undefined=NO_VERDICT)
