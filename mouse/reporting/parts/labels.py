"""Scores by what the items are: intent, the paper's four families of intents, components, toxicity."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from mouse.comparison.contestants import Contestant
from mouse.corpus.items import COMPONENTS, INTENTS
from mouse.corpus.labels import COMPONENT_ZH, INTENT_FAMILIES, INTENT_ZH
from mouse.metrics.exact import wilson
from mouse.reporting.judge_validation import label_of
from mouse.reporting.part import Part
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn
from mouse.tasks.registry import get_task

if TYPE_CHECKING:
    import pandas as pd

TABLES = {
    "tr": ("by_label", "Translation score by label", "Sem.Acc"),
    "td": ("by_label_td", "Toxicity: share right by label", "Share of right answers"),
    "ir": ("by_label_ir", "Intent: share right by label", "Share of right answers"),
}
"""Task → the table's name, its title and what its numbers are."""

Select = Callable[["pd.DataFrame"], Any]


def by_label_tables(report: Report) -> Iterator[Table]:
    for task in TABLES:
        if report.with_task(task) and (table := by_label(report, task)):
            yield table


def by_label(report: Report, task: str) -> Table | None:
    """One task's score by label, a column a model; None where no model has scored answers to it."""
    name, title, what = TABLES[task]
    judged = get_task(task).judged
    frames = {
        (label_of(one) if judged else one.name): frame
        for one in report.with_task(task)
        if not (frame := scored(one, task, report.cxeis)).empty
    }
    blocks = []
    for block, kinds in _labels().items():
        rows = []
        for label, select in kinds:
            cells = [_mean(frame[select(frame)]["value"]) for frame in frames.values()]
            if any(cell.value is not None for cell in cells):
                rows.append((label, cells))
        if rows:
            blocks.append(Block(block, rows))
    if not blocks:
        return None
    return Table(
        name,
        title,
        [TableColumn(model) for model in frames],
        blocks,
        f"{what}; Wilson 95% intervals over items (conservative for half points). Small groups "
        "have wide ones, and a difference between groups is no effect of the label alone.",
        row_title="label",
        tasks=(task,),
    )


def scored(one: Contestant, task: str, cxeis: pd.DataFrame) -> pd.DataFrame:
    """First repeats of a task with `value` in 0 to 1 and the items' labels; failed ones left out."""
    frame = one.runs[task].predictions[task]
    frame = frame[frame["repeat"] == 0]
    known = frame["score"] / 2 if get_task(task).judged else frame["correct"].astype(float)
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
    return Cell(mean, *wilson(mean, len(values)), note=f"n = {len(values)}")


PARTS = [Part("labels", 10, by_label_tables)]
