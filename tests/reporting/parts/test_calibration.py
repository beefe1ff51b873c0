"""Calibration: the error is 0 for a calibrated model, and what it is wrong by for another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.metrics.calibration import calibration_error
from mouse.reporting.parts.calibration import calibration_figure, calibration_table
from mouse.reporting.report import make_report
from mouse.tracking import reader


def test_an_overconfident_model_errs_by_its_overconfidence() -> None:
    curve = np.array([[0.95, 1.0]] * 60 + [[0.95, 0.0]] * 40)
    assert calibration_error(curve) == pytest.approx(0.35)


def test_bins_do_not_cancel_each_other() -> None:
    # Right half the time at 0.25 and at 0.75: the mean gap is 0, the error is not.
    curve = np.array([[0.25, 1.0], [0.25, 0.0], [0.75, 1.0], [0.75, 0.0]])
    assert calibration_error(curve) == pytest.approx(0.25)


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 1.0])), min_size=1, max_size=60))
def test_the_error_lies_between_the_mean_gap_and_one(pairs: list[tuple[float, float]]) -> None:
    curve = np.array(pairs)
    error = calibration_error(curve)
    assert abs(float((curve[:, 1] - curve[:, 0]).mean())) <= error + 1e-9 <= 1 + 1e-6


def test_a_run_with_probabilities_has_a_table_and_a_curve_and_others_have_none(
    tracked, support, log_run, score_result
) -> None:  # type: ignore[no-untyped-def]
    data = support.make_dataset(80)
    result = score_result(support.make_result(data, "sure", 5, skill=0.5), data)
    tasks = tuple(
        replace(task, predictions=tuple(replace(p, confidence=0.9) for p in task.predictions))
        if task.task == "td"
        else task
        for task in result.tasks
    )
    log_run(replace(result, tasks=tasks), data, "sure")
    study = make_report("c", [reader.open_run(run) for run in reader.runs(experiment="sure")])
    ((label, cells),) = calibration_table(study).blocks[0].rows
    n, sure, right, gap, error, brier = cells
    assert label == "sure" and n.value == 80 and sure.value == pytest.approx(0.9)
    assert right.value == pytest.approx(study.contestants[0].value("td/acc"))
    assert gap.value == pytest.approx(error.value) == pytest.approx(0.9 - right.value)
    assert gap.lo < gap.value < gap.hi and 0 < brier.value < 1
    assert calibration_figure(study).name == "calibration"
    others = [reader.open_run(run) for run in reader.runs("model = good", experiment="study")]
    assert calibration_table(make_report("o", others)) is None
