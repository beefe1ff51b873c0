"""Sheets for people: written as XLSX (and CSV) with drop-downs, read back with every bad cell named.

Rows are found again by an id column, so raters may sort and filter; of text cells only those that
raters write (`free` columns) are read back, so what a program does to the others changes nothing.
Text that would be a formula (it begins with = + - @ or a control character) is written so that no
program runs it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mouse.annotation.sheet_layout import GUIDE_WIDTH, MAX_CELL, row_height, timeless
from mouse.corpus.reading.decode import decode
from mouse.corpus.reading.raw import ReadingError
from mouse.errors import DataError, Fault, UserError

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
SHEET = "rows"
YES_NO = ("是", "否")


@dataclass(frozen=True)
class SheetColumn:
    """One column of a sheet. `choices`: the only values a filled-in cell may have."""

    name: str
    header: str
    width: int = 12
    """Characters."""
    choices: tuple[str, ...] = ()
    free: bool = False
    """Filled in by the rater with any text (a comment); may stay empty."""


@dataclass(frozen=True)
class FilledRow:
    """One row that a rater filled in: its id and the value of each choice column, None where empty."""

    id: str
    values: Mapping[str, str | None]
    missing: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """What the rater wrote into each free column that the sheet still has; empty if nothing."""
    addresses: Mapping[str, str] = field(default_factory=dict)
    """Where each of these cells is (`C7`)."""


def harmless(text: str) -> str:
    """The text for a CSV cell: one that a spreadsheet would run gets an apostrophe before it."""
    return "'" + text if text.startswith(FORMULA_STARTS) else text


def write_xlsx(
    path: Path,
    columns: Sequence[SheetColumn],
    rows: Sequence[Mapping[str, str]],
    guidelines: Sequence[str],
) -> None:
    """Write a guidelines sheet and the rows, the first column the id; equal arguments, equal bytes."""
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font, PatternFill
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook()
    sheet = book.active
    sheet.title = SHEET
    top = Alignment(wrap_text=True, vertical="top")
    middle = Alignment(wrap_text=True, vertical="top", horizontal="center")
    for index, column in enumerate(columns, 1):
        head = sheet.cell(1, index, column.header)
        head.font = Font(bold=True)
        head.alignment = top
        head.fill = PatternFill("solid", fgColor="FFF2CC" if column.choices else "E7E6E6")
        letter = get_column_letter(index)
        sheet.column_dimensions[letter].width = column.width
        if column.choices and rows:
            allowed = DataValidation(
                type="list", formula1=f'"{",".join(column.choices)}"', allow_blank=True
            )
            allowed.showErrorMessage = True
            allowed.add(f"{letter}2:{letter}{len(rows) + 1}")
            sheet.add_data_validation(allowed)
    sheet.row_dimensions[1].height = row_height([(c.header, c.width) for c in columns], bold=True)
    for number, row in enumerate(rows, 2):
        texts = [(row.get(column.name, ""), column.width) for column in columns]
        sheet.row_dimensions[number].height = row_height(texts)
        for index, (text, _) in enumerate(texts, 1):
            cell = sheet.cell(number, index)
            cell.alignment = middle if columns[index - 1].choices else top
            if text:
                _set_text(cell, text)
    sheet.freeze_panes = "B2"
    guide = book.create_sheet("guidelines")
    guide.column_dimensions["A"].width = GUIDE_WIDTH
    for number, line in enumerate(guidelines, 1):
        cell = guide.cell(number, 1)
        _set_text(cell, line)
        cell.alignment = top
        if number == 1:
            cell.font = Font(bold=True, size=14)
        guide.row_dimensions[number].height = (
            24 if number == 1 else row_height([(line, GUIDE_WIDTH)])
        )
    buffer = io.BytesIO()
    book.save(buffer)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(timeless(buffer.getvalue()))
    except OSError as error:
        raise UserError(f"the sheet {path} cannot be written: {error.strerror}.") from error


def _set_text(cell: Any, text: str) -> None:
    """Put text into a cell as text, whatever it begins with."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    clean = ILLEGAL_CHARACTERS_RE.sub("\ufffd", text)
    if len(clean) > MAX_CELL:
        clean = clean[:MAX_CELL] + "…"
    cell.value = clean
    cell.data_type = "s"
    if clean.startswith(FORMULA_STARTS):
        # What a person gets by typing an apostrophe first: the program shows the text as it is.
        cell.quotePrefix = True


def write_csv(
    path: Path, columns: Sequence[SheetColumn], rows: Sequence[Mapping[str, str]]
) -> None:
    """The same rows as CSV with a byte order mark, which Excel needs to see UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([column.header for column in columns])
        for row in rows:
            writer.writerow([harmless(row.get(column.name, "")) for column in columns])


def read_header(path: Path) -> list[str]:
    """The cells of a sheet's first row; empty for an empty sheet. Raises `UserError`."""
    grid = _grid(path)
    return [str(value).strip() for value in grid[0]] if grid else []


def read_filled(path: Path, columns: Sequence[SheetColumn]) -> list[FilledRow]:
    """Read a sheet that a rater filled in (XLSX or CSV); empty cells are no fault.

    Raises `DataError` with every impossible cell, doubled id and missing header.
    """
    grid = _grid(path)
    if not grid:
        raise DataError(f"{path.name} has no rows.")
    header = [str(value).strip() for value in grid[0]]
    id_column, choices = columns[0].name, [column for column in columns if column.choices]
    faults = [
        Fault(path.name, 1, column.header, ", ".join(header), "this column is missing")
        for column in (columns[0], *choices)
        if column.header not in header
    ]
    if faults:
        raise DataError(f"{path.name} is not the sheet that was handed out:", faults)
    free = [column for column in columns if column.free and column.header in header]
    places = {c.name: header.index(c.header) for c in (columns[0], *choices, *free)}
    rows: list[FilledRow] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(grid[1:], 2):
        cells = {
            name: str(line[place]).strip() if place < len(line) else ""
            for name, place in places.items()
        }
        if not any(cells.values()):
            continue
        addresses = {name: _address(place, number) for name, place in places.items()}
        row_id = cells[id_column]
        if not row_id or row_id in seen:
            problem = f"row {seen[row_id]} has this id too" if row_id else "the id is empty"
            faults.append(Fault(path.name, addresses[id_column], "id", row_id, problem))
            continue
        seen[row_id] = number
        values = {column.name: _plain_number(cells[column.name]) or None for column in choices}
        faults += [
            Fault(
                *(path.name, addresses[column.name], column.header, cells[column.name]),
                f"one of {', '.join(column.choices)} is needed",
            )
            for column in choices
            if values[column.name] not in (None, *column.choices)
        ]
        missing = tuple(addresses[name] for name, value in values.items() if value is None)
        texts = {column.name: _written(cells[column.name]) for column in free}
        rows.append(FilledRow(row_id, values, missing, texts, addresses))
    if faults:
        raise DataError(f"{path.name} has {len(faults)} impossible cells:", faults)
    return rows


def _written(text: str) -> str:
    """The text without the apostrophe that `harmless` put before it."""
    return text[1:] if text[:1] == "'" and text[1:].startswith(FORMULA_STARTS) else text


def _plain_number(text: str) -> str:
    """`2.0`, as some programs save a 2, is `2`."""
    return text[:-2] if text.endswith(".0") and text[:-2].isdigit() else text


def _address(column: int, row: int) -> str:
    from openpyxl.utils import get_column_letter

    return f"{get_column_letter(column + 1)}{row}"


def _grid(path: Path) -> list[list[Any]]:
    if not path.is_file():
        raise UserError(f"there is no sheet {path}.")
    if path.suffix.lower() == ".csv":
        try:
            text, _ = decode(path.read_bytes())
        except ReadingError as error:
            raise UserError(f"{path.name}, line {error.line}: {error.problem}.") from error
        return [list(line) for line in csv.reader(io.StringIO(text, newline=""))]
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_path(str(path))
        name = SHEET if SHEET in book.sheet_names else book.sheet_names[0]
        return book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    except (CalamineError, OSError, ValueError) as error:
        raise UserError(f"{path.name} cannot be read as XLSX: {error}.") from error
