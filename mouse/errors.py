"""The two kinds of failure that mouse tells apart: a user's mistake, and everything else.

A `UserError` becomes one sentence on standard error and exit code 2; any other exception is a
bug or an outage and keeps its traceback (exit code 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

EXIT_COMPLETE = 0
EXIT_UNEXPECTED = 1
EXIT_USAGE = 2
EXIT_INCOMPLETE = 3
EXIT_INTERRUPTED = 130


class UserError(Exception):
    """Wrong usage, configuration or data: the message says what, where, and what to do."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a file that a user gave: where it is and why it is refused."""

    file: str
    row: int | str
    """1-based line or row number as an editor or spreadsheet shows it; a cell address in XLSX."""
    field: str
    value: object
    problem: str

    def __str__(self) -> str:
        shown = repr(self.value)
        if len(shown) > 80:
            shown = shown[:77] + "…" + shown[-1]
        return f"{self.file}, row {self.row}, {self.field}: {self.problem} (found {shown})"


class DataError(UserError):
    """A data file with faults; all of them are reported, not only the first."""

    def __init__(self, summary: str, faults: Sequence[Fault] = ()) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join([summary, *(f"  - {fault}" for fault in self.faults)]))
