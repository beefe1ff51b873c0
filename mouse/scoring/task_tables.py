"""A task's predictions as the one vector of cells that all its metrics read.

The three questions of `rc` are three tables about the same expressions; laid end to end in one
vector they are resampled together, so that the mean over the three gets its true interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mouse.contracts import Outcome, Prediction, Verdict
from mouse.metrics.metric import Column
from mouse.metrics.tables import (
    JUDGE_FAILED,
    SCORE_CELLS,
    ZERO_JUDGED,
    FloatArray,
    IntArray,
    class_cells,
    cluster_codes,
    score_cells,
)
from mouse.tasks.registry import get_task

Number = TypeVar("Number", np.int64, np.float64)


def labels_of(task: str, predictions: Sequence[Prediction]) -> tuple[str, ...]:
    """A classification task's labels in fixed order; for options, letters up to the last seen."""
    seen = {p.gold for p in predictions} | {
        p.predicted for p in predictions if p.predicted and p.outcome is Outcome.VALID
    }
    return get_task(task).table_labels(seen)


@dataclass(frozen=True, eq=False)
class TaskTables:
    """A task's rows: `cells` (n,) in the concatenated counts of all tables, `cluster` (n,).

    `shapes`: the counts shape of each table: (7,) for scores, (K, K + 2) for classes.
    """

    task: str
    cells: IntArray
    cluster: IntArray
    shapes: tuple[tuple[int, ...], ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        return get_task(self.task).columns

    @property
    def n_cells(self) -> int:
        return sum(int(np.prod(shape)) for shape in self.shapes)

    @property
    def counts(self) -> IntArray:
        """(n_cells,) counts of the whole sample."""
        return np.bincount(self.cells, minlength=self.n_cells).astype(np.int64)

    def split(self, counts: NDArray[Number]) -> list[NDArray[Number]]:
        """Concatenated counts (..., n_cells) → one view (..., *shape) a table."""
        parts, start = [], 0
        for shape in self.shapes:
            size = int(np.prod(shape))
            parts.append(counts[..., start : start + size].reshape(*counts.shape[:-1], *shape))
            start += size
        return parts

    def answered(self, counts: NDArray[Number]) -> NDArray[Number]:
        """What `Metric.from_counts` takes: score counts as they are, classes less the failed."""
        return counts if self._scores else counts[..., :-1]

    def n_answered(self, column: Column) -> int:
        """Number of answers that came, over the column's tables."""
        end = JUDGE_FAILED if self._scores else None
        return sum(int(self.answered(self._parts[t])[..., :end].sum()) for t in column.tables)

    def valid_only(self) -> list[FloatArray]:
        """Split counts in which only valid answers are left (copies are not valid)."""
        parts = self.split(self.counts.astype(np.float64))
        for part in parts:
            if self._scores:
                part[:ZERO_JUDGED] = 0
            else:
                part[:, -2:] = 0
        return parts

    def evaluate(self, column: Column, parts: Sequence[FloatArray]) -> FloatArray:
        """(...) the column's value on split counts; a table without any row is left out."""
        values = [column.metric.from_counts(self.answered(parts[t])) for t in self._present(column)]
        if not values:
            return np.full(parts[0].shape[: parts[0].ndim - len(self.shapes[0])], np.nan)
        return values[0] if len(values) == 1 else np.mean(values, axis=0)

    def point(self, column: Column, parts: Sequence[FloatArray]) -> float:
        """The column's reported value on one sample's split counts: scikit-learn's where it has one."""
        point = column.metric.point
        if point is None:
            return float(self.evaluate(column, parts))
        values = [point(self.answered(parts[t])) for t in self._present(column)]
        return float(np.mean(values)) if values else float("nan")

    def bounds(self, column: Column) -> tuple[float, float]:
        """Least and greatest value that answers in place of the failed could give."""
        pairs = [column.metric.bounds(self._parts[t]) for t in self._present(column)]
        low, high = np.mean(pairs, axis=0) if pairs else (np.nan, np.nan)
        return float(low), float(high)

    @property
    def _scores(self) -> bool:
        return len(self.shapes[0]) == 1

    @cached_property
    def _parts(self) -> list[IntArray]:
        return self.split(self.counts)

    def _present(self, column: Column) -> list[int]:
        return [t for t in column.tables if self._parts[t].any()]


def task_tables(
    task: str,
    predictions: Sequence[Prediction],
    verdicts: Sequence[Verdict],
    clusters: Mapping[str, str],
    labels: tuple[str, ...] | None = None,
) -> TaskTables:
    """The tables of one task; `labels` only where several models must share one shape.

    Raises `ValueError` for an unknown task, variant or label.
    """
    cluster = cluster_codes(predictions, clusters)
    if get_task(task).judged:
        return TaskTables(task, score_cells(predictions, verdicts), cluster, ((SCORE_CELLS,),))
    variants = get_task(task).variants
    number = {variant: t for t, variant in enumerate(variants)}
    if unknown := {p.variant for p in predictions if len(variants) > 1} - set(variants):
        raise ValueError(f"{task}: unknown variants {sorted(unknown)}; expected {variants}")
    labels = labels or labels_of(task, predictions)
    shape = (len(labels), len(labels) + 2)
    table = np.array([number.get(p.variant, 0) for p in predictions], dtype=np.int64)
    order = np.argsort(table, kind="stable")
    cells = class_cells(predictions, labels) + table * shape[0] * shape[1]
    return TaskTables(task, cells[order], cluster[order], (shape,) * len(variants))
