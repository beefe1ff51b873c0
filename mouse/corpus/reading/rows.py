"""One raw row under the fields that its headers mean: gives values, and notes what is wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

from mouse.corpus.reading.columns import Resolved
from mouse.corpus.reading.raw import RawRow, RawTable, is_missing
from mouse.corpus.reading.shaping import LABEL_FIELDS, Shape
from mouse.errors import Fault

T = TypeVar("T")

_SURROGATE = re.compile("[\ud800-\udfff]")


class Row:
    """Reads a row's fields one by one; a field that is wrong adds a fault and reads as empty."""

    def __init__(
        self,
        table: RawTable,
        raw: RawRow,
        resolved: Resolved,
        faults: list[Fault],
        shape: Shape | None = None,
        unknown: Counter[tuple[str, str]] | None = None,
    ) -> None:
        """`unknown` counts the words of label fields that nothing understands."""
        self._table, self._raw, self._resolved, self._faults = table, raw, resolved, faults
        self._shape = shape or Shape()
        self._unknown = Counter() if unknown is None else unknown
        self._before = len(faults)
        self._silent = False

    @property
    def sound(self) -> bool:
        return len(self._faults) == self._before and not self._silent

    def where(self) -> str:
        return f"{self._table.file}, row {self._raw.row}"

    def get(self, name: str) -> Any:
        header = self._resolved.headers.get(name)
        if header is None:
            return self._shape.constants.get(name)
        return self._raw.values.get(header)

    def has(self, name: str) -> bool:
        return name in self._resolved.headers or name in self._shape.constants

    def fault(self, name: str, problem: str, value: object) -> None:
        header = self._resolved.headers.get(name)
        shown = name if header in (None, name) else f"{name} («{header}»)"
        self._faults.append(Fault(self._table.file, self._raw.at(header), shown, value, problem))

    def text(self, name: str, required: bool = False) -> str:
        """Text exactly as it came; empty where the file gives none."""
        value = self.get(name)
        if is_missing(value):
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
            return read(self._shape.translate(name, value))
        except ValueError as error:
            word = (name, str(value))
            if name in LABEL_FIELDS and isinstance(value, str | int | float) and len(word[1]) <= 40:
                self._unknown[word] += 1
                if self._unknown[word] > 1:
                    # One fault a word: the list of unknown words says how often each stands.
                    self._silent = True
                    return None
            self.fault(name, str(error), value)
            return None
