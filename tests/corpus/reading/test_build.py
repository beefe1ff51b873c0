"""Rows become items, and everything that is wrong with them is reported at once with its place."""

import json
from pathlib import Path

import pytest

from mouse.corpus.items import CXEI, ChoiceItem, Components, Derivation
from mouse.corpus.reading.build import Items, build, section_of
from mouse.corpus.reading.columns import ColumnMap
from mouse.corpus.reading.readers import read
from mouse.errors import DataError, Fault

CXEI_ROW = {
    "id": "s001",
    "original_text": "我🌶️么菜",
    "reference": "我那么菜",
    "components": {"homophonic": True, "visual": False, "semantic": False},
    "intent": "Comment",
    "toxicity": 0,
    "source": "written for a test",
    "revision": "1",
    "derivation": [{"surface": "🌶️", "chain": ["辣"], "target": "那", "mechanism": "image_chain"}],
    "group": "",
}
MS_ROW = {
    "id": "ms001",
    "task": "ms",
    "context": "",
    "text": "我🌶️么菜",
    "options": ["我那么菜", "我吃辣菜", "我种菜", "我不会"],
    "answer": "A",
    "cxei_id": "s001",
}
CC_ROW = {**MS_ROW, "id": "cc001", "task": "cc", "context": "甲：来吗", "text": "乙：____"}


def items(folder: Path, columns: dict[str, str] | None = None, **files: list[dict]) -> Items:
    for name, rows in files.items():
        lines = [json.dumps(row) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return build(read(folder), ColumnMap(columns or {}))


def faults(folder: Path, **files: list[dict]) -> tuple[Fault, ...]:
    with pytest.raises(DataError) as caught:
        items(folder, **files)
    return caught.value.faults


def test_canonical_rows_become_items(tmp_path: Path) -> None:
    found = items(tmp_path, cxei=[CXEI_ROW], ms=[MS_ROW], cc=[CC_ROW])
    assert found.cxeis == [
        CXEI(
            id="s001",
            original_text="我🌶️么菜",
            reference="我那么菜",
            components=Components(True, False, False),
            intent="Comment",
            toxicity=0,
            source="written for a test",
            revision="1",
            derivation=(Derivation("🌶️", ("辣",), "那", "image_chain"),),
        )
    ]
    cloze, meaning = found.choices
    assert meaning == ChoiceItem(
        "ms001", "ms", "", "我🌶️么菜", tuple(MS_ROW["options"]), "A", "s001"
    )
    assert (cloze.task, cloze.context, cloze.text) == ("cc", "甲：来吗", "乙：____")
    assert found.notes == []


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"original_text": ""}, "original_text", "missing"),
        ({"original_text": None}, "original_text", "missing"),
        ({"original_text": " \u3000"}, "original_text", "white space"),
        ({"original_text": 91}, "original_text", "expected text, found int"),
        ({"original_text": "a\ud83d"}, "original_text", "surrogate"),
        ({"reference": ["x"]}, "reference", "expected text, found list"),
        ({"reference": "\udc00"}, "reference", "surrogate"),
        ({"components": "拼音"}, "components", "unknown component '拼音'"),
        ({"components": {"visual": 2}}, "components", "expected 0 or 1"),
        ({"intent": "愤怒"}, "intent", "unknown intent"),
        ({"toxicity": 2}, "toxicity", "expected 0 or 1"),
        ({"toxicity": "有点"}, "toxicity", "expected 0 or 1"),
        ({"id": ""}, "id", "missing"),
        ({"id": True}, "id", "expected text, found bool"),
        ({"derivation": "x"}, "derivation", "expected JSON"),
        ({"derivation": 3}, "derivation", "expected a list"),
        ({"original_text": "别的"}, "derivation", "surface does not stand"),
        ({"reference": "别的"}, "derivation", "target does not stand"),
        ({"group": 1.5}, "group", "expected text, found float"),
    ],
)
def test_a_wrong_field_of_a_cxei_is_a_fault(
    tmp_path: Path, change: dict, field: str, problem: str
) -> None:
    (fault,) = faults(tmp_path, cxei=[CXEI_ROW, {**CXEI_ROW, "id": "s002", **change}])
    assert (Path(fault.file).name, fault.row, fault.field) == ("cxei.jsonl", 2, field)
    assert problem in fault.problem


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"text": ""}, "text", "missing"),
        ({"answer": "E"}, "answer", "there is no option E: the item has 4"),
        ({"answer": 1}, "answer", "letter"),
        ({"answer": ""}, "answer", "neither"),
        ({"options": None}, "options", "missing"),
        ({"options": []}, "options", "expected 2 to 8"),
        ({"options": ["一"]}, "options", "expected 2 to 8"),
        ({"options": [*"一二三四五六七八九"]}, "options", "expected 2 to 8"),
        ({"options": ["一", "二", "一"]}, "options", "two options are the same"),
        ({"options": ["一", " 一"]}, "options", "two options are the same"),
        ({"options": ["一", ""]}, "options", "option B is empty"),
        ({"options": ["一", "\ud800"]}, "options", "surrogate"),
        ({"options": ["一", 2]}, "options", "option 2 is not text"),
        ({"task": "tr"}, "task", "unknown task"),
        ({"context": "甲：来吗"}, "context", "has no context"),
        ({"cxei_id": "s999"}, "cxei_id", "there is no CXEI"),
    ],
)
def test_a_wrong_field_of_a_choice_item_is_a_fault(
    tmp_path: Path, change: dict, field: str, problem: str
) -> None:
    (fault,) = faults(tmp_path, cxei=[CXEI_ROW], ms=[MS_ROW, {**MS_ROW, "id": "ms002", **change}])
    assert (Path(fault.file).name, fault.row, fault.field) == ("ms.jsonl", 2, field)
    assert problem in fault.problem


def test_all_faults_of_all_files_are_reported(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("[{]")
    found = faults(
        tmp_path,
        cxei=[{**CXEI_ROW, "intent": "x", "toxicity": 3}, {**CXEI_ROW, "id": ""}],
        ms=[{**MS_ROW, "answer": "Z"}],
    )
    assert [(Path(fault.file).name, fault.row, fault.field) for fault in found] == [
        ("broken.json", 1, "(file)"),
        ("cxei.jsonl", 1, "toxicity"),
        ("cxei.jsonl", 1, "intent"),
        ("cxei.jsonl", 2, "id"),
        ("ms.jsonl", 1, "answer"),
    ]


def test_a_reference_to_a_faulty_item_is_not_a_second_fault(tmp_path: Path) -> None:
    wrong = {**CXEI_ROW, "toxicity": 3}
    (fault,) = faults(tmp_path, cxei=[wrong, {**CXEI_ROW, "id": "s002"}], ms=[MS_ROW])
    assert fault.field == "toxicity"


def test_an_id_that_stands_twice_is_a_fault_that_says_where(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, cxei=[CXEI_ROW, {**CXEI_ROW, "toxicity": 1}])
    assert (fault.row, fault.value) == (2, "s001")
    assert "cxei.jsonl, row 1" in fault.problem


def test_items_of_different_tasks_may_share_an_id(tmp_path: Path) -> None:
    same = {"id": "1", "cxei_id": ""}
    found = items(
        tmp_path,
        cxei=[{**CXEI_ROW, "id": "1"}],
        ms=[{**MS_ROW, **same}],
        cc=[{**CC_ROW, **same}],
    )
    assert len(found.choices) == 2


def test_labels_that_the_data_lack_are_none(tmp_path: Path) -> None:
    (item,) = items(tmp_path, x=[{"id": 7, "original_text": "a"}]).cxeis
    assert item == CXEI("7", "a", None, Components(None, None, None), None, None)


def test_flags_go_with_a_list_of_components_unless_they_contradict_it(tmp_path: Path) -> None:
    row = {"id": "1", "original_text": "a", "components": {"visual": True}, "谐音": "否"}
    (item,) = items(tmp_path, x=[row]).cxeis
    assert item.components == Components(False, True, None)
    (fault,) = faults(tmp_path, x=[{**row, "visual": 0}])
    assert "contradicts" in fault.problem


def test_a_missing_column_is_one_fault_that_names_the_headers(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, x=[{"id": "1", "备注": "a"}, {"id": "2", "备注": "b"}])
    assert fault.field == "original_text" and fault.value == ["id", "备注"]
    assert "columns.original_text=HEADER" in fault.problem
    (item, _) = items(tmp_path, {"original_text": "备注"}).cxeis
    assert item.original_text == "a"


def test_unknown_columns_are_noted_and_not_refused(tmp_path: Path) -> None:
    found = items(tmp_path, cxei=[{**CXEI_ROW, "赞数": 3, "x": None}])
    assert found.notes == ["cxei.jsonl: columns not used: 赞数, x."]


def test_a_fault_names_the_users_header(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, x=[{"编号": "1", "原文": "a", "意图": "x"}])
    assert fault.field == "intent («意图»)"


def test_ids_made_from_content_do_not_depend_on_the_order(tmp_path: Path) -> None:
    rows = [{"原文": "a"}, {"原文": "b"}, {"原文": "a"}]
    forward = items(tmp_path, x=rows)
    backward = items(tmp_path, x=rows[::-1])
    assert sorted(item.id for item in forward.cxeis) == sorted(item.id for item in backward.cxeis)
    assert len({item.id for item in forward.cxeis}) == 3
    assert forward.notes == ["x.jsonl: no id column; ids made from the content."]


def test_a_choice_row_without_a_task_is_cloze_where_it_has_context_or_a_blank(
    tmp_path: Path,
) -> None:
    plain = {"text": "x", "A": "一", "B": "二", "答案": "二"}
    rows = [plain, {**plain, "text": "他____了"}, {**plain, "语境": "甲：走"}]
    found = items(tmp_path, x=[{"id": at, **row} for at, row in enumerate(rows)])
    assert [item.task for item in found.choices] == ["ms", "cc", "cc"]
    assert {item.answer for item in found.choices} == {"B"}


def test_options_in_columns_end_at_the_last_filled_one(tmp_path: Path) -> None:
    row = {"id": "1", "text": "x", "A": "一", "B": "二", "C": "三", "D": "", "答案": "C"}
    (item,) = items(tmp_path, x=[row]).choices
    assert item.options == ("一", "二", "三")
    (fault,) = faults(tmp_path, x=[{**row, "B": ""}])
    assert fault.field == "option_b («B»)" and "empty" in fault.problem


def test_ratings_beside_the_items_are_left_out(tmp_path: Path) -> None:
    found = items(tmp_path, cxei=[CXEI_ROW], ratings=[{"score": 2}])
    assert len(found.cxeis) == 1 and found.notes == []


def test_data_without_items_are_refused(tmp_path: Path) -> None:
    (tmp_path / "cxei.csv").write_text("id,text\n")
    with pytest.raises(DataError, match="no items"):
        build(read(tmp_path), ColumnMap())


def test_a_fault_in_a_spreadsheet_names_the_cell(tmp_path: Path) -> None:
    import pandas

    frame = pandas.DataFrame({"编号": ["1", "2"], "原文": ["a", "b"], "毒性": ["无毒", "未知"]})
    frame.to_excel(tmp_path / "x.xlsx", index=False)
    with pytest.raises(DataError, match="row C3") as caught:
        build(read(tmp_path), ColumnMap())
    assert [fault.row for fault in caught.value.faults] == ["C3"]


@pytest.mark.parametrize(
    ("name", "section"),
    [
        ("cxei", "cxei"),
        ("CXEIs", "cxei"),
        ("mouse_ms", "ms"),
        ("test-cc-v2", "cc"),
        ("完形填空", "cc"),
        ("data", None),
        ("items", None),
        ("success", None),
    ],
)
def test_what_a_name_says_of_its_rows(name: str, section: str | None) -> None:
    assert section_of(name) == section
