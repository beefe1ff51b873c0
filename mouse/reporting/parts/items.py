"""The questions that fewest models get right, and those that best tell models apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mouse.metrics.items import item_statistics
from mouse.reporting.judge_validation import MARK, marked
from mouse.reporting.part import Part
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn
from mouse.tasks.registry import get_task

EACH = 4
"""Items of each task in a table."""


@dataclass(frozen=True)
class Item:
    """`right`: share of models right; `discrimination`: see `mouse.metrics.items`."""

    task: str
    item_id: str
    variant: str
    right: float
    discrimination: float


def items_of(report: Report, task: str) -> list[Item]:
    """Every question of a task that all models answered, by item id."""
    columns = []
    with_task = report.with_task(task)
    # People are no models; where nobody else answered, they are who there is.
    for one in [one for one in with_task if not one.group] or with_task:
        frame = one.runs[task].predictions[task]
        frame = frame[frame["repeat"] == 0]
        index = zip(frame["item_id"], frame["variant"], strict=True)
        columns.append(dict(zip(index, frame["correct"], strict=True)))
    common = [key for key in columns[0] if all(key in column for column in columns)]
    right = np.array([[_as_number(column[key]) for key in common] for column in columns])
    known = ~np.isnan(right).any(axis=0)
    keys = [key for key, is_known in zip(common, known, strict=True) if is_known]
    if not keys:
        return []
    numbers = zip(keys, *item_statistics(right[:, known]), strict=True)
    found = [Item(task, *key, float(share), float(value)) for key, share, value in numbers]
    return sorted(found, key=lambda item: item.item_id)


def _as_number(value: Any) -> float:
    return float("nan") if value is None or value != value else float(value)


def item_tables(report: Report) -> list[Table]:
    hardest: list[Item] = []
    most_discriminating: list[Item] = []
    for task in report.tasks:
        items = items_of(report, task)
        hardest += sorted(items, key=lambda item: item.right)[:EACH]
        known = [item for item in items if item.discrimination == item.discrimination]
        most_discriminating += sorted(known, key=lambda item: -item.discrimination)[:EACH]
    caption = "Four of each task; share of the models right."
    tables = [_table(report, "hardest", "Hardest items", hardest, caption)]
    if most_discriminating:
        caption = "Correlation of being right here with being right on the task's other items."
        name, title = "most_discriminating", "Most discriminating items"
        tables.append(_table(report, name, title, most_discriminating, caption))
    return tables


def _table(report: Report, name: str, title: str, items: Sequence[Item], caption: str) -> Table:
    texts: dict[str, str] = {}
    for frame, column in ((report.cxeis, "original_text"), (report.choices, "text")):
        if len(frame):
            texts.update(frame[column].to_dict())
    rows = []
    for item in items:
        mark = MARK if report.not_validated and get_task(item.task).judged else ""
        cells = [
            Cell(text=item.task + (f"/{item.variant}" if item.variant else "")),
            Cell(text=texts.get(item.item_id, "")[:80] or "–"),
            *marked(
                [Cell(item.right, note="share of models right"), Cell(item.discrimination)], mark
            ),
        ]
        rows.append((item.item_id, cells))
    columns = [TableColumn("task", align="c"), TableColumn("text", align="l")]
    columns += [TableColumn("models right", digits=2), TableColumn("discrimination", digits=2)]
    return Table(name, title, columns, [Block("", rows)], caption, row_title="item")


PARTS = [Part("items", 10, item_tables)]
