"""Macro-F1: the mean of the classes' F1, every class weighing the same."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, mean_over_present, ratio, scikit_learn
from mouse.metrics.tables import FloatArray, IntArray


def macro_f1(counts: FloatArray) -> float:
    """Mean F1 over the classes that occur in gold, in [0, 1].

    An invalid answer is a miss for its gold class and never a class of its own; predicting a
    class that gold lacks costs the gold class its hit and adds no zero to the mean. A constant
    answer scores 2πᵢ/(1 + πᵢ)/K with πᵢ the share of the class it names. NaN without answers.
    """
    present = np.flatnonzero(counts.sum(-1))
    return scikit_learn("f1_score", counts, labels=present, average="macro", zero_division=0)


def macro_f1_from_counts(counts: FloatArray) -> FloatArray:
    """The same from (..., K, K + 1) counts, shape (...)."""
    gold = counts.sum(-1)
    named = counts[..., :-1].sum(-2)
    hits = np.diagonal(counts[..., :-1], axis1=-2, axis2=-1)
    return mean_over_present(ratio(2 * hits, gold + named, 0.0), gold)


def macro_f1_bounds(counts: IntArray) -> tuple[float, float]:
    """Exact bounds.

    Best: every failed row right. Worst: every failed row wrong, naming the classes where one more
    false alarm hurts most. With F failed rows, fⱼ of them of class j, class j takes at most F - fⱼ
    false alarms; these limits form a polymatroid and the loss is separable and convex, so taking
    the largest next loss each time is optimal (Federgruen & Groenevelt 1986). A class whose rows
    all failed counts here and not in the value, which may then lie outside.
    """
    failed = counts[:, -1]
    best = float(
        macro_f1_from_counts(counts[:, :-1] + np.eye(*counts[:, :-1].shape) * failed[:, None])
    )
    gold = counts.sum(-1).astype(np.float64)
    present = gold > 0
    if not present.any():
        return float("nan"), best
    named = counts[:, :-2].sum(0).astype(np.float64)
    hits = np.diagonal(counts).astype(np.float64)
    limit = failed.sum() - failed
    added = np.zeros_like(failed)
    for _ in range(int(failed.sum())):
        total = gold + named + added
        loss = np.where(total > 0, 2 * hits / np.maximum(total, 1) / (total + 1), 0.0)
        loss = np.where(present & (added < limit), loss, -1.0)
        hurt = int(np.argmax(loss))
        if loss[hurt] <= 0:
            break
        added[hurt] += 1
    f1 = ratio(2 * hits, gold + named + added, 0.0)
    return float(mean_over_present(f1, gold)), best


MACRO_F1 = Metric("macro_f1", macro_f1_from_counts, macro_f1, macro_f1_bounds)
