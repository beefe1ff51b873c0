"""Accuracy: the share of answers that equal the gold class."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, all_invalid, all_right, answers, ratio
from mouse.metrics.tables import FloatArray, IntArray


def accuracy(counts: FloatArray) -> float:
    """Share of right answers among those that came, in [0, 1]; an invalid answer is wrong.

    1 is every answer right; on balanced classes it equals balanced accuracy. NaN without answers.
    """
    from sklearn.metrics import accuracy_score

    gold, predicted, weight = answers(counts)
    if not gold.size:
        return float("nan")
    return float(accuracy_score(gold, predicted, sample_weight=weight))


def accuracy_from_counts(counts: FloatArray) -> FloatArray:
    """The same from (..., K, K + 1) counts, shape (...)."""
    hits = np.trace(counts[..., :-1], axis1=-2, axis2=-1)
    return ratio(hits, counts.sum((-2, -1)), np.nan)


def accuracy_bounds(counts: IntArray) -> tuple[float, float]:
    """Exact bounds: every failed row wrong, every failed row right."""
    return (
        float(accuracy_from_counts(all_invalid(counts))),
        float(accuracy_from_counts(all_right(counts))),
    )


ACCURACY = Metric("acc", accuracy_from_counts, accuracy_bounds, accuracy)
