"""Loads differ by one at most, and pairs of annotators meet about equally often."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.annotation.labelling.sheet import assign
from mouse.errors import UserError


@given(st.integers(1, 80), st.integers(1, 12), st.integers(1, 6), st.integers(0, 5))
def test_each_item_has_different_annotators_and_loads_are_even(items, annotators, k, seed) -> None:
    if annotators < k:
        return
    teams = assign(items, annotators, k, seed)
    assert len(teams) == items
    assert all(len(set(team)) == k == len(team) for team in teams)
    load = Counter(dict.fromkeys(range(annotators), 0))
    load.update(who for team in teams for who in team)
    assert max(load.values()) - min(load.values()) <= 1


def test_pairs_meet_about_equally_often_at_the_paper_s_size() -> None:
    teams = assign(1_099, 18, 3, 0)
    met = Counter(pair for team in teams for pair in combinations(team, 2))
    counts = [met[pair] for pair in combinations(range(18), 2)]
    # 21.5 on average; teams drawn at random would spread over about 10 to 34.
    assert min(counts) >= 19 and max(counts) <= 24


def test_a_seed_is_an_assignment() -> None:
    assert assign(50, 6, 3, 1) == assign(50, 6, 3, 1) != assign(50, 6, 3, 2)


@pytest.mark.parametrize("arguments", [(0, 3, 3), (5, 2, 3), (5, 3, 0)])
def test_what_cannot_be_assigned_is_refused(arguments) -> None:
    with pytest.raises(UserError):
        assign(*arguments, 0)
