"""Samples have known weights, are the same by seed, and give every stratum what it can."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.annotation.translations.population import allocate, draw
from mouse.errors import UserError

SIZES = st.dictionaries(st.sampled_from("012"), st.integers(1, 300), min_size=1)


@given(SIZES, st.data())
def test_allocation_is_even_complete_and_possible(sizes, data):
    n = data.draw(st.integers(0, sum(sizes.values())))
    given_ = allocate(sizes, n)
    assert sum(given_.values()) == n
    assert all(0 <= given_[name] <= sizes[name] for name in sizes)
    most = max(given_.values())
    # Nobody gets more than one above a stratum that still has units to give.
    assert all(given_[name] >= most - 1 or given_[name] == sizes[name] for name in sizes)


@pytest.mark.parametrize("stratify", ["none", "score"])
def test_weights_add_up_to_the_population_and_the_seed_decides(make_population, stratify):
    units = make_population([0] * 60 + [1] * 10 + [2] * 130).units
    drawn = draw(units, 60, 4, stratify)
    assert len({one.unit.key for one in drawn}) == 60
    assert sum(one.weight for one in drawn) == pytest.approx(200)
    assert drawn == draw(tuple(reversed(units)), 60, 4, stratify)
    assert drawn != draw(units, 60, 5, stratify)
    if stratify == "score":
        assert Counter(one.unit.score for one in drawn) == {0: 25, 1: 10, 2: 25}
        assert {one.unit.score: one.weight for one in drawn} == {0: 2.4, 1: 1.0, 2: 5.2}
        # The order tells nothing of the score.
        assert [one.unit.score for one in drawn] != sorted(one.unit.score for one in drawn)


def test_a_simple_random_sample_draws_every_unit_equally_often(make_population):
    units = make_population([0] * 20).units
    times = Counter(one.unit.key for seed in range(1500) for one in draw(units, 5, seed, "none"))
    # Binomial(1500, 1/4): standard deviation 16.8.
    assert all(abs(times[unit.key] - 375) < 5 * 16.8 for unit in units)


def test_impossible_sizes_are_refused(make_population):
    units = make_population([0, 1, 2] * 5).units
    with pytest.raises(UserError, match="only 15 judged translations; give --n 15"):
        draw(units, 16, 0, "none")
    with pytest.raises(UserError, match="at least 2"):
        draw(units, 1, 0, "none")
    with pytest.raises(UserError, match="needs at least 6"):
        draw(units, 5, 0, "score")
