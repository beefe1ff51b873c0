"""Balanced accuracy: the mean of the classes' recalls, so that a common class cannot carry it."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, mean_over_present, ratio, scikit_learn
from mouse.metrics.tables import FloatArray


def balanced_accuracy(counts: FloatArray) -> float:
    """Mean recall over the classes that occur in gold, in [0, 1].

    A constant answer scores 1/K (0.125 on eight intents, 0.5 on a yes/no question). An invalid
    answer is a miss for its gold class; a class that gold lacks does not enter. NaN without
    answers. Brodersen et al. 2010.
    """
    return scikit_learn("balanced_accuracy_score", counts)


def balanced_accuracy_from_counts(counts: FloatArray) -> FloatArray:
    """The same from (..., K, K + 1) counts, shape (...)."""
    gold = counts.sum(-1)
    hits = np.diagonal(counts[..., :-1], axis1=-2, axis2=-1)
    return mean_over_present(ratio(hits, gold, 0.0), gold)


BALANCED_ACCURACY = Metric("bal_acc", balanced_accuracy_from_counts, balanced_accuracy)
