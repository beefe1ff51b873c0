"""Consensus: more than half decides, else the median; unclear ones are for adjudication."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.annotation.translations.merge import consensus

RATINGS = st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("ratings", "majority", "median"),
    [
        ([2], (2, False), (2, False)),
        ([2, 2, 0], (2, False), (2, False)),
        ([0, 1, 2], (1, True), (1, False)),
        ([0, 1], (0, True), (0, True)),
        ([0, 2], (0, True), (0, True)),
        ([0, 0, 2, 2], (0, True), (0, True)),
        ([0, 1, 1, 2], (1, True), (1, False)),
        ([0, 0, 0, 2, 2], (0, False), (0, False)),
    ],
)
def test_rules(ratings, majority, median):
    for how, expected in (("majority", majority), ("median", median)):
        found = consensus(ratings, how)
        assert (found.score, found.adjudicate) == expected


@given(RATINGS, st.randoms())
def test_order_does_not_matter_and_an_odd_median_is_the_median(ratings, rng):
    again = list(ratings)
    rng.shuffle(again)
    for how in ("majority", "median"):
        assert consensus(ratings, how) == consensus(again, how)
        assert min(ratings) <= consensus(ratings, how).score <= max(ratings)
    if len(ratings) % 2:
        assert consensus(ratings, "median").score == statistics.median(ratings)
        assert not consensus(ratings, "median").adjudicate


def test_nobody_has_no_consensus():
    with pytest.raises(ValueError, match="no scores"):
        consensus([], "majority")
