"""One raw row under the fields that its headers mean: gives values, and notes what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from mouse.corpus import values
from mouse.corpus.columns import Resolved
from mouse.corpus.readers import RawRow, RawTable
from mouse.errors import Fault

T = TypeVar("T")

_SURROGATE = re.compile("[\ud800-\udfff]")


class Row:
    """Reads a row's fields one by one; a field that is wrong adds a fault and reads as empty."""

    def __init__(
        self, table: RawTable, raw: RawRow, resolved: Resolved, faults: list[Fault]
    ) -> None:
        self._table, self._raw, self._resolved, self._faults = table, raw, resolved, faults
        self._before = len(faults)

    @property
    def sound(self) -> bool:
        return len(self._faults) == self._before

    def where(self) -> str:
        return f"{self._table.file}, row {self._raw.row}"

    def get(self, name: str) -> Any:
        header = self._resolved.headers.get(name)
        return None if header is None else self._raw.values.get(header)

    def has(self, name: str) -> bool:
        return name in self._resolved.headers

    def fault(self, name: str, problem: str, value: object) -> None:
        header = self._resolved.headers.get(name)
        shown = name if header in (None, name) else f"{name} («{header}»)"
        self._faults.append(Fault(self._table.file, self._raw.at(header), shown, value, problem))

    def text(self, name: str, required: bool = False) -> str:
        """Text exactly as it came; empty where the file gives none."""
        value = self.get(name)
        if values.is_missing(value):
            if required:
                self.fault(name, "missing; this field may not be empty", value)
            return ""
        if not isinstance(value, str):
            self.fault(name, f"expected text, found {type(value).__name__}", value)
            return ""
        return value if self.is_text(name, value) else ""

    def is_text(self, name: str, value: str) -> bool:
        """Whether a string can be sent and stored as Unicode text that shows something."""
        if _SURROGATE.search(value):
            self.fault(name, "half a surrogate pair, which is no character", value)
        elif not value.strip():
            self.fault(name, "nothing but white space", value)
        else:
            return True
        return False

    def identifier(self, name: str, required: bool = False) -> str:
        """An id: text, or a whole number, which some formats make of it."""
        value = self.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.text(name, required)

    def label(self, name: str, read: Callable[[object], T | None]) -> T | None:
        """The field read by one of `values`' functions; None, and a fault, where it refuses."""
        value = self.get(name)
        try:
            return read(value)
        except ValueError as error:
            self.fault(name, str(error), value)
            return None
