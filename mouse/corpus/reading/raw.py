"""Raw tables: rows as a file has them, under its own headers, each value with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mouse.errors import Fault


def is_missing(value: object) -> bool:
    """True for null and for the empty cell, which table formats cannot tell apart."""
    return value is None or (isinstance(value, str) and value == "")


class ReadingError(ValueError):
    """What a file holds cannot be read; `line` is 1-based, `place` a column or `(file)`."""

    def __init__(
        self, problem: str, line: int = 1, value: object = "", place: str = "(file)"
    ) -> None:
        super().__init__(problem)
        self.problem, self.line, self.value, self.place = problem, line, value, place

    def fault(self, file: str) -> Fault:
        return Fault(file, self.line, self.place, self.value, self.problem)


@dataclass(frozen=True)
class RawRow:
    """One row: its place, its values by header, and, in a spreadsheet, each value's address."""

    row: int | str
    values: Mapping[str, Any]
    addresses: Mapping[str, str] = field(default_factory=dict)

    def at(self, header: str | None) -> int | str:
        return self.addresses.get(header or "", self.row)


@dataclass(frozen=True)
class RawTable:
    """Rows that share headers. `section` is the file's stem, the sheet's name or the JSON key."""

    file: str
    section: str
    headers: tuple[str, ...]
    rows: tuple[RawRow, ...]

    def present(self, header: str, first: int | None = None) -> list[Any]:
        """The values under a header that are not missing, of the `first` rows or of all."""
        seen = (row.values.get(header) for row in self.rows[:first])
        return [value for value in seen if not is_missing(value)]


@dataclass
class Reading:
    """What reading gave: tables, and what could not be read or deserves a word."""

    tables: list[RawTable] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
