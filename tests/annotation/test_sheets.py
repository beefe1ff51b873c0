"""Sheets go out harmless and come back with every bad cell named by its address."""

from __future__ import annotations

import csv

import pytest
from openpyxl import load_workbook

from mouse.annotation.sheets import SheetColumn, harmless, read_filled, write_csv, write_xlsx
from mouse.errors import DataError, UserError

COLUMNS = (
    SheetColumn("id", "id"),
    SheetColumn("text", "text", 40),
    SheetColumn("rating", "rating", choices=("0", "1", "2")),
    SheetColumn("toxic", "toxic", choices=("0", "1")),
    SheetColumn("comment", "comment", free=True),
)
ROWS = [
    {"id": "r1", "text": "=HYPERLINK(1)"},
    {"id": "r2", "text": "好🌶️\n两行"},
    {"id": "r3", "text": "@某人 +1"},
]


def fill(path, values):
    """Fill in rating and toxic columns as a person would, and save."""
    book = load_workbook(path)
    sheet = book["rows"]
    for address, value in values.items():
        sheet[address] = value
    book.save(path)


def test_a_filled_sheet_comes_back(tmp_path):
    path = tmp_path / "sheet.xlsx"
    write_xlsx(path, COLUMNS, ROWS, ["How to", "rate"])
    fill(path, {"C2": 2, "D2": 0, "C3": "1", "D3": 1.0, "C4": 0})
    rows = read_filled(path, COLUMNS)
    assert [row.id for row in rows] == ["r1", "r2", "r3"]
    assert rows[0].values == {"rating": "2", "toxic": "0"}
    assert rows[1].values == {"rating": "1", "toxic": "1"}
    assert rows[2].values == {"rating": "0", "toxic": None}
    assert rows[2].missing == ("D4",)


def test_no_cell_is_a_formula_and_choices_are_drop_downs(tmp_path):
    path = tmp_path / "sheet.xlsx"
    write_xlsx(path, COLUMNS, ROWS, ["=1+1"])
    book = load_workbook(path)
    for sheet in book:
        for line in sheet.iter_rows():
            for cell in line:
                assert cell.data_type != "f"
    cell = book["rows"]["B2"]
    assert cell.value == "=HYPERLINK(1)"
    assert cell.quotePrefix
    validations = book["rows"].data_validations.dataValidation
    assert {v.formula1: str(v.sqref) for v in validations} == {
        '"0,1,2"': "C2:C4",
        '"0,1"': "D2:D4",
    }


def test_impossible_cells_are_all_named_by_address(tmp_path):
    path = tmp_path / "sheet.xlsx"
    write_xlsx(path, COLUMNS, ROWS, [])
    fill(path, {"C2": 3, "C3": "x", "D4": "yes"})
    with pytest.raises(DataError) as caught:
        read_filled(path, COLUMNS)
    assert [fault.row for fault in caught.value.faults] == ["C2", "C3", "D4"]
    assert "one of 0, 1, 2 is needed" in str(caught.value)


def test_sorted_rows_are_found_by_their_id_and_a_repeated_id_is_refused(tmp_path):
    path = tmp_path / "sheet.xlsx"
    write_xlsx(path, COLUMNS, ROWS, [])
    fill(path, {"A2": "r3", "A4": "r1", "C2": 0, "C4": 2})
    by_id = {row.id: row.values["rating"] for row in read_filled(path, COLUMNS)}
    assert by_id == {"r3": "0", "r2": None, "r1": "2"}
    fill(path, {"A3": "r3"})
    with pytest.raises(DataError, match="row 2 has this id too"):
        read_filled(path, COLUMNS)


def test_csv_is_harmless_and_comes_back(tmp_path):
    path = tmp_path / "sheet.csv"
    write_csv(path, COLUMNS, [{**row, "rating": "1", "toxic": "0"} for row in ROWS])
    with path.open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for line in csv.reader(file) for cell in line]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert [row.values["rating"] for row in read_filled(path, COLUMNS)] == ["1", "1", "1"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_harmless(start):
    assert harmless(start + "cmd")[0] == "'"
    assert harmless("a" + start) == "a" + start


def test_a_missing_column_and_a_missing_file_are_said(tmp_path):
    path = tmp_path / "sheet.xlsx"
    write_xlsx(path, COLUMNS[:3], ROWS, [])
    with pytest.raises(DataError, match="toxic: this column is missing"):
        read_filled(path, COLUMNS)
    with pytest.raises(UserError, match="there is no sheet"):
        read_filled(tmp_path / "none.xlsx", COLUMNS)
    (tmp_path / "bad.xlsx").write_bytes(b"not a zip")
    with pytest.raises(UserError, match="cannot be read as XLSX"):
        read_filled(tmp_path / "bad.xlsx", COLUMNS)
