"""McNemar's exact p-value."""

import pytest

from mouse.metrics.mcnemar import mcnemar_exact


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (5, 0), (6, 0), (10, 3), (3, 10), (200, 150)])
def test_equals_statsmodels_exact(b, c):
    from statsmodels.stats.contingency_tables import mcnemar

    assert mcnemar_exact(b, c) == pytest.approx(mcnemar([[50, b], [c, 50]], exact=True).pvalue)


def test_five_to_nothing_is_not_significant_and_six_is():
    assert mcnemar_exact(5, 0) == pytest.approx(0.0625)
    assert mcnemar_exact(6, 0) == pytest.approx(0.03125)


def test_negative_count_is_refused():
    with pytest.raises(ValueError, match="negative"):
        mcnemar_exact(-1, 2)
