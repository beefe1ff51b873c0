"""A run's figures: one a task that was answered."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

from mouse.reporting.confusion import task_figures


def test_every_task_that_has_predictions_has_a_figure(support: ModuleType) -> None:
    result = support.make_result(support.make_dataset(), failed=2)
    drawn = task_figures(result)
    assert set(drawn) == {f"figures/{task}.png" for task in ("tr", "rc", "ir", "td", "ms", "cc")}
    assert all(png.startswith(b"\x89PNG") for png in drawn.values())
    nothing = replace(result, tasks=tuple(replace(t, predictions=()) for t in result.tasks))
    assert task_figures(nothing) == {}
