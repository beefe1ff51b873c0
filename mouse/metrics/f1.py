"""F1 of the positive class: the harmonic mean of its precision and recall (toxicity's headline)."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, ratio
from mouse.metrics.positive_class import binary_counts, of_positive
from mouse.metrics.tables import FloatArray


def f1_from_counts(counts: FloatArray) -> FloatArray:
    """(...) 2TP / (2TP + FP + FN) of class 1 in [0, 1] from (..., 2, 3); NaN without answers.

    An invalid answer to a positive item is a false negative, to a negative item nothing. 0 where
    nothing positive was there or found (sklearn's `zero_division=0`).
    """
    tp, fp, fn, total = binary_counts(counts)
    return np.where(total > 0, ratio(2 * tp, 2 * tp + fp + fn, 0.0), np.nan)


F1 = Metric("f1", f1_from_counts, of_positive("f1_score"))
