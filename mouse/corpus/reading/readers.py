"""Reads rows from a file or a folder in any supported format, and remembers where each stood.

A row is what the file says, under the file's own headers: what the columns mean is
`columns`' business, and whether the values are right is `build`'s. Text is never normalised,
stripped, or taken for a missing value because it spells one (`None`, `NA`, `null`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from mouse.corpus.reading import json_rows
from mouse.corpus.reading.decode import decode
from mouse.corpus.reading.raw import RawRow, RawTable, Reading, ReadingError
from mouse.errors import Fault, UserError

# A cell may hold a long dialogue; the csv module's own bound is 128 KiB.
csv.field_size_limit(2**31 - 1)


def read(*paths: Path) -> Reading:
    """All tables of files, and of the data files that lie directly in folders, by name.

    Faults of the files are collected, not raised. Raises `UserError` where there is no such
    path, or no data file under it.
    """
    reading = Reading()
    for file in [file for path in paths for file in _files(path)]:
        try:
            READERS[file.suffix.lower()](file, reading)
        except ReadingError as error:
            reading.faults.append(error.fault(str(file)))
        except OSError as error:
            raise UserError(f"{file}: cannot be read ({error.strerror or error})") from error
    return reading


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise UserError(f"{path}: no such file or folder")
    formats = ", ".join(sorted(READERS))
    if not path.is_dir():
        if path.suffix.lower() not in READERS:
            suffix = path.suffix or "(no suffix)"
            raise UserError(f"{path}: unknown format {suffix}; expected {formats}")
        return [path]
    files = [file for file in sorted(path.iterdir()) if file.is_file()]
    files = [f for f in files if f.suffix.lower() in READERS and f.name[0] not in "._~"]
    if not files:
        raise UserError(f"{path}: no data file in this folder; expected {formats}")
    return files


def _text(path: Path, reading: Reading) -> str:
    text, encoding = decode(path.read_bytes())
    if encoding != "utf-8":
        reading.notes.append(f"{path.name} was read as {encoding.upper()}.")
    return text


def _table(file: str, section: str, rows: Iterable[tuple[int, Any]], reading: Reading) -> None:
    """A table from decoded JSON rows; what is not an object is a fault."""
    headers: dict[str, None] = {}
    kept = []
    for line, value in rows:
        if isinstance(value, ReadingError):
            reading.faults.append(value.fault(file))
        elif isinstance(value, dict):
            headers.update(dict.fromkeys(value))
            kept.append(RawRow(line, value))
        else:
            problem = "expected an object with one value a field"
            reading.faults.append(Fault(file, line, "(row)", value, problem))
    if kept:
        reading.tables.append(RawTable(file, section, tuple(headers), tuple(kept)))


def _read_jsonl(path: Path, reading: Reading) -> None:
    _table(str(path), path.stem, json_rows.rows_of_lines(_text(path, reading)), reading)


def _read_json(path: Path, reading: Reading) -> None:
    for section, rows in json_rows.sections_of(_text(path, reading)):
        if isinstance(rows, list):
            _table(str(path), section or path.stem, rows, reading)
        else:
            reading.notes.append(f"{path.name}: {section!r} is not a list of rows; left out.")


def _read_delimited(path: Path, reading: Reading) -> None:
    text = _text(path, reading)
    grid: list[tuple[int, list[Any]]] = []
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(path, text), strict=True)
    line = 1
    try:
        for cells in lines:
            grid.append((line, cells))
            line = lines.line_num + 1
    except csv.Error as error:
        problem = f"cannot be read: {error} (is a quotation mark not closed?)"
        fault = Fault(str(path), line, "(row)", "", f"the row that begins here {problem}")
        reading.faults.append(fault)
    _grid(str(path), path.stem, grid, reading)


def _delimiter(path: Path, text: str) -> str:
    first = text.split("\n", 1)[0]
    if path.suffix.lower() in (".tsv", ".tab"):
        return "\t"
    # Spreadsheets of some locales write ; into .csv, and «Unicode text» has tabs.
    return max(",;\t", key=lambda delimiter: (first.count(delimiter), delimiter == ","))


def _read_xlsx(path: Path, reading: Reading) -> None:
    import python_calamine

    try:
        book = python_calamine.CalamineWorkbook.from_path(str(path))
        sheets = [
            (name, book.get_sheet_by_name(name).to_python(skip_empty_area=False))
            for name in book.sheet_names
        ]
    except python_calamine.CalamineError as error:
        raise ReadingError(f"not a readable workbook: {error}") from error
    for name, cells in sheets:
        section = path.stem if len(sheets) == 1 and name.startswith("Sheet") else name
        grid = [(row, [_cell(cell) for cell in line]) for row, line in enumerate(cells, start=1)]
        _grid(f"{path}[{name}]", section, grid, reading, addresses=True)


def _cell(value: Any) -> Any:
    """A number as a person sees it in the cell: a spreadsheet knows floats alone (91 is 91.0)."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return value


def _grid(
    file: str,
    section: str,
    grid: list[tuple[int, list[Any]]],
    reading: Reading,
    addresses: bool = False,
) -> None:
    """A table from rows of cells whose first non-empty row holds the headers."""
    filled = [(row, cells) for row, cells in grid if any(cell != "" for cell in cells)]
    if not filled:
        return
    first, titles = filled[0]
    headers = ["" if title is None else str(title).strip() for title in titles]
    for header in {header for header in headers if header and headers.count(header) > 1}:
        reading.faults.append(Fault(file, first, header, header, "two columns have this header"))
    rows = []
    for row, cells in filled[1:]:
        for column in range(len(cells)):
            if cells[column] != "" and (column >= len(headers) or not headers[column]):
                where = f"{_letters(column)}{row}" if addresses else row
                problem = f"a value beyond the header's {len(headers)} columns"
                if column < len(headers):
                    problem = f"a value in column {column + 1}, which has no header"
                reading.faults.append(Fault(file, where, "(row)", cells[column], problem))
        named = [(column, header) for column, header in enumerate(headers) if header]
        rows.append(
            RawRow(
                row,
                {header: cells[at] if at < len(cells) else "" for at, header in named},
                {header: f"{_letters(at)}{row}" for at, header in named} if addresses else {},
            )
        )
    reading.tables.append(RawTable(file, section, tuple(filter(None, headers)), tuple(rows)))


def _letters(column: int) -> str:
    """Spreadsheet letters of a 0-based column: A, …, Z, AA, …"""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _read_parquet(path: Path, reading: Reading) -> None:
    import pyarrow
    import pyarrow.parquet

    try:
        # One file, not a data set: a folder named `task=ms` is not to become a column.
        table = pyarrow.parquet.ParquetFile(path).read()
        records = table.to_pylist()
    except (pyarrow.ArrowException, UnicodeDecodeError) as error:
        raise ReadingError(f"not readable Parquet: {error}") from error
    rows = tuple(
        # pandas writes a missing value as a float NaN.
        RawRow(number, {name: None if value != value else value for name, value in record.items()})
        for number, record in enumerate(records, start=1)
    )
    # pandas stores an index it could not drop as a column of its own.
    headers = tuple(name for name in table.column_names if name != "__index_level_0__")
    reading.tables.append(RawTable(str(path), path.stem, headers, rows))


READERS: Mapping[str, Callable[[Path, Reading], None]] = {
    ".jsonl": _read_jsonl,
    ".ndjson": _read_jsonl,
    ".json": _read_json,
    ".csv": _read_delimited,
    ".tsv": _read_delimited,
    ".tab": _read_delimited,
    ".xlsx": _read_xlsx,
    ".parquet": _read_parquet,
}
"""Reader of each file-name ending."""
