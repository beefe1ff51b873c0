"""Writes a report's folder: figures, `tables/*.tex` and `*.csv`, `report.md`, `report.html`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mouse.reporting import fonts
from mouse.reporting.explorer import explorer_data, packed
from mouse.reporting.page import html_page
from mouse.reporting.part import Figure
from mouse.reporting.registry import Section, sections
from mouse.reporting.report import Report
from mouse.reporting.table import csv_text, latex, markdown, visible


def write_report(report: Report, folder: Path) -> str:
    """Write everything and return the line that says what it is about."""
    fonts.register()
    found = sections(report)
    for name in ("tables", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for section in found:
        for figure in section.figures:
            save_figure(figure, folder / "figures")
        for table in section.tables:
            for suffix, text in (("tex", latex(table)), ("csv", csv_text(table))):
                path = folder / "tables" / f"{table.name}.{suffix}"
                path.write_text(text, encoding="utf-8")
    title = f"MOUSE report · {report.name}"
    models, runs = len(report.contestants), len(report.runs)
    subtitle = f"{models} models, {runs} runs, tasks {', '.join(report.tasks)}"
    text = _markdown(title, report.warnings, found)
    (folder / "report.md").write_text(text, encoding="utf-8")
    data = packed(explorer_data(report))
    page = html_page(title, subtitle, report.warnings, found, data, folder / "figures")
    (folder / "report.html").write_text(page, encoding="utf-8")
    return subtitle


def save_figure(figure: Figure, folder: Path) -> None:
    """Write a figure as PNG and SVG."""
    figure.drawing.savefig(folder / f"{figure.name}.png", dpi=140)
    # Without a date, the same runs give the same file.
    figure.drawing.savefig(folder / f"{figure.name}.svg", metadata={"Date": None})


def _markdown(title: str, warnings: Sequence[str], found: Sequence[Section]) -> str:
    lines = [f"# {title}\n", *(f"> {visible(warning)}\n" for warning in warnings)]
    for section in found:
        lines.append(f"## {section.title}\n")
        lines += [f"{visible(note)}\n" for note in section.notes]
        lines += [markdown(table) for table in section.tables]
        lines += [
            f"### {figure.title}\n\n![](figures/{figure.name}.png)\n\n{visible(figure.caption)}\n"
            for figure in section.figures
        ]
    return "\n".join(lines)
