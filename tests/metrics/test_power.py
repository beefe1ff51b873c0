"""Minimum detectable differences are the differences that are in fact detected."""

import numpy as np
import pytest

from mouse.metrics.mcnemar import mcnemar_exact
from mouse.metrics.power import detectable_accuracy_difference, detectable_from_error


@pytest.mark.parametrize(("n", "discordant"), [(1099, 0.3), (1099, 0.1), (400, 0.3)])
def test_mcnemar_finds_the_detectable_difference_four_times_in_five(n, discordant):
    difference = detectable_accuracy_difference(n, discordant)
    only_a, only_b = (discordant + difference) / 2, (discordant - difference) / 2
    rng = np.random.default_rng(0)
    draws = rng.multinomial(n, [only_a, only_b, 1 - discordant], size=2000)
    power = np.mean([mcnemar_exact(int(b), int(c)) <= 0.05 for b, c, _ in draws])
    assert 0.74 <= power <= 0.83  # the exact test is a little below its normal approximation


def test_hundred_items_see_only_large_differences():
    assert detectable_accuracy_difference(100, 0.3) == pytest.approx(0.149, abs=0.005)
    assert detectable_accuracy_difference(1099, 0.3) == pytest.approx(0.0461, abs=0.002)


def test_too_few_items_detect_nothing():
    assert np.isnan(detectable_accuracy_difference(5, 0.5))
    with pytest.raises(ValueError, match="share"):
        detectable_accuracy_difference(100, 0)


def test_error_scales_the_detectable_difference():
    assert detectable_from_error(0.01) == pytest.approx(0.0280, abs=1e-4)
