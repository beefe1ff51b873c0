"""How often each gold label was answered in which way, kinds of unusable answers included."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from mouse.metrics.tables import IntArray


def confusion_counts(
    pairs: Iterable[tuple[str, Hashable]], rows: Sequence[str], columns: Sequence[Hashable]
) -> IntArray:
    """(rows, columns) number of (gold, answer) pairs; an answer of None is not counted."""
    row = {label: index for index, label in enumerate(rows)}
    column = {answer: index for index, answer in enumerate(columns)}
    matrix = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for gold, answer in pairs:
        if answer is not None:
            matrix[row[gold], column[answer]] += 1
    return matrix
