"""Accuracy: the share of answers that equal the gold class."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, ratio, scikit_learn
from mouse.metrics.tables import FloatArray


def accuracy(counts: FloatArray) -> float:
    """Share of right answers among those that came, in [0, 1]; an invalid answer is wrong.

    1 is every answer right; on balanced classes it equals balanced accuracy. NaN without answers.
    """
    return scikit_learn("accuracy_score", counts)


def accuracy_from_counts(counts: FloatArray) -> FloatArray:
    """The same from (..., K, K + 1) counts, shape (...)."""
    hits = np.trace(counts[..., :-1], axis1=-2, axis2=-1)
    return ratio(hits, counts.sum((-2, -1)), np.nan)


ACCURACY = Metric("acc", accuracy_from_counts, accuracy, binomial=True)
