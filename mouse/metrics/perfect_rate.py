"""Perfect rate: the share of translations that the judge scored 2."""

from __future__ import annotations

from mouse.metrics.metric import Metric
from mouse.metrics.sem_acc import NO_VERDICT, share_of_scored
from mouse.metrics.tables import TWO, FloatArray


def perfect_rate_from_counts(counts: FloatArray) -> FloatArray:
    """Share of score 2 in [0, 1], never above Sem.Acc, from (..., 7) counts; NaN as for Sem.Acc."""
    return share_of_scored(counts, counts[..., TWO])


PERFECT_RATE = Metric("perfect_rate", perfect_rate_from_counts, binomial=True, undefined=NO_VERDICT)
