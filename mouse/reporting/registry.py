"""The parts of a report in their sections: those of `mouse.reporting.parts` and of plug-ins.

Every module of `mouse.reporting.parts` has a list `PARTS`; a plug-in offers parts as `TABLES`.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field, replace
from typing import TypeVar

from mouse.errors import UserError
from mouse.plugins import plugged_in
from mouse.reporting import parts
from mouse.reporting.judge_validation import with_footnote
from mouse.reporting.part import Figure, Part
from mouse.reporting.report import Report
from mouse.reporting.table import Table

SECTIONS = {
    "results": "Results",
    "comparison": "Comparison",
    "judge": "Judge",
    "translation": "Translation",
    "labels": "Scores by label",
    "running": "Outcomes, cost and confidence",
    "items": "Items",
    "data": "Data quality",
}
"""Name → title, in order. A part of another section comes after these, under that name."""

TableOrFigure = TypeVar("TableOrFigure", Table, Figure)


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Paragraphs before the tables."""


def all_parts() -> list[Part]:
    """Every part, by order within its section. Raises `UserError` for a plug-in that is none."""
    found: list[Part] = []
    for module in pkgutil.iter_modules(parts.__path__):
        found += importlib.import_module(f"{parts.__name__}.{module.name}").PARTS
    for part in plugged_in("tables"):
        if not isinstance(part, Part):
            raise UserError(f"plug-in: {part!r} is not a mouse.reporting.part.Part")
        found.append(part)
    return sorted(found, key=lambda part: part.order)


def sections(report: Report) -> list[Section]:
    """The report's sections with what there is to say; empty ones are left out."""
    found = {name: Section(name, title) for name, title in SECTIONS.items()}
    for part in all_parts():
        section = found.setdefault(part.section, Section(part.section, part.section.capitalize()))
        made = part.make(report)
        for one in [made] if made is None or isinstance(made, Table | Figure | str) else made:
            if isinstance(one, Table):
                section.tables.append(captioned(report, with_footnote(one)))
            elif isinstance(one, Figure):
                section.figures.append(_with_judge(report, captioned(report, one)))
            elif one:
                section.notes.append(one)
    return [one for one in found.values() if one.tables or one.figures or one.notes]


def captioned(report: Report, one: TableOrFigure) -> TableOrFigure:
    """A table or figure whose caption says in what the runs differ that it shows together."""
    caption = " ".join(filter(None, [one.caption, *report.remarks(one.tasks)]))
    return replace(one, caption=caption)


def _with_judge(report: Report, figure: Figure) -> Figure:
    if not report.not_validated or not report.is_judged(figure.tasks):
        return figure
    names = ", ".join(sorted(report.not_validated))
    return replace(figure, caption=f"{figure.caption} Judge not validated: {names}.")
