"""Marks translation scores whose judge is not validated, in every table that shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mouse.reporting.study import Entry, Study
from mouse.reporting.table import Block, Cell, Table

MARK = "†"
FOOTNOTE = (
    f"{MARK} Judge not validated: its agreement with people is unknown or under judge.min_qwk."
)


def doubted(study: Study) -> frozenset[str]:
    """Names of the models whose translations were scored by a judge that is not validated."""
    return frozenset(entry.model for entry in study.entries if entry.judge_doubt)


def mark_of(entry: Entry, metric: str = "tr/") -> str:
    """The sign for a number of an entry: of translation, by a judge that is not validated."""
    return MARK if metric.startswith("tr/") and entry.judge_doubt else ""


def label_of(entry: Entry) -> str:
    """The model's name with the sign, for tables whose column is one model's translations."""
    return f"{entry.model} {MARK}" if entry.judge_doubt else entry.model


def marked(cells: Iterable[Cell], mark: str) -> list[Cell]:
    """The cells that show something, with the sign."""
    if not mark:
        return list(cells)
    return [
        replace(cell, mark=mark) if cell.text or cell.value is not None else cell for cell in cells
    ]


def with_footnote(table: Table) -> Table:
    """The table with the footnote in its caption where a cell or a heading has the sign."""
    if not (_in_titles(table) or any(_in_cells(block) for block in table.blocks)):
        return table
    return replace(table, caption=" ".join(filter(None, [table.caption, FOOTNOTE])))


def with_footnotes(tables: Sequence[Table]) -> list[Table]:
    return [with_footnote(table) for table in tables]


def _in_titles(table: Table) -> bool:
    return any(column.title.endswith(MARK) for column in table.columns)


def _in_cells(block: Block) -> bool:
    return any(cell.mark == MARK for _, cells in block.rows for cell in cells)
