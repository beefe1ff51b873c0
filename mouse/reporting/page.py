"""The report as one HTML file that needs neither network nor neighbour files."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mouse.reporting.figures import Drawn
from mouse.reporting.table import Table, html_table

TEMPLATES = Path(__file__).parent / "templates"
FOLDED_FROM_ROWS = 40
"""A table with more rows is folded until asked for."""


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    tables: Sequence[Table] = ()
    figures: Sequence[Drawn] = field(default=())
    notes: Sequence[str] = ()
    """Paragraphs before the tables."""


def html_page(
    title: str,
    subtitle: str,
    warnings: Sequence[str],
    sections: Sequence[Section],
    data: str,
) -> str:
    """The whole page. `data`: what `explorer.packed` made; every other text is escaped here."""
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True)
    script = (TEMPLATES / "explorer.js").read_text(encoding="utf-8")
    return environment.get_template("report.html.j2").render(
        title=title,
        subtitle=subtitle,
        warnings=warnings,
        sections=[_section(section) for section in sections],
        data=data,
        script=Markup(script),
    )


def _section(section: Section) -> dict[str, Any]:
    from markupsafe import Markup

    return {
        "name": section.name,
        "title": section.title,
        "notes": section.notes,
        "tables": [
            {
                "title": table.title,
                "html": Markup(html_table(table)),
                "folded": sum(len(block.rows) for block in table.blocks) > FOLDED_FROM_ROWS,
            }
            for table in section.tables
        ],
        "figures": [
            {
                "title": drawn.title,
                "caption": drawn.caption,
                "src": "data:image/png;base64,"
                + base64.b64encode(drawn.png.read_bytes()).decode("ascii"),
                "wide": drawn.name == "figure5",
            }
            for drawn in section.figures
        ],
    }
