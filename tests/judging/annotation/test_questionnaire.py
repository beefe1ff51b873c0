"""People answer choice items: sheets without the right answers, and their answers back."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from openpyxl import load_workbook

from mouse.annotate import main
from mouse.corpus.load import load
from mouse.judging.annotation import questionnaire

GOLD = {item.id: item for item in load("sample").choices}


def export(folder: Path, *more: str) -> dict:
    given = ["questionnaire", "export", "--groups", "familiar=2,unfamiliar=1", "--out", str(folder)]
    assert main([*given, *more]) == 0
    return json.loads((folder / questionnaire.KEY_FILE).read_text(encoding="utf-8"))


def fill(folder: Path, key: dict, right: dict[str, int]) -> None:
    """Each participant gets the first `right[group]` questions right and the others wrong."""
    for person in key["participants"]:
        file = folder / questionnaire.SHEETS / f"{person['name'].replace(' ', '_')}.xlsx"
        book = load_workbook(file)
        orders = {one["item_id"]: one["order"] for one in person["questions"]}
        for number, row in enumerate(book["rows"].iter_rows(min_row=2)):
            order = orders[row[0].value]
            shown = order.index("ABCD".index(GOLD[row[0].value].answer))
            is_right = number < right[person["group"]]
            row[4].value = "ABCD"[shown if is_right else (shown + 1) % 4]
        book.save(file)


def test_sheets_hold_no_answer_and_shuffle_for_each_participant(tmp_path: Path) -> None:
    key = export(tmp_path / "p", "--tasks", "cc")
    people = key["participants"]
    assert [person["name"] for person in people] == ["familiar 1", "familiar 2", "unfamiliar 1"]
    orders = [[one["item_id"] for one in person["questions"]] for person in people]
    assert sorted(orders[0]) == sorted(orders[1]) and orders[0] != orders[1]
    book = load_workbook(tmp_path / "p" / questionnaire.SHEETS / "familiar_1.xlsx")
    sheet = book["rows"]
    assert [cell.value for cell in sheet[1]] == ["编号", "对话", "题目", "选项", "答案"]
    assert {row[4].value for row in sheet.iter_rows(min_row=2)} == {None}
    asked = {one["item_id"]: one["order"] for one in people[0]["questions"]}
    for row in sheet.iter_rows(min_row=2, max_row=20):
        item = GOLD[row[0].value]
        shown = [line[3:] for line in row[3].value.split("\n")]
        assert shown == [item.options[place] for place in asked[item.id]]
    # The right option stands at each place about equally often.
    places = [order.index("ABCD".index(GOLD[i].answer)) for i, order in asked.items()]
    assert min(places.count(place) for place in range(4)) >= 12
    assert main(["questionnaire", "export", "--groups", "x=1", "--out", str(tmp_path / "p")]) == 2


def test_answers_come_back_as_the_items_own_letters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "p"
    key = export(folder, "--tasks", "cc,ms")
    fill(folder, key, {"familiar": 200, "unfamiliar": 50})
    capsys.readouterr()
    assert main(["questionnaire", "import", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "familiar 1           1.000 [0.964, 1.000] (100 of 100)" in said
    assert "familiar (n = 2): mean 1.000, SD 0.000" in said
    assert "model.rater=familiar 1" in said.replace("'", "")
    with (folder / questionnaire.ANSWERS).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 600
    assert all(r["text"] == GOLD[r["item_id"]].answer for r in rows if r["group"] == "familiar")
    unfamiliar = [
        r["text"] == GOLD[r["item_id"]].answer for r in rows if r["group"] == "unfamiliar"
    ]
    assert sum(unfamiliar) == 50


def test_faulty_sheets_are_refused_with_their_cells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "p"
    key = export(folder, "--tasks", "ms", "--n", "5")
    fill(folder, key, {"familiar": 5, "unfamiliar": 0})
    file = folder / questionnaire.SHEETS / "familiar_2.xlsx"
    book = load_workbook(file)
    book["rows"]["E3"].value = None
    book.save(file)
    assert main(["questionnaire", "import", str(folder)]) == 2
    assert "1 unanswered: familiar_2.xlsx E3; --partial takes them" in capsys.readouterr().err
    assert main(["questionnaire", "import", str(folder), "--partial"]) == 0
    assert "(4 of 4, 1 unanswered)" in capsys.readouterr().out
    book["rows"]["E4"].value = "不知道"
    book["rows"]["A5"].value = "zz"
    book.save(file)
    assert main(["questionnaire", "import", str(folder), "--partial"]) == 2
    assert "E4" in capsys.readouterr().err
    book["rows"]["E4"].value = "A"
    book.save(file)
    assert main(["questionnaire", "import", str(folder), "--partial"]) == 2
    err = capsys.readouterr().err
    assert "not one of the questions" in err and "the row of this question is gone" in err
    file.unlink()
    assert main(["questionnaire", "import", str(folder)]) == 2
    assert "no such sheet" in capsys.readouterr().err
    (folder / questionnaire.KEY_FILE).write_text("{}", encoding="utf-8")
    assert main(["questionnaire", "import", str(folder)]) == 2


@pytest.mark.parametrize(
    "given",
    [
        ["--groups", "familiar"],
        ["--groups", "familiar=0"],
        ["--groups", "a/b=1"],
        ["--groups", "a=1", "--tasks", "td"],
        ["--groups", "a=1", "--n", "0"],
        ["--groups", "a=1,a=2"],
    ],
)
def test_wrong_arguments_are_refused(tmp_path: Path, given: list[str]) -> None:
    assert main(["questionnaire", "export", "--out", str(tmp_path / "x"), *given]) == 2


def test_csv_sheets_in_english_and_items_for_models(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    key = export(folder, "--csv", "--lang", "en", "--n", "4")
    file = folder / questionnaire.SHEETS / "unfamiliar_1.csv"
    with file.open(encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.reader(handle))
    assert rows[0] == ["id", "dialogue", "question", "options", "answer"]
    assert len(rows) == 9
    assert "How to answer" in (folder / questionnaire.SHEETS / "README.txt").read_text("utf-8")
    items = load("files", path=str(folder / "items"))
    assert {item.id for item in items.choices} == {
        one["item_id"] for one in key["participants"][0]["questions"]
    }


def test_tracked_participants_stand_in_table_6(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from mouse.report import main as report

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOUSE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[3])]))
    key = export(tmp_path / "p", "--tasks", "cc")
    fill(tmp_path / "p", key, {"familiar": 95, "unfamiliar": 60})
    assert main(["questionnaire", "import", "p", "--track"]) == 0
    assert "3 runs tracked, one a participant" in capsys.readouterr().out
    assert report(["people", "--no-log", "--resamples", "100"]) == 0
    text = (tmp_path / "reports" / "people" / "tables" / "table6.csv").read_text(encoding="utf-8")
    assert "familiar (n = 2),0.95," in text and "familiar (n = 1),0.6," in text
