"""Marks translation scores whose judge is not validated, in every table that shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mouse.comparison.contestants import Contestant
from mouse.reporting.table import Cell, Table
from mouse.tasks.registry import get_task

MARK = "†"
FOOTNOTE = (
    f"{MARK} Judge not validated: its agreement with people is unknown or under judge.min_qwk."
)


def mark_of(one: Contestant, metric: str = "tr/") -> str:
    """The sign for a number of a contestant: of a judged task, by a judge that is not validated."""
    judged = get_task(metric.partition("/")[0]).judged
    return MARK if judged and one.judge_not_validated else ""


def label_of(one: Contestant) -> str:
    """The name with the sign, for tables whose column is one contestant's translations."""
    return f"{one.name} {mark_of(one)}".rstrip()


def marked(cells: Iterable[Cell], mark: str) -> list[Cell]:
    """The cells that show something, with the sign."""
    return [
        replace(cell, mark=mark) if mark and (cell.text or cell.value is not None) else cell
        for cell in cells
    ]


def with_footnote(table: Table) -> Table:
    """The table with the footnote in its caption where a cell or a heading has the sign."""
    has_sign = any(column.title.endswith(MARK) for column in table.columns) or any(
        cell.mark == MARK for block in table.blocks for _, cells in block.rows for cell in cells
    )
    if not has_sign:
        return table
    return replace(table, caption=" ".join(filter(None, [table.caption, FOOTNOTE])))
