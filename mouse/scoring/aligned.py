"""Several models' answers to the same items, row beside row, as paired statistics need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mouse.contracts import Prediction
from mouse.metrics.resampling import ClusterKinds, cluster_kinds
from mouse.metrics.tables import JUDGE_FAILED, SCORE_OF_CELL, FloatArray
from mouse.scoring.result import Answers
from mouse.scoring.task_tables import TaskTables, labels_of, task_tables
from mouse.tasks.registry import get_task

RowKey = tuple[str, str, int]
"""(item id, variant, repeat): what makes two predictions a pair."""


@dataclass(frozen=True, eq=False)
class Aligned:
    """The rows that every model answered.

    `tables`: one a model, rows in one common order. `kinds`: clusters grouped by what all models
    said, counts (U, M · C). `unpaired`: per model, its rows that some other model lacks.
    `failed`: rows left out because at least one model (or its judge) failed on them.
    """

    names: tuple[str, ...]
    tables: tuple[TaskTables, ...]
    kinds: ClusterKinds
    unpaired: Mapping[str, tuple[RowKey, ...]]
    failed: tuple[RowKey, ...]

    @property
    def n_rows(self) -> int:
        return len(self.tables[0].cells)

    @property
    def independent(self) -> bool:
        """Whether every row is a cluster of its own, as exact binomial tests require."""
        return self.kinds.n_clusters == self.n_rows

    def model_counts(self, counts: FloatArray) -> list[FloatArray]:
        """(..., M · C) counts → one (..., C) a model."""
        return list(np.moveaxis(counts.reshape(*counts.shape[:-1], len(self.names), -1), -2, 0))

    def right(self, model: int) -> NDArray[np.bool_]:
        """(n_rows,) `marks.is_right` of the model's answers, from their cells."""
        table = self.tables[model]
        if get_task(table.task).judged:
            return SCORE_OF_CELL[table.cells] == 2
        rows, columns = table.shapes[0]
        cell = table.cells % (rows * columns)
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
    # The tables of the variants lie end to end; in this order their rows are those of `common`.
    variants = get_task(task).variants
    common.sort(key=lambda key: variants.index(key[1]) if key[1] in variants else -1)
    for name, rows in by_key.items():
        for key in common:
            if rows[key].gold != first[key].gold:
                raise ValueError(
                    f"{name}: item {key[0]} has gold {rows[key].gold!r}, elsewhere "
                    f"{first[key].gold!r}; the runs are not on the same data"
                )
    chosen = set(common)
    unpaired = {n: tuple(k for k in rows if k not in chosen) for n, rows in by_key.items()}
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
        tuple(runs),
        tuple(kept),
        kinds,
        unpaired,
        tuple(key for key, kept_row in zip(common, keep, strict=True) if not kept_row),
    )


def _by_key(name: str, predictions: Sequence[Prediction]) -> dict[RowKey, Prediction]:
    rows: dict[RowKey, Prediction] = {}
    for prediction in predictions:
        key = (prediction.item_id, prediction.variant, prediction.repeat)
        if key in rows:
            raise ValueError(f"{name}: item {key[0]}, variant {key[1]!r}, repeat {key[2]} twice")
        rows[key] = prediction
    return rows


def _failed(table: TaskTables) -> NDArray[np.bool_]:
    if get_task(table.task).judged:
        return table.cells >= JUDGE_FAILED
    columns = table.shapes[0][1]
    return table.cells % columns == columns - 1
