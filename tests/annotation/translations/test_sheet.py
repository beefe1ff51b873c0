"""Sheets go out blind and the same by seed, and come back with every fault by file and cell."""

from __future__ import annotations

import hashlib
import json

import pytest
from openpyxl import load_workbook

from mouse.annotation.sheets import read_filled, write_csv
from mouse.annotation.translations.sheet import columns, export_sheets, import_sheets, load_key
from mouse.errors import DataError, UserError

RUN = "a" * 32
SCORES = [0] * 20 + [1] * 10 + [2] * 30


@pytest.fixture
def exported(tmp_path, make_population):
    folder = tmp_path / "out"
    key = export_sheets(
        make_population(SCORES, zeros=5), folder, run_id=RUN, n=12, seed=3, raters=2
    )
    return folder, key


def cells(path, sheet="rows"):
    return [[cell.value for cell in line] for line in load_workbook(path)[sheet].iter_rows()]


def fill(path, ratings):
    """Type ratings by row id into a sheet as a person would, and save it."""
    book = load_workbook(path)
    sheet = book["rows"]
    for number in range(2, sheet.max_row + 1):
        row = sheet.cell(number, 1).value
        if row in ratings:
            sheet.cell(number, 5).value = ratings[row]
    book.save(path)


def sheet_of(folder, rater):
    return folder / "for_raters" / f"rater_{rater}.xlsx"


def everything(key, value=1):
    return {row.row: value for row in key.rows}


def test_sheets_are_blind_shuffled_and_harmless(exported):
    folder, key = exported
    first, second = cells(sheet_of(folder, 1)), cells(sheet_of(folder, 2))
    assert first[0][0] == f"编号 {key.code}-1"
    assert second[0][0] == f"编号 {key.code}-2"
    rows = [line[0] for line in first[1:]]
    assert sorted(rows) == [f"r{i:03d}" for i in range(1, 13)]
    assert rows != [line[0] for line in second[1:]] != sorted(rows)
    assert sorted(map(tuple, (line[:4] for line in first[1:]))) == sorted(
        map(tuple, (line[:4] for line in second[1:]))
    )
    for path in (folder / "for_raters").iterdir():
        if path.suffix == ".csv":
            text = path.read_text(encoding="utf-8-sig")
        else:
            book = load_workbook(path)
            assert all(c.data_type != "f" for s in book for line in s.iter_rows() for c in line)
            text = json.dumps([cells(path), cells(path, "guidelines")])
            assert book["rows"].data_validations.dataValidation[0].formula1 == '"0,1,2"'
        assert "item0" not in text and RUN not in text
    csv = (folder / "for_raters/rater_1.csv").read_text(encoding="utf-8-sig")
    assert ",'=1+" in csv
    # Nothing that is rated is filled in, and the answers' order is not the scores'.
    assert all(line[4] is None and line[5] is None for line in first[1:])


def test_the_same_arguments_write_the_same_bytes(tmp_path, make_population):
    def digest(folder, seed):
        export_sheets(make_population(SCORES), folder, run_id=RUN, n=12, seed=seed, raters=2)
        return {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*.*"))
        }

    one, same, other = (digest(tmp_path / n, s) for n, s in (("a", 1), ("b", 1), ("c", 2)))
    assert one == same
    assert len(one) == 5
    assert all(one[name] != other[name] for name in one)


def test_guidelines_come_in_both_languages(tmp_path, make_population):
    for lang, title, header in (("zh", "评分说明", "编号"), ("en", "How to rate", "id")):
        folder = tmp_path / lang
        key = export_sheets(make_population(SCORES), folder, run_id=RUN, n=6, raters=1, lang=lang)
        guide = cells(sheet_of(folder, 1), "guidelines")
        assert guide[0][0] == title
        assert sum("→ " in (line[0] or "") for line in guide) == 6
        assert cells(sheet_of(folder, 1))[0][0] == f"{header} {key.code}-1"


def test_an_export_is_not_written_over(exported, make_population):
    folder, _ = exported
    with pytest.raises(UserError, match=r"key\.json exists"):
        export_sheets(make_population(SCORES), folder, run_id=RUN, n=12)
    with pytest.raises(UserError, match="--raters 0"):
        export_sheets(make_population(SCORES), folder, run_id=RUN, n=12, raters=0)


def test_ratings_come_back_whatever_the_files_are_called(exported):
    folder, key = exported
    fill(sheet_of(folder, 1), everything(key, 2))
    fill(sheet_of(folder, 2), everything(key, 0))
    sheet_of(folder, 2).rename(folder / "李雷 的评分.xlsx")
    (folder / "for_raters" / "~$rater_1.xlsx").write_bytes(b"a lock file")
    returned = import_sheets(folder, key)
    assert [(s.person, s.file) for s in returned.sheets] == [
        (1, "rater_1.xlsx"),
        (2, "李雷 的评分.xlsx"),
    ]
    assert returned.sheets[0].answers == everything(key, 2)
    assert returned.sheets[1].answers == everything(key, 0)
    assert (returned.missing, returned.absent) == ((), ())


def test_a_filled_csv_counts_beside_an_untouched_xlsx(exported):
    folder, key = exported
    path = folder / "for_raters/rater_1.csv"
    layout = columns("zh", key.code, 1)
    rows = [{"id": r.id, "rating": "2", "comment": "=好"} for r in read_filled(path, layout)]
    write_csv(path, layout, rows)
    returned = import_sheets(folder, key)
    assert returned.sheets[0].file == "rater_1.csv"
    assert returned.sheets[0].answers == everything(key, 2)
    assert set(returned.sheets[0].comments.values()) == {"=好"}
    assert returned.absent == (2,)


def test_missing_cells_and_rows_are_told_by_address(exported):
    folder, key = exported
    path = sheet_of(folder, 1)
    fill(path, everything(key))
    book = load_workbook(path)
    gone = book["rows"]["A9"].value
    book["rows"]["E4"] = None
    book["rows"].delete_rows(9)
    book.save(path)
    returned = import_sheets(folder, key)
    assert returned.missing == ("rater_1.xlsx!E4", f"rater_1.xlsx!{gone} (row is gone)")
    assert len(returned.sheets[0].answers) == 10


def test_all_faults_of_all_files_are_told_at_once(exported, tmp_path, make_population):
    folder, key = exported
    for rater in (1, 2):
        fill(sheet_of(folder, rater), everything(key))
    book = load_workbook(sheet_of(folder, 1))
    book["rows"]["E3"] = 3
    book["rows"]["E7"] = "好"
    book.save(sheet_of(folder, 1))
    book = load_workbook(sheet_of(folder, 2))
    book["rows"]["A5"] = "r999"
    book.save(sheet_of(folder, 2))
    other = tmp_path / "other"
    export_sheets(make_population(SCORES), other, run_id=RUN, n=12, seed=9, raters=1)
    (folder / "third.xlsx").write_bytes(sheet_of(other, 1).read_bytes())
    (folder / "notes.csv").write_text("shopping\nmilk\n", encoding="utf-8")
    (folder / "broken.xlsx").write_bytes(b"not a zip")
    with pytest.raises(DataError) as caught:
        import_sheets(folder, key)
    told = str(caught.value)
    for part in (
        "rater_1.xlsx, row E3",
        "rater_1.xlsx, row E7",
        "rater_2.xlsx, row A5, id: the export has no row with this id (found 'r999')",
        "third.xlsx, row 1, header: a sheet of another export",
        "notes.csv, row 1, header: no column is headed by the export's code",
        "broken.xlsx cannot be read as XLSX",
    ):
        assert part in told
    assert len(caught.value.faults) == 6


def test_one_raters_sheet_handed_in_twice_must_agree(exported):
    folder, key = exported
    fill(sheet_of(folder, 1), everything(key, 2))
    copy = folder / "rater_2.xlsx"
    copy.write_bytes(sheet_of(folder, 1).read_bytes())
    assert [sheet.person for sheet in import_sheets(folder, key).sheets] == [1]
    fill(copy, {key.rows[0].row: 0})
    with pytest.raises(DataError, match="the same rater's sheet with other ratings"):
        import_sheets(folder, key)


def test_without_key_or_ratings_it_says_so(exported, tmp_path):
    folder, key = exported
    with pytest.raises(UserError, match="has a rating yet"):
        import_sheets(folder, key)
    with pytest.raises(UserError, match=r"key\.json does not exist"):
        load_key(tmp_path)
    (folder / "key.json").write_text('{"format": 1, "rows": [1]}', encoding="utf-8")
    with pytest.raises(UserError, match="is not what export wrote"):
        load_key(folder)
