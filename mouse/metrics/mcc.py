"""Matthews correlation coefficient: the correlation of gold and predicted classes."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, all_right, answers, no_label_warnings, ratio
from mouse.metrics.tables import FloatArray, IntArray


def mcc(counts: FloatArray) -> float:
    """R_K of Gorodkin (2004) in [-1, 1]: 1 perfect, 0 as chance, for two classes the φ coefficient.

    Invalid answers count as one extra predicted label. 0 where gold or predictions are constant,
    as in sklearn, even when they agree. NaN without answers.
    """
    from sklearn.metrics import matthews_corrcoef

    gold, predicted, weight = answers(counts)
    if not gold.size:
        return float("nan")
    with no_label_warnings():
        return float(matthews_corrcoef(gold, predicted, sample_weight=weight))


def mcc_from_counts(counts: FloatArray) -> FloatArray:
    """The same from (..., K, K + 1) counts, shape (...)."""
    total = counts.sum((-2, -1))
    hits = np.trace(counts[..., :-1], axis1=-2, axis2=-1)
    gold = counts.sum(-1)
    named = counts.sum(-2)
    covariance = hits * total - (gold * named[..., :-1]).sum(-1)
    spread = (total**2 - (gold**2).sum(-1)) * (total**2 - (named**2).sum(-1))
    value = ratio(covariance, np.sqrt(np.maximum(spread, 0.0)), 0.0)
    return np.where(total > 0, value, np.nan)


def mcc_bounds(counts: IntArray) -> tuple[float, float]:
    """Bounds found by optimising what the failed rows might have said.

    MCC is not monotone in every count, so both ends are searched: from all right, all invalid and
    all on one label, move blocks of failed rows (of one gold class) from one answer to another
    while that helps, halving the block down to one row. The ends are values that some answers
    reach; `tests/metrics/test_mcc.py` holds them against all assignments of small tables.
    """
    failed = counts[:, -1]
    base = counts[:, :-1].astype(np.float64)
    if not counts.any():
        return float("nan"), float("nan")
    if not failed.any():
        value = float(mcc_from_counts(base))
        return value, value
    k = len(failed)
    starts = [all_right(counts) - base]
    for label in range(k + 1):
        start = np.zeros((k, k + 1))
        start[:, label] = failed
        starts.append(start)
        if label < k:
            # All wrong: the label's own failed rows go to the next label instead.
            wrong = start.copy()
            wrong[label, label] = 0
            wrong[label, (label + 1) % k] += failed[label]
            starts.append(wrong)
    low = min(_search(base, start, -1.0) for start in starts)
    high = max(_search(base, start, 1.0) for start in starts)
    return low, high


def _search(base: FloatArray, start: FloatArray, sign: float) -> float:
    """Best MCC reachable from `start` by moving rows; `sign` -1 minimises."""
    k, columns = base.shape
    moves = np.array(
        [(g, a, b) for g in range(k) for a in range(columns) for b in range(columns) if a != b]
    )
    gold, source, target = moves.T
    index = np.arange(len(moves))
    given = start.copy()
    value = float(mcc_from_counts(base + given))
    block = max(1, int(given.sum()))
    while True:
        size = np.minimum(block, given[gold, source])
        trial = np.broadcast_to(base + given, (len(moves), k, columns)).copy()
        trial[index, gold, source] -= size
        trial[index, gold, target] += size
        values = mcc_from_counts(trial)
        pick = int(np.argmax(sign * values))
        if sign * (values[pick] - value) > 1e-12:
            given[gold[pick], source[pick]] -= size[pick]
            given[gold[pick], target[pick]] += size[pick]
            value = float(values[pick])
        elif block > 1:
            block //= 2
        else:
            return value


MCC = Metric("mcc", mcc_from_counts, mcc_bounds, mcc, unit="coefficient")
