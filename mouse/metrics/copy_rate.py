"""Copy rate: the share of translations that only repeat the original."""

from __future__ import annotations

import numpy as np

from mouse.metrics.metric import Metric, ratio
from mouse.metrics.sem_acc import NO_VERDICT
from mouse.metrics.tables import JUDGE_FAILED, ZERO_COPIED, FloatArray


def copy_rate_from_counts(counts: FloatArray) -> FloatArray:
    """(...) share of answers that are copies, in [0, 1]; the judge need not have spoken."""
    return ratio(counts[..., ZERO_COPIED], counts[..., : JUDGE_FAILED + 1].sum(-1), np.nan)


COPY_RATE = Metric("copy_rate", copy_rate_from_counts, higher_is_better=False, undefined=NO_VERDICT)
