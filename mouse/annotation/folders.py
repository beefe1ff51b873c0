"""A folder of sheets: its key, and reading back what people filled in with every fault named.

The key is a JSON file that says what each row is. Whose sheet a file is stands in its name
(`annotator_01.xlsx`) or, where rows are shuffled for each person so that a mix-up would be read
wrongly, in its first header (`id 9d341aa7-1`: the export's code and the person's number).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from mouse.annotation.sheets import FilledRow, SheetColumn, read_filled, read_header
from mouse.errors import Fault, UserError

Key = TypeVar("Key")

_IDENTITY = re.compile(r"^\S+ ([0-9a-f]{8})-(\d+)$")


def check_unused(path: Path) -> None:
    """Raise `UserError` where a folder has a key already: overwriting it would orphan its sheets."""
    if path.exists():
        raise UserError(f"{path} exists: its sheets may be in use; give another --out.")


def code_of(key: Any) -> str:
    """Eight hexadecimal characters that tell this export from any other."""
    canonical = json.dumps(asdict(key), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:8]


def write_key(path: Path, key: Any, **first: object) -> None:
    """Write a dataclass as JSON, `first` before its fields; after the sheets, so that a folder with
    a key has all of them."""
    text = json.dumps({**first, **asdict(key)}, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def read_key(path: Path, kind: type[Key], writer: str) -> Key:
    """What `write_key` wrote; `writer`: the command that does, for the messages of `UserError`."""
    if not path.is_file():
        raise UserError(
            f"{path} does not exist: give the folder that {writer} wrote, with {path.name} in it."
        )
    try:
        return _typed(kind, json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{path} is not what {writer} wrote: {error}.") from error


def _typed(kind: Any, value: Any) -> Any:
    """A value of JSON as the dataclass or tuple that `kind` is; what the kind lacks is ignored."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        known = {name: _typed(hints[name], part) for name, part in value.items() if name in hints}
        return kind(**known)  # type: ignore[operator]
    if get_origin(kind) is tuple:
        return tuple(_typed(get_args(kind)[0], part) for part in value)
    if isinstance(value, dict):
        return {name: _typed(get_args(kind)[1], part) for name, part in value.items()}
    return value


def read_rows(
    path: Path,
    columns: Sequence[SheetColumn],
    known: Collection[str],
    unknown_row: str,
    faults: list[Fault],
) -> dict[str, FilledRow]:
    """The filled rows of a sheet by id. A row that is not `known`, and all that `read_filled` refuses,
    goes to `faults`; `unknown_row` says what is wrong with such a row."""
    try:
        rows = {row.id: row for row in read_filled(path, columns)}
    except UserError as error:
        faults += getattr(error, "faults", ()) or [Fault(path.name, 1, "(file)", "", str(error))]
        return {}
    for row_id in sorted(set(rows) - set(known)):
        row = rows.pop(row_id)
        faults.append(Fault(path.name, row.addresses["id"], _head(columns), row_id, unknown_row))
    return rows


def missing_rows(
    file: str, columns: Sequence[SheetColumn], gone: Iterable[str], what: str
) -> list[Fault]:
    """A fault for each id whose row was deleted; `what` a row is (item, question)."""
    problem = f"the row of this {what} is gone"
    return [Fault(file, "-", _head(columns), row_id, problem) for row_id in sorted(gone)]


def _head(columns: Sequence[SheetColumn]) -> str:
    """What faults call the id column: its header, where that carries no code."""
    header = columns[0].header
    return "id" if " " in header else header


def read_named(
    folder: Path,
    stem: str,
    columns: Sequence[SheetColumn],
    given: Collection[str],
    unknown_row: str,
    faults: list[Fault],
) -> tuple[str, dict[str, FilledRow]]:
    """(file name, rows by id) of `STEM.xlsx` or `STEM.csv`, which has to hold all rows that were given."""
    files = [folder / f"{stem}{suffix}" for suffix in (".xlsx", ".csv")]
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        problem = f"no such sheet in {folder.name}/"
        faults.append(Fault(files[0].name, "-", "(file)", "", problem))
        return files[0].name, {}
    before = len(faults)
    rows = read_rows(file, columns, given, unknown_row, faults)
    if rows or len(faults) == before:
        faults += missing_rows(file.name, columns, set(given) - set(rows), "item")
    return file.name, rows


@dataclass(frozen=True)
class PersonSheet:
    """What one person handed in. `missing`: addresses of empty cells, and rows that are gone."""

    person: int
    file: str
    answers: Mapping[Any, Any]
    missing: tuple[str, ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)


def read_identified(
    files: Iterable[Path],
    code: str,
    people: int,
    read: Callable[[Path, int, list[Fault]], PersonSheet],
    words: tuple[str, str],
    faults: list[Fault],
) -> dict[int, PersonSheet]:
    """The sheet of each person who handed one in, by number; whose it is says its first header.

    An untouched sheet counts only where there is no filled one. `words`: what such a person and
    such answers are called, for the fault of two sheets that differ.
    """
    sheets: dict[int, list[PersonSheet]] = {}
    for path in files:
        person = _whose(path, code, people, faults)
        if person is not None:
            sheets.setdefault(person, []).append(read(path, person, faults))
    chosen = {}
    for person in sorted(sheets):
        filled = [sheet for sheet in sheets[person] if sheet.answers] or sheets[person][:1]
        first = chosen[person] = filled[0]
        problem = (
            f"{first.file} is the same {words[0]}'s sheet with other {words[1]}; "
            "keep one of the two"
        )
        faults += [
            Fault(other.file, "-", "(file)", f"{words[0]} {person}", problem)
            for other in filled[1:]
            if other.answers != first.answers
        ]
    return chosen


def sheet_files(folder: Path, inner: str, passed_over: str) -> list[Path]:
    """Sheets of a folder and of its sub-folder `inner`, the XLSX first.

    Not the file that is nobody's sheet, and not the lock files of an open spreadsheet program.
    """
    found = [
        path
        for place in (folder, folder / inner)
        if place.is_dir()
        for path in place.iterdir()
        if path.suffix.lower() in (".xlsx", ".csv")
        and not path.name.startswith((".", "~"))
        and path.name != passed_over
    ]
    return sorted(found, key=lambda path: (path.suffix.lower() != ".xlsx", path.name))


def _whose(path: Path, code: str, people: int, faults: list[Fault]) -> int | None:
    """The number of the person whose sheet it is; None, with a fault, for a sheet of no use."""
    try:
        header = read_header(path)
    except UserError as error:
        faults.append(Fault(path.name, 1, "(file)", "", str(error)))
        return None
    identities = [found for cell in header if (found := _IDENTITY.match(cell))]
    value: object = ", ".join(header)
    if len(identities) != 1:
        problem = "no column is headed by the export's code, so it cannot be told whose sheet it is"
    elif identities[0][1] != code:
        value, problem = identities[0][1], f"a sheet of another export; this key is of {code}"
    elif not 1 <= (value := int(identities[0][2])) <= people:
        problem = f"the export has sheets 1 to {people}"
    else:
        return value
    faults.append(Fault(path.name, 1, "header", value, problem))
    return None
