"""How far Sem.Acc on a random subset may lie from Sem.Acc on everything (the paper's figure 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SubsetDeviation:
    """|Sem.Acc of the subset - Sem.Acc of all|: observed, and what sampling alone makes of it.

    `median`, `limit`: the middle and the upper end of the deviations that `confidence` of random
    subsets of this size show. `p_value`: share of random subsets that deviate at least as far as
    the observed one; small means that the subset is not like a random one.
    """

    observed: float
    median: float
    limit: float
    p_value: float
    n_subset: int
    n_all: int


def subset_deviation(
    scores: Sequence[int],
    subset: Sequence[int],
    *,
    draws: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> SubsetDeviation:
    """Compare the scores (0, 1, 2) of a subset with those of all items, the subset's included.

    Subsets are drawn without replacement, so a subset of everything cannot deviate. Raises
    `ValueError` where the subset is empty or has a score more often than all items have it.
    """
    everything = np.bincount(np.asarray(scores, dtype=np.int64), minlength=3)
    chosen = np.bincount(np.asarray(subset, dtype=np.int64), minlength=3)
    if len(everything) > 3 or len(chosen) > 3:
        raise ValueError("scores are 0, 1 or 2")
    if not chosen.sum() or (chosen > everything).any():
        raise ValueError("the subset must be part of the items, and not empty")
    n, size = int(everything.sum()), int(chosen.sum())
    weight = np.array([0, 0.5, 1])
    truth = everything @ weight / n
    observed = abs(float(chosen @ weight / size - truth))
    drawn = np.random.default_rng(seed).multivariate_hypergeometric(everything, size, size=draws)
    deviations = np.abs(drawn @ weight / size - truth)
    median, limit = np.quantile(deviations, [0.5, confidence])
    p_value = (1 + int((deviations >= observed - 1e-12).sum())) / (1 + draws)
    return SubsetDeviation(observed, float(median), float(limit), p_value, size, n)
