"""Precision and recall of the positive class, and the TP, FP, FN they and F1 are made of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mouse.metrics.metric import Metric, all_right, answers, ratio
from mouse.metrics.tables import FloatArray, IntArray

POSITIVE = 1
"""Code of the positive class: toxicity's labels are ("0", "1"), and 1 is toxic."""


def precision(counts: FloatArray) -> float:
    """TP / (TP + FP) in [0, 1]; 0 where nothing was called positive, NaN without answers."""
    from sklearn.metrics import precision_score

    return of_positive(precision_score, counts)


def recall(counts: FloatArray) -> float:
    """TP / (TP + FN) in [0, 1]; 0 where gold has no positive, NaN without answers."""
    from sklearn.metrics import recall_score

    return of_positive(recall_score, counts)


def of_positive(score: Callable[..., float], counts: FloatArray) -> float:
    """A scikit-learn score of class 1 alone, from (2, 3) counts; NaN without answers."""
    gold, predicted, weight = answers(counts)
    if not gold.size:
        return float("nan")
    return float(
        score(
            gold,
            predicted,
            labels=[POSITIVE],
            average="macro",
            zero_division=0,
            sample_weight=weight,
        )
    )


def binary_counts(
    counts: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """(TP, FP, FN, all answers), each (...), from (..., 2, 3) counts."""
    if counts.shape[-2] != 2:
        raise ValueError(f"a positive class needs two classes, not {counts.shape[-2]}")
    tp = counts[..., POSITIVE, POSITIVE]
    fp = counts[..., 1 - POSITIVE, POSITIVE]
    return tp, fp, counts[..., POSITIVE, :].sum(-1) - tp, counts.sum((-2, -1))


def precision_from_counts(counts: FloatArray) -> FloatArray:
    """Precision from (..., 2, 3) counts, shape (...)."""
    tp, fp, _, total = binary_counts(counts)
    return np.where(total > 0, ratio(tp, tp + fp, 0.0), np.nan)


def recall_from_counts(counts: FloatArray) -> FloatArray:
    """Recall from (..., 2, 3) counts, shape (...)."""
    tp, _, fn, total = binary_counts(counts)
    return np.where(total > 0, ratio(tp, tp + fn, 0.0), np.nan)


def worst_and_best(
    metric: Callable[[FloatArray], FloatArray], counts: IntArray
) -> tuple[float, float]:
    """Bounds of a metric that rises with TP and falls with FP and FN: all wrong, all right."""
    worst = counts[:, :-1].astype(np.float64)
    worst[1 - POSITIVE, POSITIVE] += counts[1 - POSITIVE, -1]
    worst[POSITIVE, 1 - POSITIVE] += counts[POSITIVE, -1]
    return float(metric(worst)), float(metric(all_right(counts)))


def precision_bounds(counts: IntArray) -> tuple[float, float]:
    """Exact bounds of precision."""
    return worst_and_best(precision_from_counts, counts)


def recall_bounds(counts: IntArray) -> tuple[float, float]:
    """Exact bounds of recall."""
    return worst_and_best(recall_from_counts, counts)


PRECISION = Metric("precision", precision_from_counts, precision_bounds, precision)
RECALL = Metric("recall", recall_from_counts, recall_bounds, recall)
