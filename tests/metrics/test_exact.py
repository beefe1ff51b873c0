"""Exact intervals keep their level for every truth, and agree with other implementations."""

from __future__ import annotations

import numpy as np
import pytest

from mouse.metrics.exact import (
    clopper_pearson,
    paired_difference_exact,
    paired_difference_score,
    score_statistic,
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


def test_score_interval_solves_tangos_equation():
    low, high = paired_difference_score(20, 10, 100)
    assert score_statistic(np.array(20), np.array(10), 100, low) == pytest.approx(1.96, abs=1e-2)
    assert score_statistic(np.array(20), np.array(10), 100, high) == pytest.approx(-1.96, abs=1e-2)


@pytest.mark.parametrize("interval", [paired_difference_exact, paired_difference_score])
def test_paired_interval_is_antisymmetric_and_holds_the_estimate(interval):
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
