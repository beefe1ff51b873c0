"""Rows of JSON and JSON Lines text, which repeated keys and NaN make invalid."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mouse.corpus.reading.raw import ReadingError


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON; write null")


def parse(text: str) -> Any:
    """One JSON value; `ValueError` on repeated keys and NaN too, which `json.loads` lets pass."""
    return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)


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

    Rows are (1-based place in the list, value). A key whose value is not a list gives the value
    itself, for the caller to report. Raises `ReadingError` where the document is neither.
    """
    try:
        document = parse(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise ReadingError(f"not valid JSON: {_reason(error)}", line) from error
    if not isinstance(document, list | dict):
        raise ReadingError("expected a JSON list or an object of lists", 1, text[:40])
    sections = {"": document} if isinstance(document, list) else document
    for name, value in sections.items():
        yield name, list(enumerate(value, start=1)) if isinstance(value, list) else value


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)
