"""What deviation of a subset's Sem.Acc sampling alone explains."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mouse.metrics.subset import subset_deviation

SCORES = np.repeat([0, 1, 2], [508, 97, 494])


def test_limit_is_that_of_sampling_without_replacement():
    result = subset_deviation(SCORES, SCORES[::8])
    n, size = len(SCORES), len(SCORES[::8])
    error = (SCORES / 2).std(ddof=1) / math.sqrt(size) * math.sqrt(1 - size / n)
    assert result.limit == pytest.approx(1.96 * error, rel=0.05)
    assert result.median == pytest.approx(0.674 * error, rel=0.1)
    assert (result.n_subset, result.n_all) == (size, n)


def test_a_deviation_of_five_points_on_150_items_is_within_sampling():
    """The paper calls 0.05 small; on 150 of 1,099 chance alone gives up to about 0.07."""
    assert 0.06 < subset_deviation(SCORES, SCORES[:: 1099 // 150][:150]).limit < 0.08


def test_everything_cannot_deviate_and_a_picked_subset_shows():
    whole = subset_deviation(SCORES, SCORES)
    assert (whole.observed, whole.limit, whole.p_value) == (0, 0, 1)
    picked = subset_deviation(SCORES, [2] * 150)
    assert picked.observed > 0.5
    assert picked.p_value < 0.001


def test_random_subsets_exceed_the_limit_one_time_in_twenty():
    rng = np.random.default_rng(2)
    over = 0
    for _ in range(600):
        result = subset_deviation(SCORES, rng.choice(SCORES, 150, replace=False), draws=2000)
        over += result.observed > result.limit
    assert 0.03 <= over / 600 <= 0.07


def test_impossible_subsets_are_refused():
    with pytest.raises(ValueError, match="not empty"):
        subset_deviation([0, 1], [])
    with pytest.raises(ValueError, match="part of"):
        subset_deviation([0, 1], [2])
    with pytest.raises(ValueError, match="0, 1 or 2"):
        subset_deviation([0, 3], [0])
