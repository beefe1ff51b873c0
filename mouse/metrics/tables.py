"""Predictions as integer tables: what every metric and every resampling reads.

A table holds one row a prediction and knows three things a plain label vector cannot say: that
an answer was no label (`INVALID`), that there was no answer (`FAILED`), and which rows share a
Chouxiang expression (`cluster`, the unit over which intervals are resampled). Metrics of
classification read `ClassTable.counts`, metrics of translation `ScoreTable.counts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mouse.contracts import Outcome, Prediction, Verdict

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

INVALID = -1
"""Predicted code of an answer that is no label: a miss for its gold class."""
FAILED = -2
"""Predicted code (or score) where there was no answer: enters no value, only its bounds."""

# Cells of a ScoreTable; a score's own name says why it is what it is.
ZERO_INVALID, ZERO_COPIED, ZERO_JUDGED, ONE, TWO, JUDGE_FAILED, REQUEST_FAILED = range(7)
SCORE_CELLS = 7
SCORE_OF_CELL = np.array([0, 0, 0, 1, 2, FAILED, FAILED], dtype=np.int64)
"""Cell → 0, 1, 2, or `FAILED` where the request or the judge failed."""


@dataclass(frozen=True, eq=False)
class ClassTable:
    """Gold and predicted classes of one sub-task.

    `labels`: the K classes in a fixed order. `gold`: (n,) codes 0 to K-1. `predicted`: (n,) codes
    0 to K-1, `INVALID` or `FAILED`. `cluster`: (n,) codes ≥ 0; equal codes share an expression.
    """

    labels: tuple[str, ...]
    gold: IntArray
    predicted: IntArray
    cluster: IntArray
    variant: str = ""

    def __post_init__(self) -> None:
        k = len(self.labels)
        if not (self.gold.shape == self.predicted.shape == self.cluster.shape):
            raise ValueError("gold, predicted and cluster must have one length")
        if self.gold.size and (self.gold.min() < 0 or self.gold.max() >= k):
            raise ValueError(f"gold codes must lie in 0..{k - 1}")
        if self.predicted.size and (self.predicted.min() < FAILED or self.predicted.max() >= k):
            raise ValueError(f"predicted codes must lie in {FAILED}..{k - 1}")

    @property
    def cells(self) -> IntArray:
        """(n,) index of each row in the flattened (K, K + 2) matrix of `counts`."""
        k = len(self.labels)
        # -1 (invalid) becomes column K and -2 (failed) column K + 1.
        column = np.where(self.predicted >= 0, self.predicted, k - 1 - self.predicted)
        return self.gold * (k + 2) + column

    @property
    def counts(self) -> IntArray:
        """(K, K + 2) confusion counts: a row a gold class; K labels, then invalid, then failed."""
        k = len(self.labels)
        return np.bincount(self.cells, minlength=k * (k + 2)).reshape(k, k + 2).astype(np.int64)


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Translations as cells: `cell` (n,) in 0..6 (`ZERO_INVALID` … `REQUEST_FAILED`)."""

    cell: IntArray
    cluster: IntArray

    @property
    def counts(self) -> IntArray:
        """(7,) number of translations in each cell."""
        return np.bincount(self.cell, minlength=SCORE_CELLS).astype(np.int64)

    @property
    def score(self) -> IntArray:
        """(n,) 0, 1, 2, or `FAILED` where the request or the judge failed."""
        return SCORE_OF_CELL[self.cell]

    @property
    def copied(self) -> NDArray[np.bool_]:
        """(n,) whether the translation only repeated the original."""
        return self.cell == ZERO_COPIED


def cluster_codes(predictions: Sequence[Prediction], clusters: Mapping[str, str]) -> dict[str, int]:
    """Item id → integer code of its cluster; an item that `clusters` lacks stands alone."""
    codes: dict[str, int] = {}
    by_item: dict[str, int] = {}
    for prediction in predictions:
        item = prediction.item_id
        if item not in by_item:
            by_item[item] = codes.setdefault(clusters.get(item, item), len(codes))
    return by_item


def class_tables(
    predictions: Sequence[Prediction],
    labels: Sequence[str],
    clusters: Mapping[str, str],
    *,
    by_variant: bool,
) -> dict[str, ClassTable]:
    """One table a variant (or a single one, under ""), all with the same cluster codes.

    Raises `ValueError` where a gold label, or the label of a valid prediction, is not in `labels`:
    the reader of answers promises labels, so anything else is a bug there.
    """
    index = {label: code for code, label in enumerate(labels)}
    codes = cluster_codes(predictions, clusters)
    rows: dict[str, tuple[list[int], list[int], list[int]]] = {}
    for prediction in predictions:
        variant = prediction.variant if by_variant else ""
        gold, predicted, cluster = rows.setdefault(variant, ([], [], []))
        if prediction.gold not in index:
            raise ValueError(
                f"item {prediction.item_id}: gold label {prediction.gold!r} is none of {labels}"
            )
        gold.append(index[prediction.gold])
        predicted.append(_predicted_code(prediction, index))
        cluster.append(codes[prediction.item_id])
    return {
        variant: ClassTable(
            tuple(labels),
            np.asarray(gold, dtype=np.int64),
            np.asarray(predicted, dtype=np.int64),
            np.asarray(cluster, dtype=np.int64),
            variant,
        )
        for variant, (gold, predicted, cluster) in rows.items()
    }


def _predicted_code(prediction: Prediction, index: Mapping[str, int]) -> int:
    if prediction.outcome is Outcome.FAILED:
        return FAILED
    if prediction.outcome is not Outcome.VALID:
        return INVALID
    if prediction.predicted is None or prediction.predicted not in index:
        raise ValueError(
            f"item {prediction.item_id}: a valid prediction {prediction.predicted!r} "
            f"is none of {tuple(index)}"
        )
    return index[prediction.predicted]


def score_table(
    predictions: Sequence[Prediction],
    verdicts: Sequence[Verdict],
    clusters: Mapping[str, str],
) -> ScoreTable:
    """Translations with their verdicts, paired by item and repeat.

    A valid translation without a verdict, or with a failed one, is `JUDGE_FAILED`, never a 0.
    Raises `ValueError` on two verdicts for one translation: reduce a panel first.
    """
    by_key: dict[tuple[str, int], Verdict] = {}
    for verdict in verdicts:
        key = (verdict.item_id, verdict.repeat)
        if key in by_key:
            raise ValueError(
                f"item {verdict.item_id}, repeat {verdict.repeat}: two verdicts "
                f"({by_key[key].judge}, {verdict.judge}); reduce a panel to one first"
            )
        by_key[key] = verdict
    codes = cluster_codes(predictions, clusters)
    cells = [score_cell(p, by_key.get((p.item_id, p.repeat))) for p in predictions]
    return ScoreTable(
        np.asarray(cells, dtype=np.int64),
        np.asarray([codes[p.item_id] for p in predictions], dtype=np.int64),
    )


def score_cell(prediction: Prediction, verdict: Verdict | None) -> int:
    """The cell of one translation (`ZERO_INVALID` … `REQUEST_FAILED`)."""
    outcome = prediction.outcome
    if outcome is Outcome.FAILED:
        return REQUEST_FAILED
    if outcome is Outcome.COPIED or (verdict is not None and verdict.status == "copied"):
        return ZERO_COPIED
    if outcome is not Outcome.VALID:
        return ZERO_INVALID
    if verdict is None or verdict.score is None:
        return JUDGE_FAILED
    if verdict.status == "invalid_answer":
        return ZERO_INVALID
    if verdict.score not in (0, 1, 2):
        raise ValueError(f"item {verdict.item_id}: score {verdict.score!r} is none of 0, 1, 2")
    return (ZERO_JUDGED, ONE, TWO)[verdict.score]
