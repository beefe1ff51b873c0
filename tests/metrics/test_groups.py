"""Two groups of items: the interval and the test agree with scipy, and clusters count once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mouse.metrics.groups import group_difference


def two_groups(seed=0, n=300, gap=0.15):
    rng = np.random.default_rng(seed)
    member = rng.random(n) < 0.45
    scores = (rng.random(n) < 0.4 + gap * member) / 1.0
    return scores, member


def test_p_value_agrees_with_scipys_permutation_test():
    from scipy.stats import permutation_test

    scores, member = two_groups(seed=4, gap=0.1)
    result = group_difference(scores, member)
    theirs = permutation_test(
        (scores[member], scores[~member]),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        n_resamples=9999,
        rng=np.random.default_rng(1),
    ).pvalue
    assert 0.001 < theirs < 0.9
    assert result.p_value == pytest.approx(theirs, abs=4 * math.sqrt(theirs / 10_000) + 0.002)


def test_interval_agrees_with_scipys_two_sample_bootstrap():
    from scipy.stats import bootstrap

    scores, member = two_groups()
    result = group_difference(scores, member)
    theirs = bootstrap(
        (scores[member], scores[~member]),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        method="percentile",
        n_resamples=9999,
        rng=np.random.default_rng(1),
    ).confidence_interval
    width = theirs.high - theirs.low
    assert (result.lo, result.hi) == pytest.approx((theirs.low, theirs.high), abs=0.05 * width)
    assert result.difference == pytest.approx(scores[member].mean() - scores[~member].mean())


def test_doubled_rows_in_clusters_are_no_new_evidence():
    scores, member = two_groups(gap=0.1)
    once = group_difference(scores, member)
    names = [f"i{i}" for i in range(300)] * 2
    doubled = group_difference(np.tile(scores, 2), np.tile(member, 2), clusters=names)
    assert doubled.p_value == pytest.approx(once.p_value, abs=0.02)
    assert doubled.hi - doubled.lo == pytest.approx(once.hi - once.lo, rel=0.05)
    assert doubled.n_in == 2 * once.n_in


def test_false_positive_rate_is_that_of_the_level():
    p = np.array(
        [
            group_difference(
                *two_groups(seed=s, n=100, gap=0), resamples=2, permutations=199
            ).p_value
            for s in range(1500)
        ]
    )
    assert 0.03 <= (p <= 0.05).mean() <= 0.055


def test_a_group_of_one_is_undefined_and_unequal_lengths_are_refused():
    result = group_difference([1, 0, 1], [True, False, False])
    assert (result.status, result.mean_in, result.mean_out) == ("undefined", 1.0, 0.5)
    assert math.isnan(result.p_value)
    empty = group_difference([1, 0], [False, False])
    assert (empty.status, empty.n_in) == ("undefined", 0)
    assert math.isnan(empty.mean_in)
    with pytest.raises(ValueError, match="one length"):
        group_difference([1, 0], [True])
