"""What a metric is: a name, a direction and a unit as data, and two functions of counts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mouse.metrics.tables import FloatArray, IntArray

Unit = Literal["share", "coefficient", "count"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One number about a table.

    `point` takes one table's counts, (K, K + 1), and returns the value that is reported: it is
    scikit-learn's. None where there is no such function (translations' scores); then it is
    `from_counts`. `from_counts` takes counts without the failed: (..., K, K + 1) for classes (last column:
    invalid answers) and (..., 7) for scores; leading axes are resamples. It returns (...), NaN
    where the metric is undefined. `bounds` takes one table's counts with the failed, (K, K + 2) or
    (7,), and returns the least and the greatest value that any answers in their place could give.
    """

    name: str
    from_counts: Callable[[FloatArray], FloatArray]
    bounds: Callable[[IntArray], tuple[float, float]]
    point: Callable[[FloatArray], float] | None = None
    unit: Unit = "share"
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Column:
    """One reported number: a metric of one table, or its mean over several (`rc`'s headline)."""

    name: str
    metric: Metric
    tables: tuple[int, ...]


def answers(counts: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """(gold, predicted, weight) of each cell of (K, K + 1) counts that has rows; K is invalid.

    scikit-learn takes cells with weights as it takes rows, so that its cost does not grow with n.
    """
    gold, predicted = np.nonzero(counts)
    return gold, predicted, counts[gold, predicted]


@contextmanager
def no_label_warnings() -> Iterator[None]:
    """Without scikit-learn's warnings of classes that only gold or only the answers have.

    That is how invalid answers come, and how a run with `limit=1` looks; both are as defined here.
    """
    with warnings.catch_warnings():
        for message in ("y_pred contains classes not in y_true", "A single label was found"):
            warnings.filterwarnings("ignore", message=message)
        yield


def ratio(numerator: FloatArray, denominator: FloatArray, empty: float) -> FloatArray:
    """numerator / denominator, and `empty` where the denominator is 0."""
    safe = np.where(denominator > 0, denominator, 1.0)
    return np.where(denominator > 0, numerator / safe, empty)


def mean_over_present(values: FloatArray, present: FloatArray) -> FloatArray:
    """Mean of `values` (..., K) over the classes that occur in gold; NaN where none does."""
    occurs = present > 0
    return ratio(np.where(occurs, values, 0.0).sum(-1), occurs.sum(-1).astype(float), np.nan)


def all_right(counts: IntArray) -> FloatArray:
    """(K, K + 1) counts in which every failed row had been answered with its gold class."""
    complete = counts[:, :-1].astype(np.float64)
    complete[np.diag_indices(len(complete))] += counts[:, -1]
    return complete


def all_invalid(counts: IntArray) -> FloatArray:
    """(K, K + 1) counts in which every failed row had been an invalid answer."""
    complete = counts[:, :-1].astype(np.float64)
    complete[:, -1] += counts[:, -1]
    return complete
