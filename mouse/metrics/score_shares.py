"""What lies beside a translation score: its histogram, the copy rate, the judge's coverage."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mouse.metrics.metric import Metric, ratio
from mouse.metrics.sem_acc import scored, share_of, with_failed_as
from mouse.metrics.tables import (
    JUDGE_FAILED,
    ONE,
    REQUEST_FAILED,
    TWO,
    ZERO_COPIED,
    ZERO_INVALID,
    ZERO_JUDGED,
    FloatArray,
    IntArray,
)

_CELLS_OF_SCORE = {0: (ZERO_INVALID, ZERO_COPIED, ZERO_JUDGED), 1: (ONE,), 2: (TWO,)}


def _score_share(score: int) -> Callable[[FloatArray], FloatArray]:
    cells = list(_CELLS_OF_SCORE[score])
    return lambda counts: share_of(counts, counts[..., cells].sum(-1))


def _score_share_bounds(score: int) -> Callable[[IntArray], tuple[float, float]]:
    share = _score_share(score)
    other = ONE if score != 1 else ZERO_JUDGED

    def bounds(counts: IntArray) -> tuple[float, float]:
        return (
            float(share(with_failed_as(counts, other))),
            float(share(with_failed_as(counts, _CELLS_OF_SCORE[score][-1]))),
        )

    return bounds


def copy_rate_from_counts(counts: FloatArray) -> FloatArray:
    """(...) share of answers that only repeated the original; the judge need not have spoken."""
    return ratio(counts[..., ZERO_COPIED], scored(counts) + counts[..., JUDGE_FAILED], np.nan)


def copy_rate_bounds(counts: IntArray) -> tuple[float, float]:
    """Exact bounds (least, greatest): no failed request, or every one, would have been a copy."""
    failed = int(counts[REQUEST_FAILED])
    total = int(counts.sum())
    if total == 0:
        return float("nan"), float("nan")
    copied = int(counts[ZERO_COPIED])
    return copied / total, (copied + failed) / total


def judge_coverage_from_counts(counts: FloatArray) -> FloatArray:
    """(...) share of valid, uncopied translations with a score; NaN where none needed a judge."""
    judged = counts[..., ZERO_JUDGED : TWO + 1].sum(-1)
    return ratio(judged, judged + counts[..., JUDGE_FAILED], np.nan)


def _judge_coverage_bounds(counts: IntArray) -> tuple[float, float]:
    value = float(judge_coverage_from_counts(counts.astype(np.float64)))
    return value, value


SCORE_SHARES = tuple(
    Metric(
        f"score_{score}",
        _score_share(score),
        _score_share_bounds(score),
        higher_is_better=score > 0,
    )
    for score in (0, 1, 2)
)
COPY_RATE = Metric("copy_rate", copy_rate_from_counts, copy_rate_bounds, higher_is_better=False)
JUDGE_COVERAGE = Metric("judge_coverage", judge_coverage_from_counts, _judge_coverage_bounds)
