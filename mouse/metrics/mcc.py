"""Matthews correlation coefficient: the correlation of gold and predicted classes."""

from __future__ import annotations

from functools import partial

import numpy as np

from mouse.metrics.metric import Metric, ratio, scikit_learn
from mouse.metrics.tables import FloatArray


def mcc_from_counts(counts: FloatArray) -> FloatArray:
    """(...) R_K of Gorodkin (2004) in [-1, 1] from (..., K, K + 1): 1 perfect, 0 as chance.

    For two classes the φ coefficient. Invalid answers count as one extra predicted label. 0 where
    gold or predictions are constant, as in sklearn, even when they agree. NaN without answers.
    """
    total = counts.sum((-2, -1))
    hits = np.trace(counts[..., :-1], axis1=-2, axis2=-1)
    gold = counts.sum(-1)
    named = counts.sum(-2)
    covariance = hits * total - (gold * named[..., :-1]).sum(-1)
    spread = (total**2 - (gold**2).sum(-1)) * (total**2 - (named**2).sum(-1))
    value = ratio(covariance, np.sqrt(np.maximum(spread, 0.0)), 0.0)
    return np.where(total > 0, value, np.nan)


MCC = Metric("mcc", mcc_from_counts, partial(scikit_learn, "matthews_corrcoef"), unit="coefficient")
