"""Perfect rate: the share of translations that the judge scored 2."""

from __future__ import annotations

from mouse.metrics.metric import Metric
from mouse.metrics.sem_acc import share_of, with_failed_as
from mouse.metrics.tables import TWO, ZERO_JUDGED, FloatArray, IntArray


def perfect_rate_from_counts(counts: FloatArray) -> FloatArray:
    """Share of score 2 in [0, 1], never above Sem.Acc, from (..., 7) counts; NaN as for Sem.Acc."""
    return share_of(counts, counts[..., TWO])


def perfect_rate_bounds(counts: IntArray) -> tuple[float, float]:
    """Exact bounds: no failed translation perfect, every one perfect."""
    return (
        float(perfect_rate_from_counts(with_failed_as(counts, ZERO_JUDGED))),
        float(perfect_rate_from_counts(with_failed_as(counts, TWO))),
    )


PERFECT_RATE = Metric("perfect_rate", perfect_rate_from_counts, perfect_rate_bounds)
