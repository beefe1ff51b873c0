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

from mouse.contracts import TASK_CODES, Outcome, Prediction, Verdict
from mouse.corpus.items import COMPONENTS, INTENTS, OPTION_LETTERS
from mouse.metrics.accuracy import ACCURACY
from mouse.metrics.balanced_accuracy import BALANCED_ACCURACY
from mouse.metrics.copy_rate import COPY_RATE
from mouse.metrics.f1 import F1
from mouse.metrics.judge_coverage import JUDGE_COVERAGE
from mouse.metrics.macro_f1 import MACRO_F1
from mouse.metrics.mcc import MCC
from mouse.metrics.metric import Metric
from mouse.metrics.perfect_rate import PERFECT_RATE
from mouse.metrics.precision import PRECISION
from mouse.metrics.recall import RECALL
from mouse.metrics.score_shares import SCORE_SHARES
from mouse.metrics.sem_acc import SEM_ACC
from mouse.metrics.tables import (
    SCORE_CELLS,
    FloatArray,
    IntArray,
    class_tables,
    score_table,
)

Number = TypeVar("Number", np.int64, np.float64)

HEADLINE: Mapping[str, tuple[str, ...]] = {
    "tr": ("tr/sem_acc", "tr/perfect_rate"),
    "rc": ("rc/bal_acc", "rc/macro_f1"),
    "ir": ("ir/bal_acc", "ir/macro_f1"),
    "td": ("td/acc", "td/f1"),
    "ms": ("ms/acc",),
    "cc": ("cc/acc",),
}
"""The metrics of the paper's Table 3, in its order."""

METRICS_OF: Mapping[str, tuple[Metric, ...]] = {
    "tr": (SEM_ACC, PERFECT_RATE, COPY_RATE, *SCORE_SHARES, JUDGE_COVERAGE),
    "rc": (BALANCED_ACCURACY, MACRO_F1, MCC),
    "ir": (BALANCED_ACCURACY, MACRO_F1, ACCURACY, MCC),
    "td": (ACCURACY, F1, MCC, PRECISION, RECALL),
    "ms": (ACCURACY, MCC),
    "cc": (ACCURACY, MCC),
}


@dataclass(frozen=True)
class Column:
    """One reported number: a metric of one table, or its mean over several (`rc`'s headline)."""

    name: str
    metric: Metric
    tables: tuple[int, ...]


def columns_of(task: str) -> tuple[Column, ...]:
    """Every number that a task reports, headline first."""
    if task != "rc":
        return tuple(Column(f"{task}/{m.name}", m, (0,)) for m in METRICS_OF[task])
    means = [
        Column(f"rc/{m.name}", m, tuple(range(len(COMPONENTS))))
        for m in (BALANCED_ACCURACY, MACRO_F1)
    ]
    each = [
        Column(f"rc/{m.name}_{component}", m, (t,))
        for m in METRICS_OF["rc"]
        for t, component in enumerate(COMPONENTS)
    ]
    return (*means, *each)


def metric_named(name: str) -> Metric:
    """The metric behind a full name such as `td/f1` or `rc/mcc_visual` (direction and unit).

    Raises `KeyError` for a name that no task reports.
    """
    task = name.partition("/")[0]
    for column in columns_of(task) if task in TASK_CODES else ():
        if column.name == name:
            return column.metric
    raise KeyError(name)


def labels_of(task: str, predictions: Sequence[Prediction]) -> tuple[str, ...]:
    """A classification task's labels in fixed order; for options, letters up to the last seen."""
    if task in ("rc", "td"):
        return ("0", "1")
    if task == "ir":
        return INTENTS
    seen = {p.gold for p in predictions} | {
        p.predicted for p in predictions if p.predicted and p.outcome is Outcome.VALID
    }
    last = max((OPTION_LETTERS.find(letter) for letter in seen), default=0)
    return tuple(OPTION_LETTERS[: max(last + 1, 2)])


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
        return columns_of(self.task)

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
        return counts if self.task == "tr" else counts[..., :-1]

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
    if task not in TASK_CODES:
        raise ValueError(f"unknown task {task!r}; the tasks are {', '.join(TASK_CODES)}")
    if task == "tr":
        scores = score_table(predictions, verdicts, clusters)
        return TaskTables(task, scores.cell, scores.cluster, ((SCORE_CELLS,),))
    labels = labels or labels_of(task, predictions)
    tables = class_tables(predictions, labels, clusters, by_variant=task == "rc")
    names = COMPONENTS if task == "rc" else ("",)
    if unknown := set(tables) - set(names):
        raise ValueError(f"{task}: unknown variants {sorted(unknown)}; expected {names}")
    shape = (len(labels), len(labels) + 2)
    parts = [(t, tables[name]) for t, name in enumerate(names) if name in tables]
    return TaskTables(
        task,
        np.concatenate([table.cells + t * shape[0] * shape[1] for t, table in parts])
        if parts
        else np.zeros(0, dtype=np.int64),
        np.concatenate([table.cluster for _, table in parts])
        if parts
        else np.zeros(0, dtype=np.int64),
        (shape,) * len(names),
    )
