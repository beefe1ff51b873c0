"""α agrees with the package `krippendorff` on any ratings with gaps, and knows its undefined cases."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mouse.metrics.alpha import alpha_from_coincidences, coincidences, krippendorff_alpha

GAPPY = arrays(
    float,
    st.tuples(st.integers(2, 4), st.integers(2, 12)),
    elements=st.sampled_from([0, 1, 2, np.nan]),
)


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@given(ratings=GAPPY)
def test_coincidence_form_equals_the_package(level, ratings):
    result = krippendorff_alpha(ratings, level=level, resamples=20)
    counts = np.stack([(ratings == v).sum(0) for v in (0, 1, 2)], axis=1).astype(float)
    counts = counts[counts.sum(1) >= 2]
    if result.status == "undefined":
        assert len(counts) == 0 or np.count_nonzero(counts.sum(0)) == 1
        return
    ours = alpha_from_coincidences(coincidences(counts).sum(0), level)
    theirs = krippendorff.alpha(ratings, value_domain=[0, 1, 2], level_of_measurement=level)
    assert ours == pytest.approx(theirs, abs=1e-10)
    assert result.value == theirs


def test_equal_ratings_and_no_pairs_are_undefined_not_one():
    same = krippendorff_alpha(np.full((3, 10), 2.0))
    assert math.isnan(same.value)
    assert (same.status, same.raw_agreement, same.n) == ("undefined", 1.0, 10)
    alone = krippendorff_alpha(np.array([[0, 1, np.nan], [np.nan, np.nan, 2]]))
    assert (alone.status, alone.n) == ("undefined", 0)


def test_perfect_and_random_ratings_lie_at_one_and_about_zero():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 200).astype(float)
    perfect = krippendorff_alpha(np.tile(truth, (3, 1)), resamples=100)
    assert (perfect.value, perfect.lo, perfect.hi) == (1, 1, 1)
    noise = krippendorff_alpha(rng.integers(0, 3, (3, 200)).astype(float))
    assert noise.lo < 0 < noise.hi


def test_interval_covers_the_spread_of_new_samples():
    """The bootstrap's width is that of α over fresh samples of units."""

    def sample(seed):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 3, 150)
        noisy = np.where(rng.random((3, 150)) < 0.75, truth, rng.integers(0, 3, (3, 150)))
        return noisy.astype(float)

    values = [krippendorff_alpha(sample(s), resamples=2).value for s in range(200)]
    result = krippendorff_alpha(sample(1000))
    assert result.hi - result.lo == pytest.approx(2 * 1.96 * np.std(values), rel=0.25)


def test_strange_rating_is_refused():
    with pytest.raises(ValueError, match="rating 3"):
        krippendorff_alpha(np.array([[0.0, 3.0], [1.0, 1.0]]))
