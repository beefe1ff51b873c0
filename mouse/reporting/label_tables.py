"""Scores by what the items are: intent, the paper's four families of intents, components, toxicity."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from mouse.corpus.items import COMPONENTS, INTENTS
from mouse.corpus.labels import COMPONENT_ZH, INTENT_FAMILIES, INTENT_ZH
from mouse.reporting.judge_validation import label_of
from mouse.reporting.study import Entry, Study
from mouse.reporting.table import Block, Cell, Column, Table

if TYPE_CHECKING:
    import pandas as pd

TASKS = {
    "tr": ("by_label", "Translation score by label", "Sem.Acc"),
    "td": ("by_label_td", "Toxicity: share right by label", "Share of right answers"),
    "ir": ("by_label_ir", "Intent: share right by label", "Share of right answers"),
}
"""Task → the table's name, its title and what its numbers are."""

Select = Callable[["pd.DataFrame"], Any]


def by_label(study: Study, task: str = "tr") -> Table | None:
    """One task's score by label, a column a model; None where no model has scored answers to it."""
    name, title, what = TASKS[task]
    frames = {label_of(e): scored(e, task, study.cxeis) for e in study.with_task(task)}
    if task != "tr":
        frames = {e.model: scored(e, task, study.cxeis) for e in study.with_task(task)}
    frames = {model: frame for model, frame in frames.items() if not frame.empty}
    blocks = []
    for block, rows in _labels().items():
        made = []
        for label, select in rows:
            cells = [_mean(frame[select(frame)]["value"]) for frame in frames.values()]
            if any(cell.value is not None for cell in cells):
                made.append((label, cells))
        if made:
            blocks.append(Block(block, made))
    if not frames or not blocks:
        return None
    return Table(
        name,
        title,
        [Column(model) for model in frames],
        blocks,
        f"{what}; Wilson 95% intervals over items (conservative for half points). Small groups "
        "have wide ones, and a difference between groups is no effect of the label alone.",
        row_title="label",
    )


def scored(entry: Entry, task: str, cxeis: pd.DataFrame) -> pd.DataFrame:
    """First repeats of a task with `value` in 0 to 1 and the items' labels; failed ones left out."""
    frame = entry.runs[task].predictions[task]
    frame = frame[frame["repeat"] == 0]
    known = frame["score"] / 2 if task == "tr" else frame["correct"].astype(float)
    frame = frame.assign(value=known)[["item_id", "value"]]
    labels = cxeis[["toxicity", "intent", *COMPONENTS]]
    return frame[frame["value"].notna()].join(labels, on="item_id")


def _labels() -> dict[str, list[tuple[str, Select]]]:
    """Block → (label, which rows have it)."""
    combined: list[tuple[str, Select]] = []
    for size in range(len(COMPONENTS) + 1):
        for chosen in combinations(COMPONENTS, size):
            title = " + ".join(COMPONENT_ZH[name] for name in chosen) or "none"
            combined.append((title, lambda f, c=chosen: _has_exactly(f, c)))  # type: ignore[misc]
    return {
        "intent": [
            (f"{INTENT_ZH[intent]} {intent}", lambda f, i=intent: f["intent"] == i)  # type: ignore[misc]
            for intent in INTENTS
        ],
        "family": [
            (name, lambda f, m=members: f["intent"].isin(m))  # type: ignore[misc]
            for name, members in INTENT_FAMILIES.items()
        ],
        "components": combined,
        "toxicity": [
            ("有毒 toxic", lambda f: f["toxicity"] == 1),
            ("无毒 safe", lambda f: f["toxicity"] == 0),
        ],
    }


def _has_exactly(frame: pd.DataFrame, chosen: tuple[str, ...]) -> Any:
    mask = np.ones(len(frame), dtype=bool)
    for name in COMPONENTS:
        mask &= (frame[name] == (name in chosen)).fillna(False).to_numpy(bool)
    return mask


def _mean(values: pd.Series) -> Cell:
    if not len(values):
        return Cell()
    mean = float(values.mean())
    lo, hi = wilson(mean, len(values))
    return Cell(mean, lo, hi, note=f"n = {len(values)}")


def wilson(mean: float, n: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share; for a mean of scores in 0 to 1 it is no narrower than due.

    Unlike the normal interval it does not shrink to a point where all n are alike.
    """
    z = 1.959964
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (mean * (1 - mean) / n + z * z / (4 * n * n)) ** 0.5
    return max(centre - half, 0.0), min(centre + half, 1.0)
