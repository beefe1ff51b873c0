"""The expected gap of a sample is what drawing samples gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mouse.metrics.sampling_gap import sampling_gap

SCORES = [0] * 300 + [1] * 120 + [2] * 380


def test_the_expected_gap_is_that_of_drawn_samples():
    rng = np.random.default_rng(0)
    scores = np.array(SCORES)
    drawn = [rng.permutation(scores)[:150] for _ in range(4000)]
    gaps = np.array([abs(sample.mean() - scores.mean()) / 2 for sample in drawn])
    found = sampling_gap("m", drawn[0].tolist(), SCORES)
    assert found.gap == pytest.approx(gaps[0])
    assert found.expected == pytest.approx(gaps.mean(), rel=0.04)
    assert (gaps <= found.expected_hi + 1e-9).mean() == pytest.approx(0.95, abs=0.015)
    assert found.p_value == pytest.approx((gaps >= gaps[0] - 1e-9).mean(), abs=0.03)
    assert (found.n, found.population) == (150, 800)


def test_large_samples_take_the_normal_approximation_of_the_same():
    scores = SCORES * 10
    rng = np.random.default_rng(1)
    small = sampling_gap("m", rng.permutation(scores)[:1500].tolist(), scores)
    large = sampling_gap("m", rng.permutation(scores)[:1501].tolist(), scores)
    assert large.expected == pytest.approx(small.expected, rel=0.01)
    assert large.expected_hi == pytest.approx(small.expected_hi, rel=0.02)


def test_all_of_them_have_no_gap():
    found = sampling_gap("m", SCORES, SCORES)
    assert (found.gap, found.p_value) == (0, pytest.approx(1))
    assert found.expected_hi == pytest.approx(0, abs=1e-12)


def test_a_stratified_sample_has_none_by_design():
    sampled = [0] * 40 + [1] * 40 + [2] * 40
    weights = [300 / 40] * 40 + [120 / 40] * 40 + [380 / 40] * 40
    found = sampling_gap("m", sampled, SCORES, weights=weights)
    assert found.status == "by_design"
    assert found.gap == pytest.approx(0, abs=1e-12)
    assert math.isnan(found.expected_hi)


def test_a_sample_of_something_else_is_refused():
    with pytest.raises(ValueError, match="none of a sample"):
        sampling_gap("m", [1] * 121, SCORES)
    with pytest.raises(ValueError, match="none of a sample"):
        sampling_gap("m", [], SCORES)
