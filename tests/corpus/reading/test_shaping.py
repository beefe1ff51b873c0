"""Other people's tables: label words, filters, constants, nested fields, several files."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from mouse.config.typed import read_typed
from mouse.corpus.items import Components
from mouse.corpus.load import load
from mouse.corpus.reading.shaping import Shape
from mouse.errors import DataError, UserError


def write(path: Path, *rows: dict[str, Any]) -> Path:
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


PAPER = [
    {
        "Original Text": "小🔥汁你⑧要命🌶️",
        "Reference": "小伙子你不要命了",
        "Representational Component": "谐音",
        "Intent": "评价（吐槽，赞扬等）",
        "Toxicity": "0",
    },
    {
        "Original Text": "踩到🍌皮",
        "Reference": "踩到香蕉皮",
        "Representational Component": "Semantic, Visual and Homophonic",
        "Intent": "Making a Joke & Memes",
        "Toxicity": 1,
    },
]


@pytest.mark.parametrize("kind", ["mouse", "files"])
def test_the_paper_s_own_headers_and_labels_are_loaded(tmp_path: Path, kind: str) -> None:
    first, second = load(kind, path=write(tmp_path / "mouse.jsonl", *PAPER)).cxeis
    assert first.components == Components(True, False, False)
    assert (first.intent, first.toxicity) == ("Comment", 0)
    assert second.components == Components(True, True, True)
    assert (second.intent, second.toxicity) == ("Humor & Memes", 1)


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "谐音、语义",
            "谐音，语义",
            "谐音,语义",
            "谐音;语义",
            "谐音；语义",
            "谐音/语义",
            "谐音|语义",
        ),
        *(
            "谐音+语义",
            "谐音&语义",
            "谐音和语义",
            "谐音与语义",
            "谐音及语义",
            "谐音\n语义",
            "谐音 语义",
        ),
        *("Homophonic and Semantic", "homophonic + SEMANTIC", "Ｈｏｍｏｐｈｏｎｉｃ／Semantic"),
        *('["谐音", "语义"]', "['Phonetic', 'Semantic']", "谐音·语义", "Phonetic; semantic"),
        *(
            "谐音以及语义",
            "谐音\u3000语义",
            "谐音\t语义",
            "谐音\r\n语义",
            "谐音（数字，字母）、语义",
        ),
        *("Homophonic (谐音), Semantic (语义)", "Homophonic, and Semantic", "谐音•语义"),
        *("Homophonic Component, Semantic Component", "谐音 谐音、语义", "('谐音', '语义')"),
    ],
)
def test_components_are_listed_with_any_usual_separator(tmp_path: Path, cell: str) -> None:
    path = write(tmp_path / "x.jsonl", {"原文": "x", "成分": cell})
    (item,) = load("files", path=path).cxeis
    assert item.components == Components(True, False, True)


@pytest.mark.parametrize(
    "header",
    [
        *("Toxicity", "toxicity", "TOXICITY", "Toxicity (0/1)", "毒性（0/1）", "Ｔｏｘｉｃｉｔｙ"),
        *("is-toxic", "Is Toxic", "毒性【人工】", "是否有毒", "Toxicity Label", "毒性判断"),
    ],
)
def test_headers_are_found_whatever_their_setting(tmp_path: Path, header: str) -> None:
    path = write(tmp_path / "x.jsonl", {"Original Text": "x", header: 1})
    assert load("files", path=path).cxeis[0].toxicity == 1


def test_label_words_are_translated_and_unknown_ones_listed_at_once(tmp_path: Path) -> None:
    words = ["hate", "冒犯", "none", "hate", "maybe", "HATE ", "maybe"]
    rows = [{"text": f"第{n}句", "toxicity": word} for n, word in enumerate(words)]
    path = write(tmp_path / "x.jsonl", *rows)
    with pytest.raises(DataError) as caught:
        load("files", path=path, shape=Shape({"toxicity": {"hate": 1, "冒犯": 1}}))
    said = str(caught.value)
    assert "toxicity has 2 words that mouse does not know: maybe (2), none (1)" in said
    assert "data.labels.toxicity={maybe: …, none: …}" in said
    assert len(caught.value.faults) == 2
    shape = Shape({"toxicity": {"hate": 1, "冒犯": "toxic", "none": 0, "maybe": False}})
    assert [i.toxicity for i in load("files", path=path, shape=shape).cxeis] == [
        1,
        1,
        0,
        1,
        0,
        1,
        0,
    ]


def test_stars_and_components_of_other_names_are_translated(tmp_path: Path) -> None:
    rows = [{"text": f"{n}", "toxicity": n, "components": c} for n, c in ((1, "音、形"), (5, "义"))]
    shape = Shape(
        {
            "toxicity": {1: 1, 2: 1, 3: 0, 4: 0, 5: 0},
            "components": {"音": "homophonic", "形": "visual", "义": "semantic"},
        }
    )
    first, second = load("files", path=write(tmp_path / "x.jsonl", *rows), shape=shape).cxeis
    assert (first.toxicity, second.toxicity) == (1, 0)
    assert first.components == Components(True, True, False)
    assert second.components == Components(False, False, True)


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ({"split": "test"}, ["a", "c"]),
        ({"SPLIT": ["test", "dev"]}, ["a", "b", "c"]),
        ({"year": 2025}, ["a", "b"]),
        ({"year": "2025", "split": "test"}, ["a"]),
        ({"ok": True}, ["a", "d"]),
        ({"ok": False}, ["b", "c"]),
        ({"meta.lang": "zh"}, ["a", "d"]),
    ],
)
def test_a_filter_keeps_the_rows_that_meet_it(
    tmp_path: Path, where: dict[str, Any], kept: list[str]
) -> None:
    rows = [
        {"id": i, "text": i, "split": s, "year": y, "ok": ok, "meta": {"lang": lang}}
        for i, s, y, ok, lang in (
            ("a", "test", 2025, "是", "zh"),
            ("b", "dev", 2025.0, 0, "en"),
            ("c", "test", 2024, False, None),
            ("d", "train", "2023", 1, "zh"),
        )
    ]
    dataset = load("files", path=write(tmp_path / "x.jsonl", *rows), shape=Shape(where=where))
    assert [item.id for item in dataset.cxeis] == kept
    assert f"leaves out {4 - len(kept)} of 4 rows" in " ".join(dataset.notes)


def test_a_filter_that_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"text": "x", "split": "dev"})
    with pytest.raises(UserError, match=r"data\.where\.part: no such column; the data has: text"):
        load("files", path=path, shape=Shape(where={"part": 1}))
    with pytest.raises(UserError, match="leaves none of 1 rows"):
        load("files", path=path, shape=Shape(where={"split": "test"}))


def test_the_sample_without_open_cases_keeps_its_choice_items() -> None:
    whole, part = load("sample"), load("sample", shape=Shape(where={"open_case": False}))
    assert len(part.cxeis) == sum(not item.open_case for item in whole.cxeis) < len(whole.cxeis)
    assert part.choices == whole.choices
    assert part.fingerprint != whole.fingerprint


def test_constants_fill_what_no_column_holds(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"text": "x"})
    write(tmp_path / "b.jsonl", {"text": "y", "toxicity": 0})
    dataset = load("files", path=tmp_path, shape=Shape(constants={"toxicity": 1, "intent": "评价"}))
    assert [(i.toxicity, i.intent) for i in dataset.cxeis] == [(1, "Comment"), (0, "Comment")]


def test_nested_fields_lists_and_json_in_cells_are_reached(tmp_path: Path) -> None:
    row = {
        "messages": [{"content": "问"}, {"content": "答🌶️"}],
        "meta": '{"label": {"toxic": 1}}',
        "a.b": "literal",
    }
    path = write(tmp_path / "x.jsonl", row)
    columns = {"original_text": "messages.-1.content", "toxicity": "meta.label.toxic"}
    (item,) = load("files", path=path, columns=columns).cxeis
    assert (item.original_text, item.toxicity) == ("答🌶️", 1)
    (item,) = load("files", path=path, columns={"original_text": "a.b"}).cxeis
    assert item.original_text == "literal"
    with pytest.raises(DataError):
        load("files", path=path, columns={"original_text": "messages.7.content"})
    with pytest.raises(UserError, match="no such column"):
        load("files", path=path, columns={"original_text": "nothing.1"})


def test_several_files_are_read_together_and_ids_may_not_collide(tmp_path: Path) -> None:
    one = write(tmp_path / "1.jsonl", {"id": "a", "text": "x"})
    two = write(tmp_path / "2.jsonl", {"id": "b", "text": "y"})
    assert len(load("files", path=[str(one), str(two)]).cxeis) == 2
    assert len(load("files", path=str(tmp_path / "*.jsonl")).cxeis) == 2
    write(tmp_path / "3.jsonl", {"id": "a", "text": "z"})
    with pytest.raises(DataError, match="a"):
        load("files", path=str(tmp_path / "*.jsonl"))
    with pytest.raises(UserError, match="no file matches"):
        load("files", path=str(tmp_path / "*.csv"))


def test_columns_named_otherwise_are_met_with_the_line_to_add(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.jsonl",
        *({"序": n, "句子内": f"第{n}句长长的话", "标注": n % 2} for n in range(4)),
    )
    with pytest.raises(DataError) as caught:
        load("files", path=path, columns={"id": "序"})
    said = str(caught.value)
    assert "标注 (such as 0, 1)" in said
    assert "add data.columns.toxicity=标注 data.columns.original_text=句子内" in said
    dataset = load("files", path=path, columns={"id": "序", "original_text": "句子内"})
    assert "标注 looks like toxicity: add data.columns.toxicity=标注" in " ".join(dataset.notes)


@pytest.mark.parametrize(
    "shape",
    [
        {"labels": {"reference": {"a": "b"}}},
        {"labels": {"toxicity": "hate"}},
        {"constants": {"poison": 1}},
        {"constants": {"toxicity": 7}},
        {"constants": {"intent": ["评价"]}},
        {"labels": {"toxicity": {"hate": 7}}},
        {"labels": {"toxicity": {"hate": "…"}}},
        {"labels": {"toxicity": {"hate": ""}}},
        {"labels": {"intent": {"吐槽": "Complaining"}}},
        {"labels": {"components": {"音": "loud"}}},
        {"labels": {"visual": {"音": "maybe"}}},
    ],
)
def test_a_map_for_what_is_no_field_is_refused(shape: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"data\.(labels|constants)\."):
        Shape(**shape)


def test_the_components_of_a_label_map_may_be_several_or_none(tmp_path: Path) -> None:
    rows = [{"text": f"{n}", "components": word} for n, word in enumerate(("混合", "净", "?"))]
    shape = Shape({"components": {"混合": "谐音、视觉", "净": "无", "?": None}})
    mixed, plain, unknown = load(
        "files", path=write(tmp_path / "x.jsonl", *rows), shape=shape
    ).cxeis
    assert mixed.components == Components(True, True, False)
    assert plain.components == Components(False, False, False)
    assert unknown.components == Components(None, None, None)


@pytest.mark.parametrize("cell", ["4", "4.0", 4, 4.0, " 4 ", "４"])
def test_a_number_is_one_word_however_a_format_writes_it(tmp_path: Path, cell: object) -> None:
    path = write(tmp_path / "x.jsonl", {"text": "x", "toxicity": cell})
    for star in (4, "4", 4.0):
        shape = Shape({"toxicity": {star: 1}}, where={"toxicity": star})
        assert load("files", path=path, shape=shape).cxeis[0].toxicity == 1


def test_an_emoji_is_not_visual_by_itself(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"text": "x", "成分": "emoji"})
    with pytest.raises(DataError, match=r"data\.labels\.components=\{emoji: …\}"):
        load("files", path=path)


def test_a_file_without_the_filter_s_column_is_said_to_stay(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"text": "x", "split": "dev"}, {"text": "y", "split": "test"})
    write(tmp_path / "b.jsonl", {"text": "z"})
    write(tmp_path / "c.jsonl", {"text": "甲", "options": ["乙", "丙"], "answer": "A"})
    dataset = load("files", path=tmp_path, shape=Shape(where={"split": "test"}))
    assert [item.original_text for item in dataset.cxeis] == ["y", "z"]
    stay = [note for note in dataset.notes if "leaves all its rows in" in note]
    assert stay == [
        f"{tmp_path / 'b.jsonl'} has no column split: data.where leaves all its rows in."
    ]


def test_equal_rows_of_two_files_without_ids_stay_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / f"{name}.jsonl", {"text": "同一句"}, {"text": f"{name} 句"})
    ids = [item.id for item in load("files", path=tmp_path).cxeis]
    assert len(set(ids)) == 4
    assert {item.removesuffix("-2") for item in ids} & {ids[0]}


def test_a_wildcard_reaches_data_files_at_any_depth(tmp_path: Path) -> None:
    (tmp_path / "深" / "更深").mkdir(parents=True)
    write(tmp_path / "a.jsonl", {"text": "x"})
    write(tmp_path / "深" / "b.jsonl", {"text": "y"})
    write(tmp_path / "深" / "更深" / "b.jsonl", {"text": "z"})
    (tmp_path / "README.md").write_text("no data", encoding="utf-8")
    for wildcard, texts in (
        ("*", "x"),
        ("**/*.jsonl", "xyz"),
        ("*/b.jsonl", "y"),
        ("[深]", "y"),
        ("**/b.*", "yz"),
    ):
        found = load("files", path=str(tmp_path / wildcard)).cxeis
        assert sorted(item.original_text for item in found) == list(texts)


def test_what_a_filter_or_a_path_reads_is_no_unused_column(tmp_path: Path) -> None:
    row = {"meta": {"text": "x"}, "split": "test", "other": 1}
    path = write(tmp_path / "x.jsonl", {**row, "intent": "评价", "toxicity": 1, "components": "无"})
    dataset = load(
        "files",
        path=path,
        columns={"original_text": "meta.text"},
        shape=Shape(where={"split": "test"}),
    )
    assert "x.jsonl: columns not used: other." in dataset.notes


WORDS = ["off", "null", "a'b", '说 "x"', "1.5", "x:y", "{", "#1", "🌶️", "N/A", "[坏]", "a,b"]
WORDS += [
    "好，坏",
    "毒性（高）",
    "-",
    "~",
    "$HOME",
    "${x}",
    "\\",
    "`ls`",
    "5星",
    "*",
    "007",
    "2024-01-01",
]
WORDS += ["True story", "Ｈａｔｅ", "a=b", "%", "！", "不 好", "null值"]


def test_the_line_to_add_works_as_it_is_said(tmp_path: Path) -> None:
    rows = [{"text": f"第{n}句", "toxicity": word} for n, word in enumerate(WORDS)]
    path = write(tmp_path / "x.jsonl", *rows)
    with pytest.raises(DataError) as caught:
        load("files", path=path)
    said = re.search(r"1 toxic, 0 not\): (.*) The data has", str(caught.value))
    assert said is not None
    (line,) = shlex.split(said[1].replace("…", "1"))
    name, _, words = line.removeprefix("data.labels.").partition("=")
    shape = Shape({name: read_typed(words)})
    assert all(item.toxicity == 1 for item in load("files", path=path, shape=shape).cxeis)


def test_a_constant_is_translated_by_the_label_map(tmp_path: Path) -> None:
    shape = Shape({"intent": {"吐槽帖": "Comment"}}, constants={"intent": "吐槽帖"})
    (item,) = load("files", path=write(tmp_path / "x.jsonl", {"text": "x"}), shape=shape).cxeis
    assert item.intent == "Comment"


def test_a_folder_named_by_a_number_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "2024").mkdir()
    write(tmp_path / "2024" / "x.jsonl", {"text": "x"})
    monkeypatch.chdir(tmp_path)
    assert len(load("files", path=2024).cxeis) == 1  # type: ignore[arg-type]
    with pytest.raises(UserError, match="5: no such file"):
        load("files", path=[5])  # type: ignore[list-item]
