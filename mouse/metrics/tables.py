"""Predictions as cells of integer tables: what every metric and every resampling reads.

A table of K classes is (K, K + 2) counts: a row a gold class; K columns of predicted classes, then
answers that are no label (invalid: a miss for the gold class), then no answers (failed: they enter
no value, only its bounds). A table of translations is 7 counts, `ZERO_INVALID` … `REQUEST_FAILED`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mouse.contracts import Outcome, Prediction, Verdict

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

# Cells of a table of translations; a score's own name says why it is what it is.
ZERO_INVALID, ZERO_COPIED, ZERO_JUDGED, ONE, TWO, JUDGE_FAILED, REQUEST_FAILED = range(7)
SCORE_CELLS = 7
SCORE_OF_CELL = np.array([0, 0, 0, 1, 2, -1, -1], dtype=np.int64)
"""Cell → 0, 1, 2, or -1 where the request or the judge failed."""


def cluster_codes(predictions: Sequence[Prediction], clusters: Mapping[str, str]) -> IntArray:
    """(n,) codes of the predictions' clusters; an item that `clusters` lacks stands alone.

    Equal codes share a Chouxiang expression, the unit over which intervals are resampled.
    """
    codes: dict[str, int] = {}
    names = [clusters.get(prediction.item_id, prediction.item_id) for prediction in predictions]
    return np.array([codes.setdefault(name, len(codes)) for name in names], dtype=np.int64)


def class_cells(predictions: Sequence[Prediction], labels: Sequence[str]) -> IntArray:
    """(n,) index of each prediction in the flattened (K, K + 2) table.

    Raises `ValueError` where a gold label, or the label of a valid prediction, is not in `labels`:
    the reader of answers promises labels, so anything else is a bug there.
    """
    index = {label: code for code, label in enumerate(labels)}
    cells = []
    for prediction in predictions:
        if prediction.gold not in index:
            raise ValueError(
                f"item {prediction.item_id}: gold label {prediction.gold!r} is none of {labels}"
            )
        column = len(labels) + (prediction.outcome is Outcome.FAILED)
        if prediction.outcome is Outcome.VALID:
            if prediction.predicted not in index:
                raise ValueError(
                    f"item {prediction.item_id}: a valid prediction {prediction.predicted!r} "
                    f"is none of {tuple(index)}"
                )
            column = index[prediction.predicted]
        cells.append(index[prediction.gold] * (len(labels) + 2) + column)
    return np.array(cells, dtype=np.int64)


def score_cells(predictions: Sequence[Prediction], verdicts: Sequence[Verdict]) -> IntArray:
    """(n,) cells of translations, paired with their verdicts by item and repeat.

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
    cells = [score_cell(p, by_key.get((p.item_id, p.repeat))) for p in predictions]
    return np.array(cells, dtype=np.int64)


def score_cell(prediction: Prediction, verdict: Verdict | None) -> int:
    """The cell of one translation; a valid one without a verdict is `JUDGE_FAILED`, never a 0."""
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
