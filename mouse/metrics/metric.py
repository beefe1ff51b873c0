"""What a metric is: a name, a direction and a unit as data, and a function of counts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mouse.metrics import bounds
from mouse.metrics.tables import FloatArray, IntArray

Unit = Literal["share", "coefficient", "count"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One number about a table.

    `from_counts` takes counts without the failed: (..., K, K + 1) for classes (last column:
    invalid answers) and (..., 7) for scores; leading axes are resamples. It returns (...), NaN
    where the metric is undefined. `point` takes one table's such counts and returns the value that
    is reported, scikit-learn's; None where there is no such function: then it is `from_counts`.
    `own_bounds` takes one table's counts with the failed, (K, K + 2) or (7,), where the general
    search of `mouse.metrics.bounds` would not find the ends or not fast enough.
    """

    name: str
    from_counts: Callable[[FloatArray], FloatArray]
    point: Callable[[FloatArray], float] | None = None
    own_bounds: Callable[[IntArray], tuple[float, float]] | None = None
    unit: Unit = "share"
    higher_is_better: bool = True
    binomial: bool = False
    """Whether it is the share of rows that are right, for which there are exact tests."""
    compares_models: bool = True
    """False where it tells of the judge and not of the model."""
    undefined: str = "no answer came"
    """Why the value may be NaN although answers came."""
    tasks: tuple[str, ...] = ()
    """Codes of the tasks that report it too; for a metric from outside the package."""

    def bounds(self, counts: IntArray) -> tuple[float, float]:
        """Least and greatest value that answers in place of the failed could give."""
        if self.own_bounds is not None:
            return self.own_bounds(counts)
        return bounds.bounds(self.from_counts, counts)


@dataclass(frozen=True, slots=True)
class Column:
    """One reported number: a metric of one table, or its mean over several (`rc`'s headline)."""

    name: str
    metric: Metric
    tables: tuple[int, ...]


def scikit_learn(score: str, counts: FloatArray, **arguments: Any) -> float:
    """A function of `sklearn.metrics` on (K, K + 1) counts; NaN without answers.

    Cells go in with weights, so that the cost does not grow with n. Classes that only gold or only
    the answers have (invalid answers, a run with `limit=1`) are as defined here: no warning.
    """
    import sklearn.metrics

    gold, predicted = np.nonzero(counts)
    if not gold.size:
        return float("nan")
    with warnings.catch_warnings():
        for message in ("y_pred contains classes not in y_true", "A single label was found"):
            warnings.filterwarnings("ignore", message=message)
        weight = counts[gold, predicted]
        return float(
            getattr(sklearn.metrics, score)(gold, predicted, sample_weight=weight, **arguments)
        )


def ratio(numerator: FloatArray, denominator: FloatArray, empty: float) -> FloatArray:
    """numerator / denominator, and `empty` where the denominator is 0."""
    safe = np.where(denominator > 0, denominator, 1.0)
    return np.where(denominator > 0, numerator / safe, empty)


def mean_over_present(values: FloatArray, present: FloatArray) -> FloatArray:
    """Mean of `values` (..., K) over the classes that occur in gold; NaN where none does."""
    occurs = present > 0
    return ratio(np.where(occurs, values, 0.0).sum(-1), occurs.sum(-1).astype(float), np.nan)
