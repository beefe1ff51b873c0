"""What precision, recall and F1 share: they look at one class of a two-class table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mouse.metrics.metric import scikit_learn
from mouse.metrics.tables import FloatArray

POSITIVE = 1
"""Code of the positive class: toxicity's labels are ("0", "1"), and 1 is toxic."""


def of_positive(score: str) -> Callable[[FloatArray], float]:
    """A score of scikit-learn's for class 1 alone, of (2, 3) counts; NaN without answers."""
    return partial(scikit_learn, score, labels=[POSITIVE], average="macro", zero_division=0)


def binary_counts(counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """(TP, FP, FN, all answers), each (...), from (..., 2, 3) counts."""
    if counts.shape[-2] != 2:
        raise ValueError(f"a positive class needs two classes, not {counts.shape[-2]}")
    tp = counts[..., POSITIVE, POSITIVE]
    fp = counts[..., 1 - POSITIVE, POSITIVE]
    return tp, fp, counts[..., POSITIVE, :].sum(-1) - tp, counts.sum((-2, -1))
