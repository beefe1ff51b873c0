"""What the paper says of its tables, held against its tables (docs/fidelity.md, «Its sentences»)."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

import pytest

from mouse.reporting.published import published_rows

ROWS = {name: row for name, row in published_rows().items() if "td/mcc" in row}
CLOSED = ("DeepSeek-V3.2", "Doubao-Seed-1.8", "Qwen3-Max", "GPT5.2")
OPEN = [name for name in ROWS if name not in CLOSED]
TABLE3 = (
    *("tr/sem_acc", "tr/perfect_rate", "rc/bal_acc", "rc/macro_f1", "ir/bal_acc", "ir/macro_f1"),
    *("td/acc", "td/f1", "ms/acc", "cc/acc"),
)
MCC = (
    *("rc/mcc_homophonic", "rc/mcc_semantic", "rc/mcc_visual"),
    *("ir/mcc", "td/mcc", "ms/mcc", "cc/mcc"),
)


def of(models: Iterable[str], metric: str) -> list[float]:
    return [ROWS[model][metric] for model in models]


def test_the_32b_model_is_not_below_the_14b_one_on_most_tasks() -> None:
    gaps = [ROWS["Qwen3-14B"][metric] - ROWS["Qwen3-32B"][metric] for metric in TABLE3]
    ahead = [metric for metric, gap in zip(TABLE3, gaps, strict=True) if gap > 0]
    assert ahead == ["tr/sem_acc", "rc/bal_acc", "rc/macro_f1", "td/acc"]
    assert sum(gap == 0 for gap in gaps) == 1 and sum(gap < 0 for gap in gaps) == 5


def test_td_is_15_points_above_rc_for_closed_models_alone() -> None:
    def gap(models: Iterable[str]) -> float:
        return statistics.fmean(ROWS[m]["td/acc"] - ROWS[m]["rc/bal_acc"] for m in models)

    assert gap(CLOSED) == pytest.approx(0.162, abs=5e-4)
    assert gap(ROWS) == pytest.approx(0.091, abs=5e-4)


def test_every_closed_model_has_a_higher_mcc_but_not_on_two_components() -> None:
    not_higher = [m for m in MCC if min(of(CLOSED, m)) <= max(of(OPEN, m))]
    assert not_higher == ["rc/mcc_semantic", "rc/mcc_visual"]


def test_mcc_is_lower_on_components_and_intent_than_elsewhere() -> None:
    means = [statistics.fmean(of(ROWS, metric)) for metric in MCC]
    assert max(means[:4]) < min(means[4:])
    assert means == pytest.approx([0.061, 0.034, 0.068, 0.100, 0.265, 0.333, 0.293], abs=5e-4)


def test_doubao_leads_intent_toxicity_meaning_and_cloze() -> None:
    def best(metric: str) -> str:
        return max(ROWS, key=lambda model: ROWS[model][metric])

    assert {best(m) for m in ("ir/bal_acc", "td/acc", "ms/acc", "cc/acc")} == {"Doubao-Seed-1.8"}
    assert (best("tr/sem_acc"), best("rc/bal_acc")) == ("DeepSeek-V3.2", "GPT5.2")
