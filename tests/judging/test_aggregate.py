"""Several scores to one: median and majority with a named tie rule."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.errors import UserError
from mouse.judging.aggregate import aggregate, check_rules

scores = st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("given_scores", "rule", "tie", "expected"),
    [
        ([2], "median", "lower", 2),
        ([0, 2, 2], "median", "lower", 2),
        ([0, 1, 2], "median", "lower", 1),
        ([1, 2], "median", "lower", 1),
        ([1, 2], "median", "higher", 2),
        ([1, 2], "median", "fail", None),
        ([0, 0, 2, 2], "median", "lower", 0),
        ([0, 0, 2], "majority", "lower", 0),
        ([0, 1, 2], "majority", "lower", 0),
        ([0, 1, 2], "majority", "higher", 2),
        ([0, 1, 2], "majority", "fail", None),
        ([1, 1, 2, 2], "majority", "higher", 2),
    ],
)
def test_reduction(given_scores, rule, tie, expected):
    assert aggregate(given_scores, rule, tie) == expected


@given(scores)
def test_an_odd_median_is_the_statistical_one(values):
    if len(values) % 2:
        assert aggregate(values, "median", "fail") == statistics.median(values)


@given(scores, st.sampled_from(["median", "majority"]), st.sampled_from(["lower", "higher"]))
def test_order_does_not_matter_and_the_result_lies_among_the_scores(values, rule, tie):
    result = aggregate(values, rule, tie)
    assert result == aggregate(values[::-1], rule, tie)
    assert result in values


@given(scores, st.sampled_from(["median", "majority"]))
def test_the_tie_rule_only_decides_ties(values, rule):
    if aggregate(values, rule, "fail") is not None:
        assert aggregate(values, rule, "lower") == aggregate(values, rule, "higher")


def test_unknown_rules_are_refused_with_the_known_ones():
    with pytest.raises(UserError, match=r"judge.aggregate='mean' is not one of median, majority"):
        check_rules("mean", "lower")
    with pytest.raises(UserError, match=r"judge.tie='coin' is not one of lower, higher, fail"):
        check_rules("median", "coin")
