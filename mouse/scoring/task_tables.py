"""Which metrics a task reports, and its predictions as the one vector of cells they all read.

The three questions of `rc` are three tables about the same expressions; laid end to end in one
vector they are resampled together, so that the mean over the three gets its true interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mouse.contracts import Outcome, Prediction, Verdict
from mouse.metrics.metric import Column, Metric
from mouse.metrics.tables import (
    SCORE_CELLS,
    FloatArray,
    IntArray,
    class_tables,
    score_table,
)
from mouse.tasks.registry import all_tasks, get_task

Number = TypeVar("Number", np.int64, np.float64)


def metric_named(name: str) -> Metric:
    """The metric behind a full name such as `td/f1` or `rc/mcc_visual` (direction and unit).

    Raises `KeyError` for a name that no task reports.
    """
    task = all_tasks().get(name.partition("/")[0])
    for column in task.columns if task else ():
        if column.name == name:
            return column.metric
    raise KeyError(name)


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
        """Concatenated counts (..., n_cells) → one array (..., *shape) a table."""
        parts, start = [], 0
        for shape in self.shapes:
            size = int(np.prod(shape))
            parts.append(counts[..., start : start + size].reshape(*counts.shape[:-1], *shape))
            start += size
        return parts

    def answered(self, counts: FloatArray) -> FloatArray:
        """What `Metric.from_counts` takes: score counts as they are, classes less the failed."""
        return counts if get_task(self.task).judged else counts[..., :-1]

    def evaluate(self, column: Column, parts: Sequence[FloatArray]) -> FloatArray:
        """(...) the column's value on split counts; a table without any row is left out."""
        present = [t for t in column.tables if self._has_rows[t]]
        if not present:
            return np.full(parts[0].shape[: parts[0].ndim - len(self.shapes[0])], np.nan)
        values = [column.metric.from_counts(self.answered(parts[t])) for t in present]
        return values[0] if len(values) == 1 else np.mean(values, axis=0)

    def point(self, column: Column, parts: Sequence[FloatArray]) -> float:
        """The column's reported value on one sample's split counts: scikit-learn's where it has one."""
        metric = column.metric
        if metric.point is None:
            return float(self.evaluate(column, parts))
        present = [t for t in column.tables if self._has_rows[t]]
        if not present:
            return float("nan")
        return float(np.mean([metric.point(self.answered(parts[t])) for t in present]))

    def bounds(self, column: Column) -> tuple[float, float]:
        """Least and greatest value that answers in place of the failed could give."""
        parts = self.split(self.counts)
        pairs = [column.metric.bounds(parts[t]) for t in column.tables if self._has_rows[t]]
        if not pairs:
            return float("nan"), float("nan")
        low, high = np.mean(pairs, axis=0)
        return float(low), float(high)

    @property
    def _has_rows(self) -> list[bool]:
        return [bool(part.any()) for part in self.split(self.counts)]


def task_tables(
    task: str,
    predictions: Sequence[Prediction],
    verdicts: Sequence[Verdict],
    clusters: Mapping[str, str],
    labels: tuple[str, ...] | None = None,
) -> TaskTables:
    """The tables of one task; `labels` only where several models must share one shape. Raises `ValueError` for an unknown task, variant or label."""
    variants = get_task(task).variants
    if get_task(task).judged:
        scores = score_table(predictions, verdicts, clusters)
        return TaskTables(task, scores.cell, scores.cluster, ((SCORE_CELLS,),))
    labels = labels or labels_of(task, predictions)
    tables = class_tables(predictions, labels, clusters, by_variant=variants != ("",))
    if unknown := set(tables) - set(variants):
        raise ValueError(f"{task}: unknown variants {sorted(unknown)}; expected {variants}")
    shape = (len(labels), len(labels) + 2)
    parts = [(t, tables[name]) for t, name in enumerate(variants) if name in tables]
    return TaskTables(
        task,
        np.concatenate([table.cells + t * shape[0] * shape[1] for t, table in parts])
        if parts
        else np.zeros(0, dtype=np.int64),
        np.concatenate([table.cluster for _, table in parts])
        if parts
        else np.zeros(0, dtype=np.int64),
        (shape,) * len(variants),
    )
