"""Whether a model is right as often as it is sure: for runs with probabilities of their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mouse.reporting import fonts
from mouse.reporting.canvas import GREY, Made, axes
from mouse.reporting.study import Entry, Study
from mouse.reporting.table import Block, Cell, Column, Table

if TYPE_CHECKING:
    from mouse.metrics.tables import FloatArray

BINS = 10
FEWEST_ANSWERS = 20
"""A model with fewer answers with a probability is left out."""
FEWEST_IN_A_BIN = 5
"""A bin with fewer answers is not drawn; it counts in the error all the same."""
RESAMPLES = 1000


def confidences(entry: Entry) -> FloatArray:
    """(n, 2): probability of the answer given, and whether it was right; all tasks together."""
    pairs: list[tuple[float, float]] = []
    for task, run in entry.runs.items():
        frame = run.predictions[task]
        frame = frame[frame["confidence"].notna() & frame["correct"].notna()]
        pairs += zip(frame["confidence"].astype(float), frame["correct"].astype(float), strict=True)
    return np.array(pairs, dtype=float).reshape(-1, 2)


def calibration_error(curve: FloatArray) -> float:
    """Expected calibration error in ten equal bins: mean |share right - mean probability|.

    0 is perfect. Its expectation is above 0 even for a calibrated model of finite n. Source: Guo
    et al. 2017, On Calibration of Modern Neural Networks.
    """
    bins = _bins(curve)
    gaps = [abs(float((curve[bins == b, 1] - curve[bins == b, 0]).sum())) for b in range(BINS)]
    return sum(gaps) / len(curve)


def _bins(curve: FloatArray) -> np.ndarray:
    return np.clip((curve[:, 0] * BINS).astype(int), 0, BINS - 1)


def _curves(study: Study) -> dict[str, FloatArray]:
    found = {entry.model: confidences(entry) for entry in study.entries}
    return {model: curve for model, curve in found.items() if len(curve) >= FEWEST_ANSWERS}


def calibration_table(study: Study) -> Table | None:
    """The figure as numbers; None where no run has probabilities."""
    rows = []
    for model, curve in _curves(study).items():
        sure, right = curve.T
        rng = np.random.default_rng(0)
        draws = rng.integers(0, len(curve), (RESAMPLES, len(curve)))
        gaps = (sure - right)[draws].mean(axis=1)
        lo, hi = (float(v) for v in np.quantile(gaps, [0.025, 0.975]))
        rows.append(
            (
                model,
                [
                    Cell(float(len(curve))),
                    Cell(float(sure.mean())),
                    Cell(float(right.mean())),
                    Cell(float((sure - right).mean()), lo, hi, note="bootstrap over answers"),
                    Cell(calibration_error(curve)),
                    Cell(float(((sure - right) ** 2).mean())),
                ],
            )
        )
    if not rows:
        return None
    return Table(
        "calibration",
        "Calibration",
        [
            Column("answers", digits=0),
            Column("mean probability"),
            Column("share right"),
            Column("overconfidence"),
            Column("ECE", False),
            Column("Brier score", False),
        ],
        [Block("", rows)],
        "Answers of all tasks whose probability the model gave. Overconfidence: mean probability "
        "minus share right. ECE: expected calibration error in ten bins; with few answers it is "
        "above 0 for a calibrated model too.",
    )


def calibration_figure(study: Study) -> Made | None:
    """Share right against the probability that the model gave its answer, in ten bins."""
    curves = _curves(study)
    if not curves:
        return None
    figure, axis = axes(4.4, 4.0)
    axis.plot([0, 1], [0, 1], color=GREY, lw=0.8, ls="--")
    for model, curve in curves.items():
        bins = _bins(curve)
        points = [
            curve[bins == b].mean(axis=0)
            for b in range(BINS)
            if (bins == b).sum() >= FEWEST_IN_A_BIN
        ]
        label = fonts.drawable(f"{model} (ECE {calibration_error(curve):.3f})")
        axis.plot([p[0] for p in points], [p[1] for p in points], "o-", ms=4, lw=1, label=label)
    axis.set_xlabel("probability of the answer given")
    axis.set_ylabel("share right")
    axis.legend(fontsize=8, frameon=False)
    caption = (
        "Only runs with log-probabilities; ten bins, those with fewer than five answers not drawn."
    )
    return "calibration", "Calibration", caption, figure
