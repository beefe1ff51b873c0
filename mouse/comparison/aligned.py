"""Several models' answers to the same rows, row beside row, as paired statistics need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mouse.contracts import Prediction
from mouse.metrics.paired import PairedMetric, PairedRows
from mouse.metrics.resampling import cluster_kinds
from mouse.metrics.tables import JUDGE_FAILED, SCORE_OF_CELL
from mouse.scoring.result import Answers
from mouse.scoring.task_tables import TaskTables, labels_of, task_tables
from mouse.tasks.registry import get_task

RowKey = tuple[str, str, int]
"""(item id, variant, repeat): what makes two predictions a pair."""


@dataclass(frozen=True, eq=False)
class Aligned:
    """The rows that every model answered.

    `tables`: one a model, rows in one common order. `unpaired`: per model, its rows that some
    other model lacks. `failed`: rows left out because a model (or its judge) failed on them.
    """

    rows: PairedRows
    tables: tuple[TaskTables, ...]
    unpaired: Mapping[str, tuple[RowKey, ...]]
    failed: tuple[RowKey, ...]

    def metrics(self, names: Sequence[str] | None = None) -> list[PairedMetric]:
        """The task's metrics of these full names; None: all that compare models.

        Raises `ValueError` for a name that the task does not have.
        """
        tables = self.tables[0]
        known = {column.name: column for column in tables.columns}
        if names is None:
            names = [name for name, column in known.items() if column.metric.compares_models]
        if unknown := [name for name in names if name not in known]:
            raise ValueError(
                f"{tables.task} has no metric {unknown[0]!r}; it has {', '.join(known)}"
            )
        return [
            PairedMetric(
                name,
                lambda counts, column=known[name]: tables.evaluate(column, tables.split(counts)),  # type: ignore[misc]
                self._right() if known[name].metric.binomial else None,
                known[name].metric.higher_is_better,
            )
            for name in names
        ]

    def _right(self) -> NDArray[np.bool_]:
        """(M, n) `marks.is_right` of each model's answers, from their cells."""
        cells = self.rows.cells
        if get_task(self.tables[0].task).judged:
            return SCORE_OF_CELL[cells] == 2
        rows, columns = self.tables[0].shapes[0]
        cell = cells % (rows * columns)
        return cell // columns == cell % columns


def align(task: str, runs: Mapping[str, Answers], clusters: Mapping[str, str]) -> Aligned:
    """Pair the models' rows by item, variant and repeat; what has no partner is returned.

    Raises `ValueError` on fewer than two models, on a row that a model has twice, and where two
    models were asked the same row with different gold labels (not the same data).
    """
    if len(runs) < 2:
        raise ValueError("a comparison needs at least two models")
    by_key = {name: _by_key(name, answers.predictions) for name, answers in runs.items()}
    first, *others = by_key.values()
    common = [key for key in first if all(key in other for other in others)]
    # Tables of variants lie end to end; in this order their rows are those of `common`.
    place = {variant: index for index, variant in enumerate(get_task(task).variants)}
    common.sort(key=lambda key: place.get(key[1], -1))
    for name, rows in by_key.items():
        for key in common:
            if rows[key].gold != first[key].gold:
                raise ValueError(
                    f"{name}: item {key[0]} has gold {rows[key].gold!r}, elsewhere "
                    f"{first[key].gold!r}; the runs are not on the same data"
                )
    chosen = set(common)
    paired = {name: [rows[key] for key in common] for name, rows in by_key.items()}
    labels = None
    if not get_task(task).judged:
        labels = labels_of(task, [p for rows in paired.values() for p in rows])
    tables = [
        task_tables(task, paired[name], runs[name].verdicts, clusters, labels) for name in runs
    ]
    keep = ~np.any([_failed(table) for table in tables], axis=0)
    kept = [replace(t, cells=t.cells[keep], cluster=t.cluster[keep]) for t in tables]
    width = tables[0].n_cells
    kinds = cluster_kinds(
        np.concatenate([t.cells + m * width for m, t in enumerate(kept)]),
        np.tile(kept[0].cluster, len(kept)),
        width * len(kept),
    )
    return Aligned(
        PairedRows(tuple(runs), np.array([t.cells for t in kept]), kinds),
        tuple(kept),
        {name: tuple(k for k in rows if k not in chosen) for name, rows in by_key.items()},
        tuple(key for key, kept_row in zip(common, keep, strict=True) if not kept_row),
    )


def _by_key(name: str, predictions: Sequence[Prediction]) -> dict[RowKey, Prediction]:
    rows: dict[RowKey, Prediction] = {}
    for prediction in predictions:
        key = row_key(prediction)
        if key in rows:
            raise ValueError(f"{name}: item {key[0]}, variant {key[1]!r}, repeat {key[2]} twice")
        rows[key] = prediction
    return rows


def row_key(prediction: Prediction) -> RowKey:
    return prediction.item_id, prediction.variant, prediction.repeat


def _failed(table: TaskTables) -> NDArray[np.bool_]:
    if get_task(table.task).judged:
        return table.cells >= JUDGE_FAILED
    columns = table.shapes[0][1]
    return table.cells % columns == columns - 1
