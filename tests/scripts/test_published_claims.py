"""What the printed numbers say, and what they leave open."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from published_claims import CLAIM_METRICS, published_claims, published_intervals

from mouse.metrics.exact import mcnemar_exact

FOLDER = Path(__file__).parents[2] / "data" / "published"


def rows() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for name in ("table3_main.csv", "table4_mcc.csv"):
        with (FOLDER / name).open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                model = row.pop("model")
                found.setdefault(model, {}).update({k: float(v) for k, v in row.items()})
    return found


ROWS = rows()


@pytest.mark.parametrize("model", ROWS)
def test_intervals_hold_the_printed_value_where_counts_are_known(model):
    intervals = {i.metric: i for i in published_intervals(ROWS[model], resamples=1000)}
    assert set(intervals) == set(ROWS[model])
    known = {"tr/sem_acc", "tr/perfect_rate", "td/acc", "td/f1", "td/mcc", "ms/acc", "cc/acc"}
    for name, interval in intervals.items():
        if name in known:
            assert interval.lo < interval.value < interval.hi
        else:
            assert math.isnan(interval.lo)


def test_toxicity_interval_is_that_of_the_binomial_within_noise():
    interval = {i.metric: i for i in published_intervals(ROWS["GPT5.2"])}["td/acc"]
    half = 1.96 * math.sqrt(0.694 * 0.306 / 1099)
    assert (interval.lo, interval.hi) == pytest.approx((0.694 - half, 0.694 + half), abs=0.003)


@pytest.mark.parametrize("metric", CLAIM_METRICS)
def test_all_pairs_are_judged_and_verdicts_follow_the_p_values(metric):
    claims = published_claims(ROWS, metric)
    assert len(claims) == 91
    for c in claims:
        assert c.difference >= 0
        assert c.p_least <= c.p_independent * (1 + 1e-9) or c.p_independent > 0.9
        assert c.p_least <= c.p_most
        expected = (
            "supported" if c.p_most <= 0.05 else "unsupported" if c.p_least > 0.05 else "depends"
        )
        assert c.verdict == expected
        assert (c.verdict == "depends") == (-1 < c.needed_correlation < 1)


def claim(metric, a, b):
    return next(c for c in published_claims(ROWS, metric) if {c.better, c.worse} == {a, b})


def test_extreme_p_values_are_reached_by_real_answers():
    """Cloze, 49 against 40 of 100: nested answers decide, disjoint ones do not."""
    c = claim("cc/acc", "Qwen3-32B", "Qwen3-14B")
    assert c.p_least == pytest.approx(mcnemar_exact(9, 0))
    assert c.p_most == pytest.approx(mcnemar_exact(49, 40))
    assert c.verdict == "depends"


def test_the_14b_over_32b_inversion_in_translation_depends_on_the_pairing():
    c = claim("tr/sem_acc", "Qwen3-14B", "Qwen3-32B")
    assert c.better == "Qwen3-14B"
    assert c.p_independent == pytest.approx(0.24, abs=0.01)
    assert c.verdict == "depends"
    assert c.needed_correlation == pytest.approx(0.64, abs=0.02)


def test_equal_perfect_rates_of_14b_and_32b_support_no_ranking():
    c = claim("tr/perfect_rate", "Qwen3-14B", "Qwen3-32B")
    assert (c.difference, c.p_least, c.verdict) == (0, 1, "unsupported")
    assert math.isnan(c.needed_correlation)


def test_needed_correlation_makes_the_z_test_just_significant():
    c = claim("tr/sem_acc", "Qwen3-14B", "Qwen3-32B")
    # One million pairs of scores with the printed moments and that correlation.
    sd = [
        math.sqrt((s2 + s1 / 4) / 1099 - m**2)
        for s2, s1, m in ((185, 132, 0.228), (185, 90, 0.209))
    ]
    variance = sd[0] ** 2 + sd[1] ** 2 - 2 * c.needed_correlation * sd[0] * sd[1]
    z = c.difference / math.sqrt(variance / 1099)
    assert z == pytest.approx(1.96, abs=0.03)


def test_knowing_the_classes_narrows_what_toxicity_answers_can_be():
    """By accuracies alone 14B and 32B could coincide on all but 56 items; by class on all but 184."""
    c = claim("td/acc", "Qwen3-14B", "Qwen3-32B")
    by_accuracy = mcnemar_exact(56, 0)
    assert c.p_least > 1e6 * by_accuracy
    assert c.p_least == pytest.approx(mcnemar_exact(120, 64), rel=0.3)


def test_wide_gaps_are_supported_whatever_the_pairing():
    assert claim("ms/acc", "Doubao-Seed-1.8", "Qwen3-0.6B").verdict == "supported"
    assert np.isclose(claim("ms/acc", "Doubao-Seed-1.8", "Qwen3-0.6B").needed_correlation, -1)


def test_other_metrics_are_refused():
    with pytest.raises(ValueError, match="means of known counts"):
        published_claims(ROWS, "ir/macro_f1")
