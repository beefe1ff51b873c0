"""Balanced accuracy: the mean of the classes' recalls, so that a common class cannot carry it."""

from __future__ import annotations

from functools import partial

import numpy as np

from mouse.metrics.metric import Metric, mean_over_present, ratio, scikit_learn
from mouse.metrics.tables import FloatArray


def balanced_accuracy_from_counts(counts: FloatArray) -> FloatArray:
    """(...) mean recall in [0, 1] over the classes that occur in gold, from (..., K, K + 1).

    A constant answer scores 1/K. An invalid answer is a miss for its gold class. NaN without
    answers. Brodersen et al. 2010.
    """
    hits = np.diagonal(counts[..., :-1], axis1=-2, axis2=-1)
    gold = counts.sum(-1)
    return mean_over_present(ratio(hits, gold, 0.0), gold)


BALANCED_ACCURACY = Metric(
    "bal_acc", balanced_accuracy_from_counts, partial(scikit_learn, "balanced_accuracy_score")
)
