"""Prints a plain table of texts on the terminal, as the sub-commands need it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

PLAIN_WIDTH = 140
"""Columns of a table that does not go to a terminal, where there is no width to ask for."""


def print_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table with its title; the first column to the left, numbers to the right."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, highlight=False)
    table = Table(title=title, title_justify="left")
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left")
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)
