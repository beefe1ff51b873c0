"""What a metric could still come to: its least and greatest value over answers for the failed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mouse.metrics.tables import JUDGE_FAILED, REQUEST_FAILED, ZERO_JUDGED, FloatArray, IntArray

FromCounts = Callable[[FloatArray], FloatArray]


def bounds(from_counts: FromCounts, counts: IntArray) -> tuple[float, float]:
    """(least, greatest) value of a metric, whatever the failed rows might have said.

    `counts`: (K, K + 2) classes or (7,) scores, the failed included. A metric need not be
    monotone, so both ends are searched: from all right, all on one answer and all wrong, blocks of
    failed rows of one gold class move to another answer while that helps, and the block is halved
    down to one row. NaN where the metric is undefined whatever they said.
    """
    if counts.ndim == 1:
        failed, starts = counts[[REQUEST_FAILED, JUDGE_FAILED]], _score_starts()
        base = counts.astype(np.float64)
        base[[REQUEST_FAILED, JUDGE_FAILED]] = 0
        cells = np.eye(starts.shape[-1], len(counts))

        def value(given: FloatArray) -> FloatArray:
            return from_counts(base + given.sum(-2) @ cells)
    else:
        failed, starts = counts[:, -1], _class_starts(len(counts))

        def value(given: FloatArray) -> FloatArray:
            return from_counts(counts[:, :-1] + given)

    if not failed.any():
        only = float(value(np.zeros(starts.shape[1:])))
        return only, only
    fills = [start * failed[:, None] for start in starts]
    allowed = starts.max(0)
    low = -max(_climb(lambda given: -value(given), fill, allowed) for fill in fills)
    high = max(_climb(value, fill, allowed) for fill in fills)
    return (low, high) if low <= high else (float("nan"), float("nan"))


def _class_starts(k: int) -> FloatArray:
    """(starts, K, K + 1) answers for each gold class: all right, all on one answer, all wrong."""
    starts = [np.eye(k, k + 1)]
    for label in range(k + 1):
        start = np.zeros((k, k + 1))
        start[:, label] = 1
        starts.append(start)
        if label < k:
            # All wrong: the label's own failed rows go to the next label instead.
            wrong = start.copy()
            wrong[label, [label, (label + 1) % k]] = 0, 1
            starts.append(wrong)
    return np.array(starts)


def _score_starts() -> FloatArray:
    """(starts, 2, 5) cells for failed requests and failed judgements, which are 0, 1 or 2."""
    ends = np.eye(JUDGE_FAILED)
    return np.array([(request, judged) for request in ends for judged in ends[ZERO_JUDGED:]])


def _climb(value: FromCounts, start: FloatArray, allowed: FloatArray) -> float:
    """Greatest value reachable from `start` by moving rows to allowed answers, -inf if undefined."""
    groups, answers = start.shape
    moves = np.array(
        [
            (g, a, b)
            for g in range(groups)
            for a in range(answers)
            for b in range(answers)
            if a != b and allowed[g, a] and allowed[g, b]
        ]
    )
    group, source, target = moves.T
    index = np.arange(len(moves))
    given = start.copy()
    best = _defined(value(given))
    block = max(1, int(given.sum()))
    while True:
        size = np.minimum(block, given[group, source])
        trial = np.repeat(given[None], len(moves), axis=0)
        trial[index, group, source] -= size
        trial[index, group, target] += size
        values = _defined(value(trial))
        pick = int(np.argmax(values))
        if values[pick] > best + 1e-12:
            given = trial[pick]
            best = values[pick]
        elif block > 1:
            block //= 2
        else:
            return float(best)


def _defined(values: FloatArray) -> FloatArray:
    return np.where(np.isnan(values), -np.inf, values)
