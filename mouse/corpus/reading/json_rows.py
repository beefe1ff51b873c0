"""Rows of JSON and JSON Lines text, each with the line it begins on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from mouse.corpus.reading.raw import ReadingError

_SPACE = re.compile(r"[ \t\r\n]*")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON; write null")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_constant)


def parse(text: str) -> Any:
    """One JSON value; `ValueError` on repeated keys and NaN too, which `json.loads` lets pass."""
    return _DECODER.decode(text)


def rows_of_lines(text: str) -> Iterator[tuple[int, Any | ReadingError]]:
    """(line, value) of every non-empty line of JSON Lines; a bad line gives its error as value.

    Lines end at U+000A alone: U+2028 and its like are characters inside strings.
    """
    for line, part in enumerate(text.split("\n"), start=1):
        if not part.strip(" \t\r"):
            continue
        try:
            yield line, parse(part.strip(" \t\r"))
        except (ValueError, RecursionError) as error:
            yield line, ReadingError(f"not valid JSON: {_reason(error)}", line, part, "(line)")


def sections_of(text: str) -> Iterator[tuple[str, list[tuple[int, Any]] | Any]]:
    """(section, rows) of a JSON document: one unnamed list, or an object of named lists.

    Rows are (line, value). A key whose value is not a list gives the value itself, for the
    caller to report. Raises `ReadingError` where the document is neither.
    """
    scan = _Scanner(text)
    opening = scan.peek()
    if opening == "[":
        yield "", scan.array()
    elif opening == "{":
        yield from scan.members()
    else:
        raise scan.wrong("expected a JSON list or an object of lists")
    if scan.peek():
        raise scan.wrong("more text after the JSON document")


class _Scanner:
    """Walks the two outer levels of a document by hand, because `json` does not tell lines."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = self._counted_to = 0
        self._line = 1

    def line(self) -> int:
        self._line += self._text.count("\n", self._counted_to, self._at)
        self._counted_to = self._at
        return self._line

    def peek(self) -> str:
        self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
        return self._text[self._at : self._at + 1]

    def wrong(self, problem: str, line: int = 0) -> ReadingError:
        return ReadingError(problem, line or self.line(), self._text[self._at : self._at + 40])

    def value(self) -> Any:
        self.peek()
        start = self.line()
        try:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
        except (ValueError, RecursionError) as error:
            position = getattr(error, "pos", self._counted_to)
            line = start + self._text.count("\n", self._counted_to, position)
            raise self.wrong(f"not valid JSON: {_reason(error)}", line) from error
        return value

    def take(self, expected: str) -> bool:
        if self.peek() != expected:
            return False
        self._at += 1
        return True

    def need(self, expected: str) -> None:
        if not self.take(expected):
            raise self.wrong(f"not valid JSON: expected {expected}")

    def listed(self, opening: str, closing: str) -> Iterator[None]:
        """Yields where each element of a list or an object begins."""
        self.need(opening)
        if self.take(closing):
            return
        yield
        while not self.take(closing):
            self.need(",")
            yield

    def array(self) -> list[tuple[int, Any]]:
        rows = []
        for _ in self.listed("[", "]"):
            self.peek()
            line = self.line()
            rows.append((line, self.value()))
        return rows

    def members(self) -> Iterator[tuple[str, list[tuple[int, Any]] | Any]]:
        seen: set[str] = set()
        for _ in self.listed("{", "}"):
            if self.peek() != '"':
                raise self.wrong("not valid JSON: expected a key")
            key = self.value()
            if key in seen:
                raise ReadingError(f"the key {key!r} stands twice", self.line(), key)
            seen.add(key)
            self.need(":")
            yield key, self.array() if self.peek() == "[" else self.value()


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)
