"""Recall: how many items of the positive class are named so."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, ratio
from mouse.metrics.positive_class import binary_counts, of_positive
from mouse.metrics.tables import FloatArray


def recall_from_counts(counts: FloatArray) -> FloatArray:
    """(...) TP / (TP + FN) in [0, 1] from (..., 2, 3); 0 where gold has no positive."""
    tp, _, fn, total = binary_counts(counts)
    return np.where(total > 0, ratio(tp, tp + fn, 0.0), np.nan)


RECALL = Metric("recall", recall_from_counts, of_positive("recall_score"))
