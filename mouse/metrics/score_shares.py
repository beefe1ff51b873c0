"""The histogram of translation scores: the shares of 0, 1 and 2."""

from __future__ import annotations

from collections.abc import Callable

from mouse.metrics.metric import Metric
from mouse.metrics.sem_acc import NO_VERDICT, share_of_scored
from mouse.metrics.tables import ONE, TWO, ZERO_COPIED, ZERO_INVALID, ZERO_JUDGED, FloatArray

_CELLS_OF_SCORE = {0: [ZERO_INVALID, ZERO_COPIED, ZERO_JUDGED], 1: [ONE], 2: [TWO]}


def _score_share(score: int) -> Callable[[FloatArray], FloatArray]:
    cells = _CELLS_OF_SCORE[score]
    return lambda counts: share_of_scored(counts, counts[..., cells].sum(-1))


SCORE_SHARES = tuple(
    Metric(f"score_{score}", _score_share(score), higher_is_better=score > 0, undefined=NO_VERDICT)
    for score in (0, 1, 2)
)
"""Shares in [0, 1] that add up to 1, NaN as Sem.Acc; copies and invalid answers are zeros."""
