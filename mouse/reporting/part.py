"""What a part of a report is: a function that makes tables, figures or paragraphs of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from mouse.reporting.report import Report
from mouse.reporting.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


@dataclass(frozen=True, eq=False)
class Figure:
    """A drawn figure: file name without suffix, title, and what one must know to read it."""

    name: str
    title: str
    caption: str
    drawing: Drawing
    tasks: tuple[str, ...] | None = None
    """Tasks whose numbers it shows; None: all of the report."""
    wide: bool = False


Content: TypeAlias = Table | Figure | str


@dataclass(frozen=True)
class Part:
    """`order`: place within the section; tables, figures and paragraphs are ordered apart."""

    section: str
    order: int
    make: Callable[[Report], Content | Iterable[Content] | None]
