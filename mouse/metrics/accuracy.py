"""Accuracy: the share of answers that equal the gold class."""

from __future__ import annotations

from functools import partial

import numpy as np

from mouse.metrics.metric import Metric, ratio, scikit_learn
from mouse.metrics.tables import FloatArray


def accuracy_from_counts(counts: FloatArray) -> FloatArray:
    """(...) share of right answers in [0, 1] from (..., K, K + 1); an invalid answer is wrong.

    On balanced classes it equals balanced accuracy. NaN without answers.
    """
    hits = np.trace(counts[..., :-1], axis1=-2, axis2=-1)
    return ratio(hits, counts.sum((-2, -1)), np.nan)


ACCURACY = Metric(
    "acc", accuracy_from_counts, partial(scikit_learn, "accuracy_score"), binomial=True
)
