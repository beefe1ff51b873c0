"""Turns raw rows into items, and collects everything that is wrong with them on the way."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from mouse.corpus.derivations import component_fault
from mouse.corpus.items import CXEI, OPTION_LETTERS, ChoiceItem, ChoiceTask, Components
from mouse.corpus.labels import COMPONENTS, fold, spellings
from mouse.corpus.reading import values
from mouse.corpus.reading.advice import (
    as_arguments,
    free_headers,
    guesses,
    missing_labels,
    sampled,
    unknown_words,
    unused_note,
)
from mouse.corpus.reading.columns import ColumnMap, Resolved, TableKind
from mouse.corpus.reading.raw import RawTable, Reading, is_missing
from mouse.corpus.reading.rows import Row
from mouse.corpus.reading.shaping import Shape, reshape
from mouse.errors import DataError, Fault

Section = Literal["cxei", "ms", "cc"]

_SECTIONS = cast(
    "dict[str, Section]",
    {word: section for section, words in spellings("section").items() for word in words},
)

LEFT_OUT = frozenset({"ratings"})
"""Names of files that lie beside items in a data folder and are not items."""

_BLANK = re.compile("_{2,}|＿{2,}")


@dataclass
class Items:
    """What rows gave."""

    cxeis: list[CXEI] = field(default_factory=list)
    choices: list[ChoiceItem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def section_of(name: str) -> Section | None:
    """What a file's stem, a sheet's name or a JSON key says of its rows (`mouse_ms` → ms)."""
    words = map(fold, (name, *re.split(r"[\W_]+", name)))
    return next((_SECTIONS[word] for word in words if word in _SECTIONS), None)


def build(reading: Reading, columns: ColumnMap, shape: Shape | None = None) -> Items:
    """Items of all tables, in the order of the files, after `shape` brought them into ours.

    Raises `DataError` with every fault. Columns that mean nothing here are noted, not refused.
    """
    tables = [table for table in reading.tables if table.section not in LEFT_OUT]
    shape = shape or Shape()
    # What refers to an expression that a filter leaves out is not wrong for that.
    known = _expression_ids(tables, columns) if shape.where else set()
    tables, notes = reshape(tables, shape, columns)
    columns.check_used([table.headers for table in tables])
    items = Items(notes=[*reading.notes, *notes])
    unknown: Counter[tuple[str, str]] = Counter()
    faults = list(reading.faults)
    places: dict[tuple[str, str], str] = {}
    references: list[tuple[str, Row]] = []
    contents: Counter[str] = Counter()
    for table in tables:
        kind = _kind(table, columns)
        resolved = columns.resolve(kind, table.headers)
        if not _usable(table, kind, resolved, faults, shape):
            continue
        if unused := unused_note(table, kind, resolved, shape):
            items.notes.append(unused)
        built: list[tuple[Row, CXEI | ChoiceItem]] = []
        for raw in table.rows:
            row = Row(table, raw, resolved, faults, shape, unknown)
            item = _cxei(row) if kind == "cxei" else _choice(row, section_of(table.section))
            if kind == "cxei":
                # Of faulty rows too: what refers to them is not wrong for that.
                known.add(str(row.get("id")))
            if item is not None:
                built.append((row, item))
        if "id" not in resolved.headers and built:
            items.notes.append(f"{Path(table.file).name}: no id column; ids made from the content.")
            built = [(row, _with_id(item, contents)) for row, item in built]
        for row, item in built:
            _register(row, item, places)
            if isinstance(item, CXEI):
                items.cxeis.append(item)
            else:
                items.choices.append(item)
                references.append((item.cxei_id, row))
    for wanted, row in references:
        if wanted and known and wanted not in known:
            row.fault("cxei_id", "there is no CXEI with this id in the data", wanted)
    if faults:
        head = " ".join([*unknown_words(unknown), f"The data has {len(faults)} fault(s):"])
        raise DataError(head, faults)
    if not items.cxeis and not items.choices:
        raise DataError("The data holds no items: every file is empty.")
    return items


def _kind(table: RawTable, columns: ColumnMap) -> TableKind:
    section = section_of(table.section)
    if section is None:
        return columns.kind(table.headers)
    return "cxei" if section == "cxei" else "choice"


def _expression_ids(tables: Sequence[RawTable], columns: ColumnMap) -> set[str]:
    """The ids of all expressions, before any row is left out."""
    found: set[str] = set()
    for table in tables:
        if _kind(table, columns) == "cxei":
            header = columns.resolve("cxei", table.headers).headers.get("id")
            found |= {str(row.values.get(header)) for row in table.rows if header}
    return found


def _usable(
    table: RawTable, kind: TableKind, resolved: Resolved, faults: list[Fault], shape: Shape
) -> bool:
    """Whether a table has the columns that its items need; faults, with advice, where not."""
    needed = ("original_text",) if kind == "cxei" else ("text", "answer")
    missing = [name for name in needed if name not in resolved.headers]
    if kind == "choice" and not {"options", "option_a"} & set(resolved.headers):
        missing.append("options")
    problems = list(resolved.problems)
    if missing:
        labels = missing_labels(resolved, shape) if kind == "cxei" else []
        found = guesses(table, free_headers(table, resolved, shape), [*missing, *labels])
        there = f"no column for this field; the columns are: {sampled(table, table.headers)}. "
        for name in missing:
            by_values = f"By their values, add {as_arguments(found)}"
            add = by_values if name in found else f"Add data.columns.{name}=HEADER"
            problems.append((name, there + add))
    for name, problem in problems:
        faults.append(Fault(table.file, "header", name, list(table.headers), problem))
    return not missing


def _cxei(row: Row) -> CXEI | None:
    original = row.text("original_text", required=True)
    reference = row.text("reference")
    toxic = row.label("toxicity", values.flag)
    steps = row.label("derivation", values.derivation) or ()
    for number, step in enumerate(steps, start=1):
        for part in (step.surface, step.target, *step.chain):
            if part:
                row.is_text("derivation", part)
        if original and step.surface not in original:
            problem = f"step {number}: the surface does not stand in the original text"
            row.fault("derivation", problem, step.surface)
        if reference and step.target not in reference:
            problem = f"step {number}: the target does not stand in the reference"
            row.fault("derivation", problem, step.target)
    item = CXEI(
        id=row.identifier("id", required=row.has("id")),
        original_text=original,
        reference=reference or None,
        components=_components(row),
        intent=row.label("intent", values.intent),
        toxicity=None if toxic is None else (1 if toxic else 0),
        source=row.text("source"),
        revision=row.identifier("revision"),
        derivation=steps,
        group=row.identifier("group"),
    )
    if row.sound and (problem := component_fault(item)):
        row.fault("components", problem, row.get("components"))
    if row.sound and steps and row.label("open_case", values.flag) not in (None, item.open_case):
        row.fault("open_case", "the derivation says otherwise", row.get("open_case"))
    return item if row.sound else None


def _components(row: Row) -> Components:
    listed = row.label("components", values.components)
    flags = {}
    for name in COMPONENTS:
        flags[name] = getattr(listed, name, None)
        flag = row.label(name, values.flag)
        if flag is not None and flags[name] not in (None, flag):
            row.fault(name, "contradicts the column of components", flag)
        elif flag is not None:
            flags[name] = flag
    return Components(**flags)


def _choice(row: Row, section: Section | None) -> ChoiceItem | None:
    text = row.text("text", required=True)
    context = row.text("context")
    task: ChoiceTask | None = row.label("task", _task)
    if task is None and section != "cxei":
        task = section
    if task is None:
        task = "cc" if context or _BLANK.search(text) else "ms"
    if task == "ms" and context:
        problem = "meaning selection has no context; leave the column out with columns.context="
        row.fault("context", problem, context)
    choices = _options(row)
    answer = row.label("answer", lambda value: values.answer(value, choices)) if choices else ""
    item = ChoiceItem(
        id=row.identifier("id", required=row.has("id")),
        task=task,
        context=context,
        text=text,
        options=choices,
        answer=answer or "",
        cxei_id=row.identifier("cxei_id"),
    )
    return item if row.sound else None


def _task(value: object) -> ChoiceTask | None:
    if is_missing(value):
        return None
    found = _SECTIONS.get(fold(value)) if isinstance(value, str) else None
    if found is None or found == "cxei":
        raise ValueError("unknown task; expected ms (meaning selection) or cc (cloze)")
    return found


def _options(row: Row) -> tuple[str, ...]:
    """The item's options; an empty tuple, with faults noted, where they are not sound."""
    name = "options"
    found: tuple[Any, ...]
    if row.has(name):
        if is_missing(row.get(name)):
            row.fault(name, "missing; this field may not be empty", row.get(name))
            return ()
        found = row.label(name, values.options) or ()
    else:
        cells = [row.get(f"option_{letter.lower()}") for letter in OPTION_LETTERS]
        while cells and is_missing(cells[-1]):
            cells.pop()
        found = tuple("" if cell is None else cell for cell in cells)
    if row.sound and not 2 <= len(found) <= len(OPTION_LETTERS):
        row.fault(name, f"expected 2 to {len(OPTION_LETTERS)} options", found)
    for letter, option in zip(OPTION_LETTERS, found, strict=False):
        cell = name if row.has(name) else f"option_{letter.lower()}"
        if not isinstance(option, str):
            row.fault(cell, f"option {letter}: expected text", option)
        elif option == "":
            row.fault(cell, f"option {letter} is empty", option)
        else:
            row.is_text(cell, option)
    shown = [str(option).strip() for option in found]
    for twice in sorted({option for option in shown if option and shown.count(option) > 1}):
        row.fault(name, "two options are the same", twice)
    return found if len(found) <= len(OPTION_LETTERS) else ()


def _with_id(item: CXEI | ChoiceItem, seen: Counter[str]) -> CXEI | ChoiceItem:
    """The item with an id made from its content, which no order of rows or files changes.

    `seen` counts equal contents over all tables; the second is called `…-2`.
    """
    content = json.dumps(asdict(item), sort_keys=True).encode("ascii")
    stem = hashlib.sha256(content).hexdigest()[:12]
    seen[stem] += 1
    return replace(item, id=f"{stem}-{seen[stem]}" if seen[stem] > 1 else stem)


def _register(row: Row, item: CXEI | ChoiceItem, places: dict[tuple[str, str], str]) -> None:
    """Note where an id stands, and a fault where it stood before (ids are unique by task)."""
    key = ("cxei" if isinstance(item, CXEI) else item.task, item.id)
    if key in places:
        row.fault("id", f"this id stands before, at {places[key]}", item.id)
    else:
        places[key] = row.where()
