"""Exact intervals keep their level for every truth, and agree with other implementations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.metrics.exact import (
    clopper_pearson,
    mcnemar_exact,
    paired_difference_exact,
    score_statistic,
    wilson,
)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (1, 10), (53, 100), (100, 100), (604, 1099)])
def test_clopper_pearson_equals_statsmodels(k, n):
    from statsmodels.stats.proportion import proportion_confint

    assert clopper_pearson(k, n) == pytest.approx(proportion_confint(k, n, method="beta"))


def test_clopper_pearson_at_its_ends():
    assert clopper_pearson(0, 100)[0] == 0
    assert clopper_pearson(100, 100)[1] == 1
    assert clopper_pearson(100, 100)[0] == pytest.approx(0.025 ** (1 / 100))
    assert clopper_pearson(0, 0) == (0, 1)
    with pytest.raises(ValueError, match="make no share"):
        clopper_pearson(3, 2)


def test_exact_paired_interval_covers_at_every_truth():
    """All outcomes of 20 pairs, all truths of a grid: coverage computed, not simulated."""
    from scipy.stats import multinomial

    n = 20
    outcomes = [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]
    intervals = np.array([paired_difference_exact(b, c, n) for b, c in outcomes])
    cells = np.array([(b, c, n - b - c) for b, c in outcomes])
    least = 1.0
    for p_a in np.linspace(0.02, 0.7, 8):
        for p_b in np.linspace(0.02, 0.28, 6):
            probability = multinomial.pmf(cells, n, [p_a, p_b, 1 - p_a - p_b])
            inside = (intervals[:, 0] <= p_a - p_b) & (p_a - p_b <= intervals[:, 1])
            least = min(least, float(probability[inside].sum()))
    assert 0.95 <= least < 0.975


def test_score_statistic_at_no_difference_is_mcnemars():
    assert score_statistic(np.array(20), np.array(10), 100, 0.0) == pytest.approx(10 / 30**0.5)
    assert score_statistic(np.array(0), np.array(0), 100, 0.0) == 0


def test_paired_interval_is_antisymmetric_and_holds_the_estimate():
    interval = paired_difference_exact
    for b, c, n in [(5, 2, 40), (0, 0, 40), (40, 0, 40), (7, 7, 30)]:
        low, high = interval(b, c, n)
        assert -1 <= low <= (b - c) / n <= high <= 1
        assert interval(c, b, n) == pytest.approx((-high, -low), abs=2e-5)


def test_exact_interval_has_width_where_the_bootstrap_has_none():
    low, high = paired_difference_exact(0, 0, 100)
    assert high == pytest.approx(0.0376, abs=1e-3)
    assert low == pytest.approx(-high)


def test_impossible_pairs_and_too_many_pairs_are_refused():
    with pytest.raises(ValueError, match="impossible"):
        paired_difference_exact(60, 50, 100)
    with pytest.raises(ValueError, match="offered up to 150"):
        paired_difference_exact(1, 1, 1099)


@given(st.integers(1, 400), st.floats(0, 1))
def test_wilsons_interval_holds_the_mean_and_is_never_a_point(n: int, mean: float) -> None:
    lo, hi = wilson(mean, n)
    assert 0 <= lo <= mean + 1e-12 and mean - 1e-12 <= hi <= 1 and hi - lo > 1e-4


def test_wilsons_interval_of_three_in_ten():
    assert wilson(0.3, 10) == pytest.approx((0.10779, 0.60323), abs=1e-5)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (5, 0), (6, 0), (10, 3), (3, 10), (200, 150)])
def test_mcnemar_equals_statsmodels_exact(b, c):
    from statsmodels.stats.contingency_tables import mcnemar

    assert mcnemar_exact(b, c) == pytest.approx(mcnemar([[50, b], [c, 50]], exact=True).pvalue)


def test_five_to_nothing_is_not_significant_and_six_is():
    assert mcnemar_exact(5, 0) == pytest.approx(0.0625)
    assert mcnemar_exact(6, 0) == pytest.approx(0.03125)


def test_a_negative_count_of_discordant_pairs_is_refused():
    with pytest.raises(ValueError, match="negative"):
        mcnemar_exact(-1, 2)
