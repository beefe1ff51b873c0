"""The contrast of two kinds of items covers the truth and seldom finds what is not there."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mouse.metrics.contrast import contrast


def test_a_clear_difference_is_found_with_its_size() -> None:
    rng = np.random.default_rng(1)
    scores = np.concatenate([rng.binomial(2, 0.7, 150), rng.binomial(2, 0.4, 150)]) / 2
    found = contrast(scores, [True] * 150 + [False] * 150, [str(i) for i in range(300)])
    assert found.difference == pytest.approx(scores[:150].mean() - scores[150:].mean())
    assert found.lo < 0.3 < found.hi and found.p_value < 0.001
    assert "permutation" in found.method


def test_agrees_with_scipys_permutation_test() -> None:
    from scipy.stats import permutation_test

    rng = np.random.default_rng(3)
    one, other = rng.binomial(2, 0.62, 40) / 2, rng.binomial(2, 0.45, 55) / 2
    mine = contrast([*one, *other], [True] * 40 + [False] * 55, [str(i) for i in range(95)])
    theirs = permutation_test(
        (one, other), lambda a, b: a.mean() - b.mean(), n_resamples=9999, rng=1
    )
    assert mine.p_value == pytest.approx(theirs.pvalue, abs=0.015)


def test_intervals_cover_and_the_level_holds() -> None:
    rng = np.random.default_rng(5)
    covered, false_alarms, repeats = 0, 0, 300
    for trial in range(repeats):
        scores = rng.binomial(2, 0.45, 160) / 2
        kinds = rng.random(160) < 0.4
        found = contrast(scores, kinds, [str(i) for i in range(160)], resamples=400, seed=trial)
        covered += found.lo <= 0 <= found.hi
        false_alarms += found.p_value <= 0.05
    # Three standard errors of 300 trials around 95% and 5%.
    assert 0.91 < covered / repeats < 0.99
    assert false_alarms / repeats < 0.09


def test_rows_of_one_expression_count_once() -> None:
    rng = np.random.default_rng(1)
    scores = rng.binomial(1, 0.5, 60).astype(float)
    kinds = [i % 2 == 0 for i in range(60)]
    names = [str(i) for i in range(60)]
    single = contrast(scores, kinds, names)
    fourfold = contrast([*scores] * 4, kinds * 4, names * 4)
    assert fourfold.difference == pytest.approx(single.difference)
    assert fourfold.hi - fourfold.lo == pytest.approx(single.hi - single.lo, rel=0.1)


def test_a_cluster_of_both_kinds_is_said() -> None:
    found = contrast([1, 0, 1, 0], [True, False, True, False], ["a", "a", "b", "b"])
    assert "normal approximation" in found.method


def test_an_empty_kind_has_no_difference() -> None:
    found = contrast([1.0, 0.5], [True, True], ["a", "b"])
    assert math.isnan(found.difference) and found.n_second == 0
