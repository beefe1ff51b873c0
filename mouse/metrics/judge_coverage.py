"""Judge coverage: how many of the translations that needed a judge have a score."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, ratio
from mouse.metrics.tables import JUDGE_FAILED, TWO, ZERO_JUDGED, FloatArray, IntArray


def judge_coverage_from_counts(counts: FloatArray) -> FloatArray:
    """(...) share of valid, uncopied translations with a score; NaN where none needed a judge."""
    judged = counts[..., ZERO_JUDGED : TWO + 1].sum(-1)
    return ratio(judged, judged + counts[..., JUDGE_FAILED], np.nan)


def judge_coverage_bounds(counts: IntArray) -> tuple[float, float]:
    """The value itself, twice: coverage is about the failures, so none of them is open."""
    value = float(judge_coverage_from_counts(counts.astype(np.float64)))
    return value, value


JUDGE_COVERAGE = Metric(
    "judge_coverage",
    judge_coverage_from_counts,
    own_bounds=judge_coverage_bounds,
    compares_models=False,
    undefined="no translation needed a judge",
)
