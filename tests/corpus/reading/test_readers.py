"""Rows come from every format with the same text and with their place in the file."""

import io
from pathlib import Path

import openpyxl
import pandas
import pytest

from mouse.corpus.reading.raw import RawTable
from mouse.corpus.reading.readers import read
from mouse.errors import UserError


def table(path: Path, content: str | bytes) -> RawTable:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    reading = read(path)
    assert reading.faults == []
    (found,) = reading.tables
    return found


def test_csv_rows_know_the_line_they_begin_on(tmp_path: Path) -> None:
    found = table(tmp_path / "x.csv", 'id,原文\r\n1,a\r\n\r\n2,"b\nc"\r\n3,d\r\n')
    assert [(row.row, row.values["原文"]) for row in found.rows] == [
        (2, "a"),
        (4, "b\nc"),
        (6, "d"),
    ]
    assert found.headers == ("id", "原文") and found.section == "x"


@pytest.mark.parametrize("value", ["None", "NA", "null", "nan", "NULL", "N/A", "-", " x ", "007"])
def test_text_that_spells_a_missing_value_stays_text(tmp_path: Path, value: str) -> None:
    assert table(tmp_path / "x.csv", f"text,y\n{value},1\n").rows[0].values["text"] == value
    assert table(tmp_path / "x.tsv", f"text\ty\n{value}\t1\n").rows[0].values["text"] == value
    sheet = tmp_path / "x.xlsx"
    pandas.DataFrame({"text": [value], "y": [1]}).to_excel(sheet, index=False)
    assert read(sheet).tables[0].rows[0].values["text"] == value
    pandas.DataFrame({"text": [value]}).to_parquet(tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet").tables[0].rows[0].values["text"] == value


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_of_a_csv_file_is_the_headers(tmp_path: Path, delimiter: str) -> None:
    found = table(tmp_path / "x.csv", f"id{delimiter}text\n1{delimiter}a\n")
    assert found.rows[0].values == {"id": "1", "text": "a"}


def test_an_open_quotation_mark_is_a_fault_at_its_row(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('id,text\n1,a\n2,"b\n3,c\n')
    reading = read(tmp_path / "x.csv")
    assert [fault.row for fault in reading.faults] == [3]
    assert [row.values["text"] for row in reading.tables[0].rows] == ["a"]


def test_values_beyond_the_header_are_faults_and_short_rows_are_filled(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,text,\n1,a,,\n2,b,c\n3,d,,e\n4\n")
    reading = read(tmp_path / "x.csv")
    assert [(fault.row, fault.value) for fault in reading.faults] == [(3, "c"), (4, "e")]
    assert reading.tables[0].rows[3].values == {"id": "4", "text": ""}


def test_a_header_that_stands_twice_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,text,text\n1,a,b\n")
    assert "two columns" in read(tmp_path / "x.csv").faults[0].problem


def test_a_cell_may_be_longer_than_the_csv_modules_bound(tmp_path: Path) -> None:
    long = "字" * 200_000
    assert table(tmp_path / "x.csv", f"id,text\n1,{long}\n").rows[0].values["text"] == long


def test_gb18030_and_marks_are_read_and_noted(tmp_path: Path) -> None:
    text = "编号,原文\n1,你好世界𠮷\n"
    (tmp_path / "gb.csv").write_bytes(text.encode("gb18030"))
    (tmp_path / "mark.csv").write_bytes(text.encode("utf-8-sig"))
    gb, mark = read(tmp_path / "gb.csv"), read(tmp_path / "mark.csv")
    assert gb.tables[0].rows == mark.tables[0].rows
    assert gb.tables[0].headers == ("编号", "原文")
    assert gb.notes == ["gb.csv was read as GB18030."] and mark.notes == []


def test_an_undecodable_file_is_a_fault_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("id,text\n1,你好你好\n2,".encode() + b"\xe4\n")
    (fault,) = read(tmp_path / "x.csv").faults
    assert (fault.row, fault.field) == (3, "(encoding)")


def test_spreadsheet_values_know_their_cell(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append([None, None, None])
    book.active.append(["id", "text", "toxicity", "flag"])
    book.active.append([1, 91, 0.5, True])
    book.active.append([None, None, None])
    book.active.append(["b", "x", 12345678901, None])
    book.save(tmp_path / "x.xlsx")
    (found,) = read(tmp_path / "x.xlsx").tables
    assert [row.row for row in found.rows] == [3, 5]
    assert found.rows[0].values == {"id": "1", "text": "91", "toxicity": "0.5", "flag": True}
    assert found.rows[1].values["toxicity"] == "12345678901"
    assert found.rows[1].at("text") == "B5"
    assert found.file.endswith("x.xlsx[Sheet]")


def test_sheets_of_a_workbook_are_sections(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "cxei"
    book.active.append(["text"])
    book.active.append(["a"])
    second = book.create_sheet("ms")
    second.append(["text"])
    second.append(["b"])
    book.create_sheet("empty")
    book.save(tmp_path / "x.xlsx")
    assert [found.section for found in read(tmp_path / "x.xlsx").tables] == ["cxei", "ms"]


@pytest.mark.parametrize("name", ["x.xlsx", "x.parquet"])
def test_a_file_that_is_not_its_format_is_a_fault(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"not that")
    (fault,) = read(tmp_path / name).faults
    assert "not" in fault.problem


def test_parquet_keeps_lists_and_takes_nan_for_missing(tmp_path: Path) -> None:
    frame = pandas.DataFrame(
        {"text": ["a", None], "options": [["x", "y"], ["z"]], "toxicity": [1.0, float("nan")]}
    )
    frame.to_parquet(tmp_path / "x.parquet")
    first, second = read(tmp_path / "x.parquet").tables[0].rows
    assert first.values == {"text": "a", "options": ["x", "y"], "toxicity": 1.0}
    assert (second.row, second.values["text"], second.values["toxicity"]) == (2, None, None)


def test_json_sections_and_what_is_not_a_list(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"cxeis": [{"text": "a"}], "ms": [], "version": "1"}')
    reading = read(tmp_path / "x.json")
    assert [found.section for found in reading.tables] == ["cxeis"]
    assert reading.notes == ["x.json: 'version' is not a list of rows; left out."]


def test_rows_that_are_not_objects_and_bad_lines_are_faults(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"text": "a"}\n[1]\n{"text": \n"b"\n')
    reading = read(tmp_path / "x.jsonl")
    assert [fault.row for fault in reading.faults] == [2, 3, 4]
    assert len(reading.tables[0].rows) == 1


def test_a_folder_is_read_file_by_file_in_order_of_names(tmp_path: Path) -> None:
    for name in ("b.csv", "a.tsv", ".hidden.csv", "~$lock.xlsx", "CARD.md"):
        (tmp_path / name).write_text("text\nx\n")
    (tmp_path / "folder.csv").mkdir()
    assert [Path(found.file).name for found in read(tmp_path).tables] == ["a.tsv", "b.csv"]


def test_a_path_that_holds_no_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read(tmp_path / "x.csv")
    with pytest.raises(UserError, match="no data file"):
        read(tmp_path)
    (tmp_path / "x.doc").write_text("")
    with pytest.raises(UserError, match=r"unknown format \.doc.*\.jsonl"):
        read(tmp_path / "x.doc")


def test_what_pandas_writes_is_read_as_pandas_holds_it(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"id": ["1"], "text": ['他说"我🌶️么",\n然后\t走了']})
    buffer = io.StringIO()
    frame.to_csv(buffer, index=False)
    assert table(tmp_path / "x.csv", buffer.getvalue()).rows[0].values == frame.iloc[0].to_dict()
