"""Sheets to draw on: figures without a display, in the report's colours, models along the axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mouse.reporting import fonts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

FIRST, SECOND, GREY = "#c0504d", "#4f81bd", "#888888"


def blank(width: float, height: float) -> Drawing:
    from matplotlib.figure import Figure as Drawing

    return Drawing(figsize=(width, height), layout="constrained")


def axes(width: float, height: float) -> tuple[Drawing, Axes]:
    figure = blank(width, height)
    axis = figure.subplots()
    axis.spines[["top", "right"]].set_visible(False)
    return figure, axis


def model_ticks(axis: Axes, models: Sequence[str]) -> None:
    turned = len(models) > 4
    axis.set_xticks(
        range(len(models)),
        [fonts.drawable(model) for model in models],
        fontsize=8,
        family=fonts.families("".join(fonts.drawable(model) for model in models)),
        rotation=35 if turned else 0,
        ha="right" if turned else "center",
    )
