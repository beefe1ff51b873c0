"""The report as one HTML file that needs neither network nor neighbour files."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mouse.reporting.part import Figure
from mouse.reporting.registry import Section
from mouse.reporting.table import Table, html_table

TEMPLATES = Path(__file__).parent / "templates"
FOLDED_FROM_ROWS = 40
"""A table with more rows is folded until asked for."""


def html_page(
    title: str,
    subtitle: str,
    warnings: Sequence[str],
    sections: Sequence[Section],
    data: str,
    figures: Path,
) -> str:
    """The whole page. `data`: what `explorer.packed` made; `figures`: the folder of the drawn PNGs.

    Every other text is escaped here.
    """
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    def table_of(table: Table) -> dict[str, Any]:
        folded = sum(len(block.rows) for block in table.blocks) > FOLDED_FROM_ROWS
        return {"title": table.title, "html": Markup(html_table(table)), "folded": folded}

    def figure_of(figure: Figure) -> dict[str, Any]:
        image = base64.b64encode((figures / f"{figure.name}.png").read_bytes()).decode("ascii")
        return {
            "title": figure.title,
            "caption": figure.caption,
            "src": f"data:image/png;base64,{image}",
            "wide": figure.wide,
        }

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True)
    return environment.get_template("report.html.j2").render(
        title=title,
        subtitle=subtitle,
        warnings=warnings,
        sections=[
            {
                "name": section.name,
                "title": section.title,
                "notes": section.notes,
                "tables": [table_of(table) for table in section.tables],
                "figures": [figure_of(figure) for figure in section.figures],
            }
            for section in sections
        ],
        data=data,
        script=Markup((TEMPLATES / "explorer.js").read_text(encoding="utf-8")),
    )
