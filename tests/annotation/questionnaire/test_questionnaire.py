"""People answer choice items: sheets without the right answers, and their answers back."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from openpyxl import load_workbook

from mouse.annotate import main
from mouse.annotation.questionnaire import sheet as questionnaire
from mouse.annotation.questionnaire.sheet import ANSWERS
from mouse.corpus.load import load

GOLD = {item.id: item for item in load("sample").choices}
SHEETS = questionnaire.SHEETS


def export(folder: Path, *more: str) -> dict:
    given = ["questionnaire", "export", "--groups", "familiar=2,unfamiliar=1", "--out", str(folder)]
    assert main([*given, *more]) == 0
    return json.loads((folder / questionnaire.KEY_FILE).read_text(encoding="utf-8"))


def fill(folder: Path, key: dict, right: dict[str, int]) -> None:
    """Each participant gets the first `right[group]` questions right and the others wrong."""
    assert all(person["group"] in right for person in key["participants"])
    for person in key["participants"]:
        file = folder / questionnaire.SHEETS / f"{person['name'].replace(' ', '_')}.xlsx"
        book = load_workbook(file)
        asked = {one["row"]: one for one in person["questions"]}
        for number, row in enumerate(book["rows"].iter_rows(min_row=2)):
            one = asked[row[0].value]
            shown = one["order"].index("ABCD".index(GOLD[one["item_id"]].answer))
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
    first, *others = [cell.value for cell in sheet[1]]
    assert first == f"编号 {key['code']}-1" and others == ["对话", "题目", "选项", "答案"]
    assert {row[4].value for row in sheet.iter_rows(min_row=2)} == {None}
    asked = {one["row"]: one for one in people[0]["questions"]}
    for row in sheet.iter_rows(min_row=2, max_row=20):
        item, order = GOLD[asked[row[0].value]["item_id"]], asked[row[0].value]["order"]
        assert item.id not in {cell.value for cell in row}
        shown = [line[3:] for line in row[3].value.split("\n")]
        assert shown == [item.options[place] for place in order]
    # The right option stands at each place about equally often.
    places = [
        one["order"].index("ABCD".index(GOLD[one["item_id"]].answer)) for one in asked.values()
    ]
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
    assert "-m model=replay" in said and "task=[ms,cc]" in said
    assert "model.rater=familiar 1,familiar 2" in said.replace("'\"'\"'", "")
    with (folder / ANSWERS).open(encoding="utf-8", newline="") as file:
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
    assert "not the id of one of the questions" in err and "the row of this question is gone" in err
    file.unlink()
    assert main(["questionnaire", "import", str(folder)]) == 2
    assert "no sheet with this participant's number" in capsys.readouterr().err
    assert main(["questionnaire", "import", str(folder), "--partial"]) == 0
    assert "no sheet came from familiar 2, who are left out" in capsys.readouterr().out
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
        ["--groups", "a=1,A=2"],
        ["--groups", "a=³"],
        ["--groups", "a=-1"],
        ["--groups", "v1.5=2"],
        ["--groups", "null=2"],
        ["--groups", "=2"],
        ["--groups", "=a=2"],
        ["--groups", "a 1=1,a_1=1"],
        ["--groups", "a=100000"],
        ["--groups", "a=1", "--tasks", "cc,cc"],
        ["--groups", "a=1", "--data", "nowhere.jsonl"],
    ],
)
def test_wrong_arguments_are_refused_and_leave_nothing(tmp_path: Path, given: list[str]) -> None:
    assert main(["questionnaire", "export", "--out", str(tmp_path / "x"), *given]) == 2
    assert not (tmp_path / "x").exists()


def test_csv_sheets_in_english_and_items_for_models(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    key = export(folder, "--csv", "--lang", "en", "--n", "4")
    file = folder / questionnaire.SHEETS / "unfamiliar_1.csv"
    with file.open(encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.reader(handle))
    assert rows[0] == [f"id {key['code']}-3", "dialogue", "question", "options", "answer"]
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
    # A comma in a path is a sweep to Hydra, and a space ends a shell's word.
    folder = tmp_path / "a, b"
    key = export(folder, "--tasks", "cc,ms", "--data", "sample")
    fill(folder, key, {"familiar": 200, "unfamiliar": 0})
    book = load_workbook(folder / SHEETS / "familiar_2.xlsx")
    for row in list(book["rows"].iter_rows(min_row=2))[:50]:
        asked = next(q for q in key["participants"][1]["questions"] if q["row"] == row[0].value)
        if asked["task"] == "cc":
            shown = "ABCD".index(row[4].value)
            row[4].value = "ABCD"[(shown + 1) % 4]
    book.save(folder / SHEETS / "familiar_2.xlsx")
    assert main(["questionnaire", "import", "a, b", "--track"]) == 0
    assert "3 runs tracked, one a participant" in capsys.readouterr().out
    assert report(["people", "--no-log", "--resamples", "100"]) == 0
    with (tmp_path / "reports/people/tables/table6.csv").open(encoding="utf-8") as file:
        rows = {row["who"]: row for row in csv.DictReader(file)}
    with (folder / ANSWERS).open(encoding="utf-8", newline="") as file:
        second = [r for r in csv.DictReader(file) if r["rater"] == "familiar 2"]
    share = sum(r["text"] == GOLD[r["item_id"]].answer for r in second if r["task"] == "cc") / 100
    assert 0.5 < share < 1
    group = rows["familiar (n = 2)"]
    assert float(group["CC Acc"]) == pytest.approx((1 + share) / 2)
    assert float(group["CC SD"]) == pytest.approx((1 - share) / 2**0.5, rel=1e-4)
    assert float(group["CC lowest"]) == pytest.approx(share) and float(group["CC highest"]) == 1
    assert (
        float(rows["unfamiliar (n = 1)"]["CC Acc"]) == 0 and not rows["unfamiliar (n = 1)"]["CC SD"]
    )


def test_a_sheet_is_its_participants_whatever_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "p"
    key = export(folder, "--n", "6")
    fill(folder, key, {"familiar": 12, "unfamiliar": 12})
    sheets = folder / SHEETS
    (sheets / "familiar_1.xlsx").rename(sheets / "swap.xlsx")
    (sheets / "familiar_2.xlsx").rename(sheets / "familiar_1.xlsx")
    (sheets / "swap.xlsx").rename(folder / "来自张三.xlsx")
    assert main(["questionnaire", "import", str(folder)]) == 0
    assert capsys.readouterr().out.count("(6 of 6)") == 6
    # The same sheet again is passed over; one with other answers is not.
    copy = sheets / "again.xlsx"
    copy.write_bytes((sheets / "familiar_1.xlsx").read_bytes())
    assert main(["questionnaire", "import", str(folder)]) == 0
    book = load_workbook(copy)
    book["rows"]["E2"].value = "ABCD"[("ABCD".index(book["rows"]["E2"].value) + 1) % 4]
    book.save(copy)
    capsys.readouterr()
    assert main(["questionnaire", "import", str(folder)]) == 2
    assert "the same participant's sheet with other answers" in capsys.readouterr().err
    copy.unlink()
    export(tmp_path / "other", "--n", "6", "--seed", "1")
    (tmp_path / "other" / SHEETS / "familiar_1.xlsx").rename(sheets / "other.xlsx")
    assert main(["questionnaire", "import", str(folder)]) == 2
    assert "a sheet of another export" in capsys.readouterr().err


def test_untouched_sheets_are_no_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export(tmp_path / "p", "--n", "3")
    assert main(["questionnaire", "import", str(tmp_path / "p"), "--partial"]) == 2
    assert "has an answer yet" in capsys.readouterr().err
    assert not (tmp_path / "p" / ANSWERS).exists()


@pytest.mark.parametrize(("n", "most"), [(1, 1), (20, 1), (21, 2), (40, 2), (100, 5)])
def test_few_items_of_a_set_are_drawn(n: int, most: int) -> None:
    drawn = questionnaire.draw(load("sample"), ["cc"], n, 3)
    assert len(drawn) == n == len({item.id for item in drawn})
    sets = questionnaire.option_sets(drawn)
    assert max(sets.count(one) for one in sets) == most


def test_every_item_is_drawn_equally_often() -> None:
    sample = load("sample")
    times = dict.fromkeys((item.id for item in sample.choices if item.task == "cc"), 0)
    for seed in range(200):
        for item in questionnaire.draw(sample, ["cc"], 20, seed):
            times[item.id] += 1
    # 200 draws of one in five: 40 each, with a standard deviation of 5.7.
    assert min(times.values()) > 40 - 4 * 5.7 and max(times.values()) < 40 + 4 * 5.7


def test_shared_options_are_said_and_the_key_stays_readable_when_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export(tmp_path / "all", "--tasks", "cc")
    assert "up to 5 cc items share their options" in capsys.readouterr().out
    key = export(tmp_path / "p", "--tasks", "cc", "--n", "20")
    assert "share their options" not in capsys.readouterr().out
    moved = (tmp_path / "p").rename(tmp_path / "moved")
    fill(moved, key, {"familiar": 20, "unfamiliar": 0})
    assert main(["questionnaire", "import", str(moved)]) == 0
    assert f"data.path={moved / 'items'}" in capsys.readouterr().out


def test_items_of_two_tasks_may_have_one_id_and_different_numbers_of_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [
        {"id": "001", "task": "ms", "text": "泥萌", "options": ["你们", "泥土"], "answer": "A"},
        {"id": "001", "task": "cc", "context": "甲：在？", "text": "乙：____",
         "options": ["=1+1", "行", "好"], "answer": "C"},
    ]  # fmt: skip
    data = tmp_path / "own"
    data.mkdir()
    for item in items:
        line = json.dumps({"context": "", **item}, ensure_ascii=False)
        (data / f"{item['task']}.jsonl").write_text(line + "\n", encoding="utf-8")
    folder = tmp_path / "p"
    key = export(folder, "--data", str(data), "--csv")
    letters = {"ms": "A", "cc": "C"}
    for person in key["participants"]:
        asked = {one["row"]: one for one in person["questions"]}
        file = folder / SHEETS / f"{person['name'].replace(' ', '_')}.csv"
        with file.open(encoding="utf-8-sig", newline="") as handle:
            rows = list(csv.reader(handle))
        for row in rows[1:]:
            one = asked[row[0]]
            row[4] = "ABC"[one["order"].index("ABC".index(letters[one["task"]]))]
        with file.open("w", encoding="gb18030", newline="") as handle:  # as Excel saves it
            csv.writer(handle).writerows(rows)
    assert main(["questionnaire", "import", str(folder)]) == 0
    assert capsys.readouterr().out.count("(1 of 1)") == 6
    # A letter that only the other question has.
    ms = next(one["row"] for one in asked.values() if one["task"] == "ms")
    next(row for row in rows if row[0] == ms)[4] = "C"
    with file.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows(rows)
    assert main(["questionnaire", "import", str(folder)]) == 2
    assert "this question has 2 options" in capsys.readouterr().err
