"""The integers behind the published decimals give every published decimal back."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from published_counts import (
    binary_tables,
    class_balances,
    integers_behind,
    score_histograms,
)

from mouse.contracts import Outcome, Prediction
from mouse.metrics.accuracy import ACCURACY
from mouse.metrics.balanced_accuracy import BALANCED_ACCURACY
from mouse.metrics.macro_f1 import MACRO_F1
from mouse.metrics.mcc import MCC as MCC_METRIC
from mouse.scoring.score import score_task

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
N = 1099


def table(name: str) -> dict[str, dict[str, str]]:
    with (PUBLISHED / name).open(encoding="utf-8") as file:
        return {row["model"]: row for row in csv.DictReader(file)}


MAIN, MCC = table("table3_main.csv"), table("table4_mcc.csv")
TOXICITY = {
    m: (float(MAIN[m]["td/acc"]), float(MAIN[m]["td/f1"]), float(MCC[m]["td/mcc"])) for m in MAIN
}


def test_exactly_one_class_balance_fits_all_fourteen_models():
    assert len(TOXICITY) == 14
    assert class_balances(TOXICITY, n=N) == [500]


@pytest.mark.parametrize("n", [1000, 1098, 1100])
def test_no_balance_fits_another_number_of_items(n):
    assert class_balances(TOXICITY, n=n) == []


@pytest.mark.parametrize("model", TOXICITY)
def test_metrics_give_back_the_published_toxicity_numbers(model):
    """Through `score_task`, prediction by prediction, for every matrix that fits."""
    matrices = binary_tables(*TOXICITY[model], n=N, positives=500)
    assert 1 <= len(matrices) <= 2
    for m in matrices:
        pairs = [("1", "1")] * m.tp + [("0", "1")] * m.fp + [("1", "0")] * m.fn
        pairs += [("0", "0")] * m.tn
        rows = [
            Prediction(f"i{i}", "", gold, predicted, Outcome.VALID, predicted, "td")
            for i, (gold, predicted) in enumerate(pairs)
        ]
        values = {v.name: v for v in score_task("td", rows, clusters={}, resamples=200)}
        got = [f"{values[f'td/{name}'].value:.3f}" for name in ("acc", "f1", "mcc")]
        assert got == [f"{number:.3f}" for number in TOXICITY[model]]


def test_nine_models_have_one_matrix_and_five_have_two():
    sizes = [len(binary_tables(*row, n=N, positives=500)) for row in TOXICITY.values()]
    assert (sizes.count(1), sizes.count(2)) == (9, 5)


@given(
    counts=st.tuples(*[st.integers(0, 60)] * 4).filter(
        lambda c: c[0] + c[2] > 0 and c[1] + c[3] > 0
    )
)
def test_the_true_matrix_is_always_among_those_found(counts):
    from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

    tp, fp, fn, tn = counts
    gold = [1] * tp + [0] * fp + [1] * fn + [0] * tn
    predicted = [1] * (tp + fp) + [0] * (fn + tn)
    printed = [
        round(float(metric), 3)
        for metric in (
            accuracy_score(gold, predicted),
            f1_score(gold, predicted, labels=[1], average="macro", zero_division=0),
            matthews_corrcoef(gold, predicted),
        )
    ]
    found = binary_tables(*printed, n=len(gold), positives=tp + fn)
    assert counts in [(t.tp, t.fp, t.fn, t.tn) for t in found]


@pytest.mark.parametrize("model", MAIN)
def test_score_histograms_print_as_published_and_are_few(model):
    sem, perfect = float(MAIN[model]["tr/sem_acc"]), float(MAIN[model]["tr/perfect_rate"])
    found = score_histograms(sem, perfect, n=N)
    assert 2 <= len(found) <= 6
    for h in found:
        assert h.n == N
        assert h.sem_acc == pytest.approx(sem, abs=0.0005 + 1e-9)
        assert h.two / N == pytest.approx(perfect, abs=0.0005 + 1e-9)


@given(st.integers(0, 1099), st.integers(0, 1099))
def test_the_true_histogram_is_always_among_those_found(first, second):
    two, one = min(first, second), abs(first - second)
    sem, perfect = round((one + 2 * two) / (2 * N), 3), round(two / N, 3)
    assert (N - one - two, one, two) in [
        (h.zero, h.one, h.two) for h in score_histograms(sem, perfect, n=N)
    ]


@pytest.mark.parametrize("task", ["ms/acc", "cc/acc"])
def test_hundred_item_accuracies_are_exact_counts(task):
    for model in MAIN:
        assert len(integers_behind(float(MAIN[model][task]), 100)) == 1


def constant_scores(class_counts: list[int], answer: int) -> dict[str, float]:
    """What a model that always names class `answer` scores."""
    counts = np.zeros((len(class_counts), len(class_counts) + 1))
    counts[:, answer] = class_counts
    metrics = (ACCURACY, BALANCED_ACCURACY, MACRO_F1, MCC_METRIC)
    return {metric.name: float(metric.from_counts(counts)) for metric in metrics}


def test_constant_answers_score_the_floors_of_the_paper():
    eight = constant_scores([290, 180, 160, 120, 110, 100, 80, 59], 0)
    assert eight["bal_acc"] == pytest.approx(0.125)
    assert eight["mcc"] == 0
    # Qwen3-0.6B and Qwen3-1.7B answer rc constantly: .500 and .000 whatever the labels' shares.
    for positives in (10, 499, 1000):
        for answer in (0, 1):
            scores = constant_scores([N - positives, positives], answer)
            assert (scores["bal_acc"], scores["mcc"]) == (0.5, 0)
    for model in ("Qwen3-1.7B", "Qwen3-0.6B"):
        assert float(MAIN[model]["rc/bal_acc"]) == 0.5
        assert {MCC[model][f"rc/mcc_{c}"] for c in ("homophonic", "visual", "semantic")} == {
            "0.000"
        }


def test_published_component_floor_fits_constant_answers():
    """.272 = mean of three constant macro-F1 is reachable; a constant answer never exceeds 1/2."""
    shares = np.arange(1, N) / N
    constant = shares / (1 + shares)
    assert constant.max() < 0.5
    for model in ("Qwen3-1.7B", "Qwen3-0.6B"):
        target = float(MAIN[model]["rc/macro_f1"])
        assert (np.abs(constant - target) < 0.0005).any()
    one = constant_scores([N - 411, 411], 1)["macro_f1"]
    assert one == pytest.approx(411 / N / (1 + 411 / N))
