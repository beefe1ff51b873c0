"""Kappa agrees with scikit-learn, says when it is undefined, and its words are Landis & Koch's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.metrics.agreement import kappa_from_counts, landis_koch, weighted_kappa

RATINGS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=60)


def table(pairs):
    counts = np.zeros((3, 3))
    np.add.at(counts, tuple(np.transpose(pairs)), 1)
    return counts


@given(pairs=RATINGS)
def test_count_form_equals_sklearn(pairs):
    first, second = zip(*pairs, strict=True)
    result = weighted_kappa(first, second, resamples=20)
    if result.status == "ok":
        assert kappa_from_counts(table(pairs)) == pytest.approx(result.value, abs=1e-12)
    else:
        assert len({*first, *second}) == 1
        assert np.isnan(kappa_from_counts(table(pairs)))


def test_a_miss_by_two_weighs_four_times_a_miss_by_one():
    base = [(0, 0)] * 20 + [(1, 1)] * 20 + [(2, 2)] * 20
    near = kappa_from_counts(table([*base, (0, 1), (1, 0)]))
    far = kappa_from_counts(table([*base, (0, 2), (2, 0)]))
    assert (1 - far) / (1 - near) == pytest.approx(4, rel=0.05)


def test_two_constant_raters_are_undefined_and_raw_agreement_is_reported():
    result = weighted_kappa([2, 2, 2], [2, 2, 2])
    assert math.isnan(result.value) and math.isnan(result.lo)
    assert (result.status, result.n, result.raw_agreement) == ("undefined", 3, 1.0)
    assert "same rating" in result.note


def test_one_constant_rater_has_no_more_than_chance_agreement():
    result = weighted_kappa([2, 2, 2, 2], [2, 1, 0, 2], resamples=200)
    assert (result.status, result.value) == ("ok", 0.0)


def test_missing_ratings_leave_the_pair_out():
    result = weighted_kappa([0, None, 2, 1], [0, 1, float("nan"), 1], resamples=50)
    assert (result.n, result.raw_agreement) == (2, 1.0)
    empty = weighted_kappa([None], [1])
    assert (empty.status, empty.n) == ("undefined", 0)


def test_ratings_off_the_scale_and_lists_of_two_lengths_are_refused():
    with pytest.raises(ValueError, match="rating 3"):
        weighted_kappa([3], [0])
    with pytest.raises(ValueError, match="one list"):
        weighted_kappa([0, 1], [0])


def test_interval_agrees_with_scipys_bootstrap_over_units():
    from scipy.stats import bootstrap
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(0)
    first = rng.integers(0, 3, 150)
    second = np.where(rng.random(150) < 0.7, first, rng.integers(0, 3, 150))
    result = weighted_kappa(first.tolist(), second.tolist())

    def qwk(rows):
        return cohen_kappa_score(first[rows], second[rows], labels=[0, 1, 2], weights="quadratic")

    theirs = bootstrap(
        (np.arange(150),), qwk, n_resamples=2000, vectorized=False, method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    width = theirs.high - theirs.low
    assert (result.lo, result.hi) == pytest.approx((theirs.low, theirs.high), abs=0.06 * width)
    assert result.lo < result.value < result.hi


def test_units_of_one_cluster_are_drawn_together():
    rng = np.random.default_rng(1)
    first = rng.integers(0, 3, 60)
    second = np.where(rng.random(60) < 0.6, first, rng.integers(0, 3, 60))
    alone = weighted_kappa(first.tolist(), second.tolist())
    repeated = weighted_kappa(
        np.repeat(first, 4).tolist(),
        np.repeat(second, 4).tolist(),
        clusters=list(np.arange(240) // 4),
    )
    assert repeated.value == pytest.approx(alone.value)
    assert repeated.hi - repeated.lo == pytest.approx(alone.hi - alone.lo, rel=0.15)


@pytest.mark.parametrize(
    ("kappa", "word"),
    [
        (-0.01, "poor"), (0.0, "slight"), (0.2, "slight"), (0.21, "fair"), (0.4, "fair"),
        (0.41, "moderate"), (0.6, "moderate"), (0.61, "substantial"), (0.8, "substantial"),
        (0.81, "almost perfect"), (1.0, "almost perfect"), (float("nan"), ""),
    ],
)  # fmt: skip
def test_landis_koch_bands(kappa, word):
    assert landis_koch(kappa) == word
