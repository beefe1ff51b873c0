"""Balanced accuracy: the mean of the classes' recalls, so that a common class cannot carry it."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import (
    Metric,
    all_invalid,
    all_right,
    answers,
    mean_over_present,
    no_label_warnings,
    ratio,
)
from mouse.metrics.tables import FloatArray, IntArray


def balanced_accuracy(counts: FloatArray) -> float:
    """Mean recall over the classes that occur in gold, in [0, 1].

    A constant answer scores 1/K (0.125 on eight intents, 0.5 on a yes/no question). An invalid
    answer is a miss for its gold class; a class that gold lacks does not enter. NaN without
    answers. Brodersen et al. 2010.
    """
    from sklearn.metrics import balanced_accuracy_score

    gold, predicted, weight = answers(counts)
    if not gold.size:
        return float("nan")
    with no_label_warnings():
        return float(balanced_accuracy_score(gold, predicted, sample_weight=weight))


def balanced_accuracy_from_counts(counts: FloatArray) -> FloatArray:
    """The same from (..., K, K + 1) counts, shape (...)."""
    gold = counts.sum(-1)
    hits = np.diagonal(counts[..., :-1], axis1=-2, axis2=-1)
    return mean_over_present(ratio(hits, gold, 0.0), gold)


def balanced_accuracy_bounds(counts: IntArray) -> tuple[float, float]:
    """Exact bounds: recall rises with every hit, whatever the other rows are."""
    return (
        float(balanced_accuracy_from_counts(all_invalid(counts))),
        float(balanced_accuracy_from_counts(all_right(counts))),
    )


BALANCED_ACCURACY = Metric(
    "bal_acc", balanced_accuracy_from_counts, balanced_accuracy_bounds, balanced_accuracy
)
