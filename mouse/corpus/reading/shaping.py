"""Brings other people's tables into shape, under their own headers: rows, nested fields, label words."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mouse.corpus.labels import COMPONENTS
from mouse.corpus.reading import values
from mouse.corpus.reading.columns import FIELDS, ColumnMap, find
from mouse.corpus.reading.raw import RawRow, RawTable, is_missing
from mouse.errors import UserError

LABEL_FIELDS = ("components", *COMPONENTS, "intent", "toxicity", "answer")
"""Fields whose words a label map may translate."""
_WHOLE = re.compile(r"\A(-?\d+)\.0+\Z", re.ASCII)
_READ: Mapping[str, Callable[[object], object]] = {
    "intent": values.intent,
    "components": values.components,
    "answer": lambda label: label,
}
"""What reads a field's labels; the other fields are flags. An answer depends on its item."""


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
                known = ", ".join(LABEL_FIELDS)
                raise UserError(f"data.labels.{name}: no such label; expected one of {known}")
            if not isinstance(words, Mapping):
                raise UserError(
                    f"data.labels.{name}={words}: expected words with their labels, "
                    f"such as data.labels.{name}='{{word: label}}'"
                )
            for word, label in words.items():
                try:
                    if label == "":
                        raise ValueError("null says that a word is no label")
                    _read_label(name, label)
                except ValueError as error:
                    shown = f"data.labels.{name}: «{word}» is given {label!r}"
                    raise UserError(f"{shown}: {error}") from error
        for name, value in self.constants.items():
            if name not in FIELDS:
                known = ", ".join(sorted(FIELDS))
                raise UserError(f"data.constants.{name}: no such field; expected one of {known}")
            try:
                _read_label(name, self.translate(name, value))
            except ValueError as error:
                raise UserError(f"data.constants.{name}={value}: {error}") from error

    def __bool__(self) -> bool:
        return bool(self.labels or self.where or self.constants)

    def translate(self, name: str, value: Any) -> Any:
        """The value of a label field in our words, where its map has the word; else as it is."""
        words = {_word(word): label for word, label in self.labels.get(name, {}).items()}
        if not words or is_missing(value):
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


def _read_label(name: str, label: object) -> None:
    """Raise `ValueError` where a label is none of its field's."""
    if name in LABEL_FIELDS:
        _READ.get(name, values.flag)(label)


def reshape(
    tables: Sequence[RawTable], shape: Shape, columns: ColumnMap
) -> tuple[list[RawTable], list[str]]:
    """The tables with nested fields as columns and the filter applied; notes on rows left out.

    Headers that `columns` names may lead into nested values (`messages.1.content`). Raises
    `UserError` where the filter names a column that no table has, or leaves no row.
    """
    wanted = {str(header): value for header, value in shape.where.items()}
    paths = [header for header in (*columns.overrides.values(), *wanted) if "." in header]
    opened = [_with_nested(table, paths) for table in tables]
    if not wanted:
        return opened, []
    for header in wanted:
        if not any(find(header, table.headers) for table in opened):
            there = ", ".join(dict.fromkeys(h for table in opened for h in table.headers))
            raise UserError(f"data.where.{header}: no such column; the data has: {there or 'none'}")
    kept = [replace(table, rows=tuple(_kept(table, wanted))) for table in opened]
    before, after = (sum(len(table.rows) for table in one) for one in (opened, kept))
    shown = json.dumps(dict(shape.where), ensure_ascii=False, default=str)
    if not after:
        raise UserError(f"data.where={shown} leaves none of {before:,} rows")
    notes = [f"data.where={shown} leaves out {before - after:,} of {before:,} rows."]
    # A filter's column that one table has may be missing in another of the same kind by mistake.
    for header in wanted:
        has = {columns.kind(table.headers) for table in opened if find(header, table.headers)}
        notes += [
            f"{table.file} has no column {header}: data.where leaves all its rows in."
            for table in opened
            if not find(header, table.headers) and columns.kind(table.headers) in has
        ]
    return kept, notes


def _kept(table: RawTable, wanted: Mapping[str, Any]) -> Iterator[RawRow]:
    # A table without the column is about something else (choice items beside expressions).
    tests = [(found, value) for h, value in wanted.items() if (found := find(h, table.headers))]
    for row in table.rows:
        if all(_meets(row.values.get(header), value) for header, value in tests):
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


def _with_nested(table: RawTable, paths: Iterable[str]) -> RawTable:
    """The table with a column more for each path into nested values of one of its columns."""
    new = {
        path: head
        for path in paths
        if find(path, table.headers) is None
        and (head := find(path.partition(".")[0], table.headers)) is not None
    }
    if not new:
        return table
    rows = []
    for row in table.rows:
        inside = {path: _inside(row.values.get(head), path) for path, head in new.items()}
        rows.append(replace(row, values={**row.values, **inside}))
    return replace(table, headers=(*table.headers, *new), rows=tuple(rows))


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
