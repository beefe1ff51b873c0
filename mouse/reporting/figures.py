"""Every figure of a report as PNG and SVG; draws those of cost and of agreement."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mouse.reporting import fonts
from mouse.reporting.calibration import calibration_figure
from mouse.reporting.canvas import GREY, SECOND, Made, axes, model_ticks
from mouse.reporting.contrast import Contrast
from mouse.reporting.judge_evidence import JudgeEvidence
from mouse.reporting.judge_figures import kappas, sampling_gaps
from mouse.reporting.judge_validation import doubted
from mouse.reporting.paper_figures import components, toxicity
from mouse.reporting.scale_figure import scale
from mouse.reporting.study import Study


@dataclass(frozen=True)
class Drawn:
    """A saved figure: `name` without suffix, `title`, and what one must know to read it."""

    name: str
    title: str
    caption: str
    png: Path
    svg: Path


OF_TRANSLATION = ("figure4", "figure5", "figure6", "pareto")
"""Figures whose numbers a judge gave."""


def draw_all(
    study: Study,
    contrasts: Mapping[str, Mapping[str, Contrast]],
    evidence: Sequence[JudgeEvidence],
    folder: Path,
) -> list[Drawn]:
    """Draw every figure that these runs give data for, as PNG and SVG under `folder`."""
    fonts.register()
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    unsure = sorted(doubted(study))
    makers: list[Callable[[], Made | None]] = [
        lambda: kappas(evidence),
        lambda: sampling_gaps(evidence),
        lambda: toxicity(contrasts),
        lambda: components(contrasts),
        lambda: scale(study),
        lambda: pareto(study),
        lambda: agreement(study),
        lambda: calibration_figure(study),
    ]
    for make in makers:
        made = make()
        if made is None:
            continue
        name, title, caption, figure = made
        if unsure and name in OF_TRANSLATION:
            caption += f" Judge not validated: {', '.join(unsure)}."
        png, svg = folder / f"{name}.png", folder / f"{name}.svg"
        figure.savefig(png, dpi=140)
        # Without a date, the same runs give the same file.
        figure.savefig(svg, metadata={"Date": None})
        drawn.append(Drawn(name, title, caption, png, svg))
    return drawn


def pareto(study: Study) -> Made | None:
    """Mean score against cost; models that none beats in both are joined."""
    from mouse.reporting.more_tables import mean_headline

    priced = [
        (entry.logged("usage/cost_usd"), mean_headline(entry), entry.model)
        for entry in study.entries
    ]
    points = [(c, s, m) for c, s, m in priced if c is not None and c > 0 and s is not None]
    unit = "US$"
    if len(points) < 2:
        counted = [
            (_tokens(study, entry.model), mean_headline(entry), entry.model)
            for entry in study.entries
        ]
        points = [(t, s, m) for t, s, m in counted if t is not None and t > 0 and s is not None]
        unit = "tokens"
    if len(points) < 2:
        return None
    figure, axis = axes(5.2, 3.6)
    best, front = -math.inf, []
    for cost, score, _ in sorted(points, key=lambda p: (p[0], -p[1])):
        if score > best:
            best = score
            front.append((cost, score))
    axis.plot(*zip(*front, strict=True), color=SECOND, lw=1, zorder=1)
    for cost, score, model in points:
        on = (cost, score) in front
        axis.plot(cost, score, "o", color=SECOND if on else GREY, ms=5)
        axis.annotate(
            fonts.drawable(model),
            (cost, score),
            xytext=(4, 3),
            textcoords="offset points",
            fontsize=7,
        )
    axis.set_xscale("log")
    axis.set_xlabel(f"{unit} (log scale)")
    axis.set_ylabel("mean headline score")
    axis.spines[["top", "right"]].set_visible(False)
    caption = "Joined: models that no other beats in both. Models without cost are not shown."
    return "pareto", "Score and cost", caption, figure


def _tokens(study: Study, model: str) -> float | None:
    (entry,) = [e for e in study.entries if e.model == model]
    values = [entry.logged(f"usage/{kind}_tokens") for kind in ("prompt", "completion")]
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def agreement(study: Study) -> Made | None:
    """Share of questions on which two models give the same answer."""
    tasks = [task for task in study.tasks if task != "tr"]
    entries = [entry for entry in study.entries if any(task in entry.runs for task in tasks)]
    if len(entries) < 2:
        return None
    answers = []
    for entry in entries:
        given: dict[Any, str] = {}
        for task in tasks:
            if task in entry.runs:
                frame = entry.runs[task].predictions[task]
                frame = frame[frame["repeat"] == 0]
                shown = frame["predicted"].where(frame["outcome"] == "valid", frame["outcome"])
                keys = zip(frame["item_id"], frame["variant"], strict=True)
                given.update({(task, *k): v for k, v in zip(keys, shown, strict=True)})
        answers.append(given)
    size = len(entries)
    matrix = np.full((size, size), np.nan)
    for i in range(size):
        for j in range(i, size):
            common = answers[i].keys() & answers[j].keys()
            if common:
                same = sum(answers[i][k] == answers[j][k] for k in common)
                matrix[i, j] = matrix[j, i] = same / len(common)
    figure, axis = axes(2.2 + 0.62 * size, 1.8 + 0.5 * size)
    axis.imshow(matrix, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(matrix):
        if not math.isnan(value):
            colour = "white" if value > 0.6 else "#222"
            axis.text(
                j,
                i,
                f"{value:.2f}",
                ha="center",
                va="center",
                fontsize=7,
                color=colour,
                family=fonts.FAMILIES[0],
            )
    model_ticks(axis, [entry.model for entry in entries])
    axis.set_yticks(range(size), [fonts.drawable(e.model) for e in entries], fontsize=8)
    axis.tick_params(length=0)
    caption = "Share of questions (all tasks but translation) with the same answer, right or wrong."
    return "agreement", "Agreement between models", caption, figure
