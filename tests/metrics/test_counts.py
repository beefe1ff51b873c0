"""Count forms equal scikit-learn's definitions, on any table, invalid answers included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.metrics.accuracy import ACCURACY
from mouse.metrics.balanced_accuracy import BALANCED_ACCURACY
from mouse.metrics.f1 import F1
from mouse.metrics.macro_f1 import MACRO_F1
from mouse.metrics.mcc import MCC
from mouse.metrics.precision import PRECISION
from mouse.metrics.recall import RECALL
from mouse.metrics.tables import FloatArray, IntArray

ANY_CLASSES = [ACCURACY, BALANCED_ACCURACY, MACRO_F1, MCC]
TWO_CLASSES = [F1, PRECISION, RECALL]


INVALID, FAILED = -1, -2


def class_table(gold: list[int], predicted: list[int], k: int) -> IntArray:
    """(K, K + 2) counts of gold and predicted codes."""
    counts = np.zeros((k, k + 2), dtype=np.int64)
    for row, code in zip(gold, predicted, strict=True):
        counts[row, code if code >= 0 else k - 1 - code] += 1
    return counts


def answers_of(table: IntArray) -> FloatArray:
    """The counts that metrics take: without the failed rows."""
    return table[:, :-1].astype(float)


@st.composite
def tables(draw: st.DrawFn, max_classes: int = 8) -> IntArray:
    k = draw(st.integers(2, max_classes))
    rows = draw(st.lists(st.tuples(st.integers(0, k - 1), st.integers(FAILED, k - 1)), max_size=40))
    return class_table([g for g, _ in rows], [p for _, p in rows], k)


@pytest.mark.parametrize("metric", ANY_CLASSES)
@given(table=tables())
def test_count_form_equals_sklearn(metric, table):
    answered = answers_of(table)
    assert metric.from_counts(answered) == pytest.approx(
        metric.point(answered), abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("metric", TWO_CLASSES)
@given(table=tables(max_classes=2))
def test_two_class_count_form_equals_sklearn(metric, table):
    answered = answers_of(table)
    assert metric.from_counts(answered) == pytest.approx(
        metric.point(answered), abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("metric", ANY_CLASSES)
def test_leading_axes_are_resamples(metric):
    stack = np.random.default_rng(0).integers(0, 5, size=(7, 3, 4)).astype(float)
    each = [float(metric.from_counts(one)) for one in stack]
    assert metric.from_counts(stack) == pytest.approx(np.array(each))


def test_invalid_answer_is_a_miss_and_no_class():
    table = class_table([0, 0, 1, 1], [0, INVALID, 1, 1], 2)
    assert ACCURACY.point(answers_of(table)) == 0.75
    assert BALANCED_ACCURACY.point(answers_of(table)) == 0.75
    # F1: class 0 = 2/(2+1), class 1 = 1; a third class would have pulled the mean to 5/9.
    assert MACRO_F1.point(answers_of(table)) == pytest.approx((2 / 3 + 1) / 2)


def test_mcc_counts_invalid_as_one_more_label():
    from sklearn.metrics import matthews_corrcoef

    table = class_table([0, 0, 1, 1, 1], [0, INVALID, 1, INVALID, 0], 2)
    assert MCC.point(answers_of(table)) == pytest.approx(
        matthews_corrcoef([0, 0, 1, 1, 1], [0, 9, 1, 9, 0])
    )


def test_class_absent_from_gold_stays_out_of_macro_averages():
    table = class_table([0, 0, 1], [0, 2, 1], 3)
    assert MACRO_F1.point(answers_of(table)) == pytest.approx((2 / 3 + 1) / 2)
    assert BALANCED_ACCURACY.point(answers_of(table)) == 0.75


@pytest.mark.parametrize("k", range(2, 9))
def test_constant_answer_scores_one_over_k_balanced(k):
    gold = [c for c in range(k) for _ in range(c + 1)]
    table = class_table(gold, [k - 1] * len(gold), k)
    assert BALANCED_ACCURACY.point(answers_of(table)) == pytest.approx(1 / k)
    assert MCC.point(answers_of(table)) == 0
    share = k / len(gold)
    assert MACRO_F1.point(answers_of(table)) == pytest.approx(2 * share / (1 + share) / k)


def test_failed_rows_enter_no_value():
    table = class_table([0, 1, 1], [0, FAILED, 1], 2)
    assert (
        ACCURACY.point(answers_of(table))
        == BALANCED_ACCURACY.point(answers_of(table))
        == MACRO_F1.point(answers_of(table))
        == 1.0
    )


def test_f1_of_a_table_of_more_than_two_classes_is_refused():
    with pytest.raises(ValueError, match="two classes"):
        F1.from_counts(np.ones((3, 4)))


@given(table=tables())
def test_cells_with_weights_are_to_sklearn_what_rows_are(table):
    from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

    cells = np.nonzero(answers_of(table))
    gold, predicted = (np.repeat(codes, answers_of(table)[cells].astype(int)) for codes in cells)
    if not gold.size:
        return
    counts = answers_of(table)
    assert ACCURACY.point(counts) == pytest.approx(accuracy_score(gold, predicted), abs=1e-12)
    assert MCC.point(counts) == pytest.approx(matthews_corrcoef(gold, predicted), abs=1e-12)
    by_rows = f1_score(gold, predicted, labels=np.unique(gold), average="macro", zero_division=0)
    assert MACRO_F1.point(counts) == pytest.approx(by_rows, abs=1e-12)
