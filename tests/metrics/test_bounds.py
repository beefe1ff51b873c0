"""Bounds over failed rows hold against every assignment of answers to them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mouse.metrics.accuracy import ACCURACY
from mouse.metrics.balanced_accuracy import BALANCED_ACCURACY
from mouse.metrics.copy_rate import COPY_RATE
from mouse.metrics.f1 import F1
from mouse.metrics.macro_f1 import MACRO_F1
from mouse.metrics.mcc import MCC
from mouse.metrics.metric import Metric
from mouse.metrics.perfect_rate import PERFECT_RATE
from mouse.metrics.precision import PRECISION
from mouse.metrics.recall import RECALL
from mouse.metrics.score_shares import SCORE_SHARES
from mouse.metrics.sem_acc import SEM_ACC

CLASS_METRICS = [ACCURACY, BALANCED_ACCURACY, MACRO_F1, MCC]


@st.composite
def class_counts(draw: st.DrawFn, classes: tuple[int, ...] = (2, 3)) -> np.ndarray:
    k = draw(st.sampled_from(classes))
    given_counts = draw(st.lists(st.integers(0, 4), min_size=k * (k + 1), max_size=k * (k + 1)))
    failed = [0] * k
    for row in draw(st.lists(st.integers(0, k - 1), max_size=4)):
        failed[row] += 1
    counts = np.zeros((k, k + 2), dtype=np.int64)
    counts[:, :-1] = np.array(given_counts).reshape(k, k + 1)
    counts[:, -1] = failed
    return counts


def every_value(metric: Metric, counts: np.ndarray) -> list[float]:
    rows = [g for g, f in enumerate(counts[:, -1]) for _ in range(f)]
    values = []
    for answers in product(range(len(counts) + 1), repeat=len(rows)):
        complete = counts[:, :-1].astype(float)
        for g, a in zip(rows, answers, strict=True):
            complete[g, a] += 1
        values.append(float(metric.from_counts(complete)))
    return values


@pytest.mark.parametrize("metric", CLASS_METRICS, ids=lambda m: m.name)
@given(counts=class_counts())
def test_bounds_are_the_extremes_of_all_assignments(metric, counts):
    values = every_value(metric, counts)
    assert metric.bounds(counts) == pytest.approx((min(values), max(values)), nan_ok=True)


@pytest.mark.parametrize("metric", [F1, PRECISION, RECALL], ids=lambda m: m.name)
@given(counts=class_counts(classes=(2,)))
def test_positive_class_bounds_are_the_extremes(metric, counts):
    values = every_value(metric, counts)
    assert metric.bounds(counts) == pytest.approx((min(values), max(values)), nan_ok=True)


@pytest.mark.parametrize(
    "metric", [SEM_ACC, PERFECT_RATE, COPY_RATE, *SCORE_SHARES], ids=lambda m: m.name
)
@given(counts=st.lists(st.integers(0, 5), min_size=7, max_size=7))
def test_score_bounds_are_the_extremes(metric, counts):
    table = np.array(counts, dtype=np.int64)
    values = []
    for filled in product((0, 1, 2, 3, 4), (1, 2, 3, 4)):
        # Failed requests may come out as anything, failed judgements not as a copy or invalid.
        complete = table.astype(float)
        complete[filled[0]] += table[6]
        complete[2 if filled[1] == 1 else filled[1]] += table[5]
        complete[5:] = 0
        values.append(float(metric.from_counts(complete)))
    low, high = metric.bounds(table)
    assert low == pytest.approx(min(values), nan_ok=True)
    assert high == pytest.approx(max(values), nan_ok=True)


@pytest.mark.parametrize("metric", [ACCURACY, BALANCED_ACCURACY, MACRO_F1], ids=lambda m: m.name)
@given(counts=class_counts())
def test_value_of_what_came_lies_between_the_bounds(metric, counts):
    answered = counts[:, :-1].astype(float)
    # A class whose rows all failed is in the bounds' mean and not in the value's.
    assume((answered.sum(1) > 0).all())
    low, high = metric.bounds(counts)
    assert low - 1e-9 <= metric.from_counts(answered) <= high + 1e-9


def test_mcc_search_ends_quickly_on_a_large_outage():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 30, size=(8, 10))
    counts[:, -1] = 60
    low, high = MCC.bounds(counts)
    value = float(MCC.from_counts(counts[:, :-1].astype(float)))
    assert low < value < high


def test_a_metric_of_ones_own_needs_no_bounds():
    """Neither monotone nor defined everywhere: the share of label 1, once five have answered."""

    def share(counts):
        total = counts.sum((-2, -1))
        return np.where(total < 5, np.nan, counts[..., 1].sum(-1) / np.maximum(total, 1))

    named_1 = Metric("named_1", share)
    assert named_1.bounds(np.array([[2, 0, 0, 1], [0, 1, 0, 1]])) == (0.2, 0.6)
    assert np.isnan(named_1.bounds(np.array([[1, 0, 0, 1], [0, 1, 0, 1]]))).all()
