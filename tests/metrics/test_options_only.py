"""The tests of what options give away are exact, and the reader of all cues learns from other items."""

from itertools import product

import numpy as np
import pytest

from mouse.metrics.options_only import at_least, options_only_score, position_p


@pytest.mark.parametrize(
    ("successes", "chances"), [(0, [0.5]), (3, [0.25] * 10), (2, [0.25, 0.5, 0.2]), (1, [])]
)
def test_the_exact_test_is_the_poisson_binomial(successes: int, chances: list[float]) -> None:
    expected = sum(
        np.prod([p if hit else 1 - p for p, hit in zip(chances, hits, strict=True)])
        for hits in product((0, 1), repeat=len(chances))
        if sum(hits) >= successes
    )
    assert at_least(successes, chances) == pytest.approx(expected)


def test_the_reader_learns_nothing_from_an_item_about_itself() -> None:
    score = options_only_score([[0], [None]], [0, 1], [4, 4], permutations=9)
    assert score.accuracy == score.chance == 0.25


def test_items_of_different_sizes_have_their_own_chance() -> None:
    score = options_only_score([[None]] * 3, [0, 1, 2], [2, 4, 4], permutations=9)
    assert score.accuracy == score.chance == pytest.approx((1 / 2 + 1 / 4 + 1 / 4) / 3)
    assert score.p == 1.0


def test_an_uneven_position_is_rare_by_chance_and_an_even_one_is_not() -> None:
    assert position_p([0] * 20, [4] * 20, 999, 0) == 1 / 1000
    assert position_p([0, 1, 2, 3] * 5, [4] * 20, 999, 0) == 1
