"""Precision: how many of the answers that name the positive class are right."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, ratio
from mouse.metrics.positive_class import binary_counts, of_positive
from mouse.metrics.tables import FloatArray


def precision_from_counts(counts: FloatArray) -> FloatArray:
    """(...) TP / (TP + FP) in [0, 1] from (..., 2, 3); 0 where nothing was called positive."""
    tp, fp, _, total = binary_counts(counts)
    return np.where(total > 0, ratio(tp, tp + fp, 0.0), np.nan)


PRECISION = Metric("precision", precision_from_counts, of_positive("precision_score"))
