"""Finds the metrics of plug-ins (`mouse.plugins`) for the tasks that are to report them."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from mouse.errors import UserError
from mouse.metrics.metric import Metric
from mouse.plugins import plugged_in


def plugged_metrics(task: str) -> tuple[Metric, ...]:
    """Metrics from outside the package that name this task's code in `Metric.tasks`.

    Raises `UserError` for a plug-in that is no metric, has no usable name or names no task.
    """
    return tuple(metric for metric in _checked(plugged_in("metrics")) if task in metric.tasks)


@cache
def _checked(plugged: tuple[Any, ...]) -> tuple[Metric, ...]:
    for metric in plugged:
        if not isinstance(metric, Metric):
            raise UserError(f"plug-in: {metric!r} is not a mouse.metrics.metric.Metric")
        if not re.fullmatch("[a-z][a-z0-9_]*", metric.name):
            raise UserError(
                f"plug-in: metric name {metric.name!r} must be small letters, digits and _"
            )
        if not metric.tasks:
            raise UserError(
                f"plug-in: metric {metric.name} names no task that reports it: give it "
                'tasks=("td",) or the like'
            )
    return plugged
