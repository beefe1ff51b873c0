"""Tables and numbers on the terminal, as the sub-commands print them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def console(plain_width: int) -> Console:
    """The terminal, or a page of `plain_width` columns where there is no terminal to ask."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else plain_width, highlight=False)


def print_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table with its title; the first column to the left, numbers to the right."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left")
    for row in rows:
        table.add_row(*map(escape, row))
    console(140).print(table)


def interval(low: float, high: float, form: str = ".3f") -> str:
    """`[low, high]`."""
    return f"[{low:{form}}, {high:{form}}]"
