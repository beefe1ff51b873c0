"""Brings other people's tables into shape before they are read: rows, nested fields, label words.

Everything here works on raw rows, under the file's own headers; what a value then means is
`values`' business. A data set is described by configuration alone (docs/data.md).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mouse.corpus import values
from mouse.corpus.columns import CHOICE_HEADERS, CXEI_HEADERS, ColumnMap, find
from mouse.corpus.items import COMPONENTS
from mouse.corpus.readers import RawRow, RawTable
from mouse.errors import UserError

LABEL_FIELDS = ("components", *COMPONENTS, "intent", "toxicity", "answer")
"""Fields whose words a label map may translate."""
_WHOLE = re.compile(r"\A(-?\d+)\.0+\Z", re.ASCII)
_READ: Mapping[str, Callable[[object], object]] = {
    "intent": values.intent,
    "components": values.components,
}
"""What reads a field's labels; the other fields are flags."""


@dataclass(frozen=True)
class Shape:
    """How raw tables become ours.

    `labels`: field → {the data's word: our label}. `where`: header → a value, or a list of values,
    that a row must have to be kept. `constants`: field → the value of every row of a table that
    has no column for it. Raises `UserError` for a field that is none.
    """

    labels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    where: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, words in self.labels.items():
            if name not in LABEL_FIELDS:
                raise UserError(
                    f"data.labels.{name}: no such label; expected one of {', '.join(LABEL_FIELDS)}"
                )
            if not isinstance(words, Mapping):
                raise UserError(
                    f"data.labels.{name}={words}: expected words with their labels, "
                    f"such as data.labels.{name}='{{word: label}}'"
                )
            for word, label in words.items():
                _check_label(name, word, label)
        known = {*CXEI_HEADERS, *CHOICE_HEADERS}
        for name in self.constants:
            if name not in known:
                raise UserError(
                    f"data.constants.{name}: no such field; expected one of "
                    f"{', '.join(sorted(known))}"
                )
            try:
                _read_label(name, self.translate(name, self.constants[name]))
            except ValueError as error:
                raise UserError(f"data.constants.{name}={self.constants[name]}: {error}") from error

    def __bool__(self) -> bool:
        return bool(self.labels or self.where or self.constants)

    def translate(self, name: str, value: Any) -> Any:
        """The value of a label field in our words, where its map has the word; else as it is."""
        words = {_word(word): label for word, label in self.labels.get(name, {}).items()}
        if not words or values.is_missing(value):
            return value
        if isinstance(value, list | tuple):
            return [words.get(_word(part), part) for part in value]
        if _word(value) in words:
            return words[_word(value)]
        if name == "components" and isinstance(value, str):
            parts = values.parts(value, lambda part: _word(part) in words)
            if any(_word(part) in words for part in parts):
                return [words.get(_word(part), part) for part in parts]
        return value


def _check_label(name: str, word: object, label: object) -> None:
    """Raise `UserError` where a label map gives a word what is no label; null is «no label»."""
    try:
        if label == "":
            raise ValueError("null says that a word is no label")
        _read_label(name, label)
    except ValueError as error:
        raise UserError(f"data.labels.{name}: «{word}» is given {label!r}: {error}") from error


def _read_label(name: str, label: object) -> None:
    """Raise `ValueError` where a label is none of its field's; an answer depends on its item."""
    if name in LABEL_FIELDS and name != "answer":
        _READ.get(name, values.flag)(label)


def reshape(
    tables: Sequence[RawTable], shape: Shape, columns: ColumnMap
) -> tuple[list[RawTable], list[str]]:
    """The tables with nested fields as columns and the filter applied; notes on rows left out.

    Headers that `columns` names may lead into nested values (`messages.1.content`). Raises
    `UserError` where the filter names a column that no table has, or leaves no row.
    """
    named = (*columns.overrides.values(), *map(str, shape.where))
    paths = [header for header in named if "." in header]
    opened = [_with_nested(table, paths) for table in tables]
    if not shape.where:
        return opened, []
    for header in map(str, shape.where):
        if not any(find(header, table.headers) for table in opened):
            there = ", ".join(dict.fromkeys(h for table in opened for h in table.headers))
            raise UserError(f"data.where.{header}: no such column; the data has: {there or 'none'}")
    kept = [replace(table, rows=tuple(_kept(table, shape.where))) for table in opened]
    before, after = (sum(len(table.rows) for table in one) for one in (opened, kept))
    shown = json.dumps(dict(shape.where), ensure_ascii=False, default=str)
    if not after:
        raise UserError(f"data.where={shown} leaves none of {before:,} rows")
    notes = [f"data.where={shown} leaves out {before - after:,} of {before:,} rows."]
    return kept, [*notes, *_unfiltered(opened, shape.where, columns)]


def _unfiltered(
    tables: Sequence[RawTable], where: Mapping[str, Any], columns: ColumnMap
) -> Iterable[str]:
    """A note on each table that lacks a filter's column which a table of the same kind has."""
    for header in map(str, where):
        has = {columns.kind(table.headers) for table in tables if find(header, table.headers)}
        for table in tables:
            if not find(header, table.headers) and columns.kind(table.headers) in has:
                yield f"{table.file} has no column {header}: data.where leaves all its rows in."


def _kept(table: RawTable, where: Mapping[str, Any]) -> Iterable[RawRow]:
    tests = [(find(str(header), table.headers), wanted) for header, wanted in where.items()]
    # A table without the column is about something else (choice items beside expressions).
    present = [(header, wanted) for header, wanted in tests if header is not None]
    for row in table.rows:
        if all(_meets(row.values.get(header), wanted) for header, wanted in present):
            yield row


def _meets(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, list | tuple):
        return any(_meets(value, one) for one in wanted)
    if isinstance(wanted, bool):
        try:
            return values.flag(value) is wanted
        except ValueError:
            return False
    return _word(value) == _word(wanted)


def _word(value: Any) -> str:
    """A value as words are compared: without space around it, case, width, the .0 of a number."""
    text = "" if value is None else unicodedata.normalize("NFKC", str(value)).strip().casefold()
    return _WHOLE.sub(r"\1", text)


def _with_nested(table: RawTable, paths: Sequence[str]) -> RawTable:
    """The table with a column more for each path into nested values of one of its columns."""
    new = {
        path: head
        for path in dict.fromkeys(paths)
        if find(path, table.headers) is None
        and (head := find(path.partition(".")[0], table.headers)) is not None
    }
    if not new:
        return table
    rows = tuple(
        replace(
            row,
            values={
                **row.values,
                **{path: _inside(row.values.get(head), path) for path, head in new.items()},
            },
        )
        for row in table.rows
    )
    return replace(table, headers=(*table.headers, *new), rows=rows)


def _inside(value: Any, path: str) -> Any:
    """The value at a path such as `messages.1.content`; None where it leads nowhere."""
    for step in path.split(".")[1:]:
        if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
            try:
                value = json.loads(value)
            except ValueError:
                return None
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list | tuple) and step.lstrip("-").isdigit():
            place = int(step)
            value = value[place] if -len(value) <= place < len(value) else None
        else:
            return None
    return value
