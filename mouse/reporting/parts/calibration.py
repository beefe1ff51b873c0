"""Whether a model is right as often as it is sure: for runs with probabilities of their answers."""

from __future__ import annotations

import numpy as np

from mouse.comparison.contestants import Contestant
from mouse.metrics.calibration import calibration, calibration_error, reliability
from mouse.metrics.tables import FloatArray
from mouse.reporting import fonts
from mouse.reporting.canvas import GREY, axes
from mouse.reporting.part import Figure, Part
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn

FEWEST_ANSWERS = 20
"""A model with fewer answers with a probability is left out."""
FEWEST_IN_A_BIN = 5
"""A bin with fewer answers is not drawn; it counts in the error all the same."""


def confidences(one: Contestant) -> FloatArray:
    """(n, 2): probability of the answer given, and whether it was right; all tasks together."""
    pairs: list[tuple[float, float]] = []
    for task, run in one.runs.items():
        frame = run.predictions[task]
        frame = frame[frame["confidence"].notna() & frame["correct"].notna()]
        pairs += zip(frame["confidence"].astype(float), frame["correct"].astype(float), strict=True)
    return np.array(pairs, dtype=float).reshape(-1, 2)


def _curves(report: Report) -> dict[str, FloatArray]:
    found = {one.name: confidences(one) for one in report.contestants}
    return {model: curve for model, curve in found.items() if len(curve) >= FEWEST_ANSWERS}


def calibration_table(report: Report) -> Table | None:
    """The figure as numbers; None where no run has probabilities."""
    rows = []
    for model, curve in _curves(report).items():
        c = calibration(curve)
        gap = Cell(c.overconfidence, c.lo, c.hi, note="bootstrap over answers")
        numbers = (float(c.n), c.mean_probability, c.share_right)
        rows.append((model, [*map(Cell, numbers), gap, Cell(c.error), Cell(c.brier)]))
    if not rows:
        return None
    return Table(
        "calibration",
        "Calibration",
        [
            TableColumn("answers", digits=0),
            TableColumn("mean probability"),
            TableColumn("share right"),
            TableColumn("overconfidence"),
            TableColumn("ECE", False),
            TableColumn("Brier score", False),
        ],
        [Block("", rows)],
        "Answers of all tasks whose probability the model gave. Overconfidence: mean probability "
        "minus share right. ECE: expected calibration error in ten bins; with few answers it is "
        "above 0 for a calibrated model too.",
    )


def calibration_figure(report: Report) -> Figure | None:
    """Share right against the probability that the model gave its answer, in ten bins."""
    curves = _curves(report)
    if not curves:
        return None
    drawing, axis = axes(4.4, 4.0)
    axis.plot([0, 1], [0, 1], color=GREY, lw=0.8, ls="--")
    for model, curve in curves.items():
        label = fonts.drawable(f"{model} (ECE {calibration_error(curve):.3f})")
        axis.plot(*reliability(curve, FEWEST_IN_A_BIN).T, "o-", ms=4, lw=1, label=label)
    axis.set_xlabel("probability of the answer given")
    axis.set_ylabel("share right")
    axis.legend(fontsize=8, frameon=False)
    caption = (
        "Only runs with log-probabilities; ten bins, those with fewer than five answers not drawn."
    )
    answered = tuple(task for task in report.tasks if not report.is_judged([task]))
    return Figure("calibration", "Calibration", caption, drawing, answered)


PARTS = [Part("running", 30, calibration_table), Part("running", 30, calibration_figure)]
