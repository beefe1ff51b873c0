"""Holm's correction is what its definition says; rank letters say exactly who is told apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mouse.metrics.multiplicity import holm, rank_groups


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
@settings(max_examples=10)  # statsmodels collects garbage in every call, for a tenth of a second
def test_holm_multiplies_by_how_many_are_left_and_never_falls(p_values):
    found = holm(dict(enumerate(p_values)))
    running = 0.0
    for left, index in zip(
        range(len(p_values), 0, -1), sorted(found, key=lambda i: (p_values[i], i)), strict=True
    ):
        running = max(running, min(1.0, left * p_values[index]))
        assert found[index] == pytest.approx(running)


def test_untested_p_values_do_not_enlarge_the_family():
    found = holm({"a": 0.01, "b": float("nan"), "c": 0.2})
    assert found["a"] == pytest.approx(0.02) and np.isnan(found["b"])
    assert np.isnan(holm({"b": float("nan")})["b"])


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, 2**36 - 1))))
def test_models_share_a_letter_exactly_if_they_are_not_told_apart(drawn):
    n, bits = drawn
    order = [f"m{i}" for i in range(n)]
    apart = {pair: bool(bits >> k & 1) for k, pair in enumerate(combinations(order, 2))}
    letters = rank_groups(order, apart)
    assert all(letters.values())
    for (a, b), different in apart.items():
        assert (not set(letters[a]) & set(letters[b])) == different


def test_letters_run_from_the_best_group_down_and_overlap():
    apart = {("x", "z"): True, ("x", "w"): True}
    assert rank_groups(["x", "y", "z", "w"], apart) == {"x": "a", "y": "ab", "z": "b", "w": "b"}
