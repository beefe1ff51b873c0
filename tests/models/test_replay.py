"""Answers from files are replayed exactly; what is missing, unknown or doubled is said."""

from __future__ import annotations

import asyncio
import csv
import json
from pathlib import Path
from typing import Any

import pytest
from support_models import spec_of

from mouse.contracts import Completion, Request
from mouse.errors import DataError, UserError
from mouse.models.base import BackendContext, BackendSpec
from mouse.models.replay import ReplayConfig

ROWS = [
    {"item_id": "a", "task": "td", "variant": "", "text": "None"},
    {"item_id": "b", "task": "td", "variant": "", "text": "NA"},
    {"item_id": "a", "task": "rc", "variant": "visual", "text": " 1\n因为🌶️ "},
]
ASKED = frozenset({("a", "td", ""), ("b", "td", ""), ("c", "td", ""), ("a", "rc", "visual")})


def write(folder: Path, kind: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / f"answers.{kind}"
    if kind == "jsonl":
        path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    elif kind == "csv":
        with path.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif kind == "xlsx":
        import openpyxl

        book = openpyxl.Workbook()
        book.active.append(list(rows[0]))
        for row in rows:
            book.active.append(list(row.values()))
        book.save(path)
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def open_(path: Path, asked: frozenset[Any] = ASKED, **model: Any) -> BackendSpec:
    return spec_of(ReplayConfig, BackendContext(asked=asked), predictions=str(path), **model)


def ask(built: BackendSpec, item: str, task: str, variant: str = "", repeat: int = 0) -> Completion:
    request = Request("k", item, task, variant, repeat, ())
    (completion,) = asyncio.run(built.build().complete([request]))  # type: ignore[arg-type]
    return completion


@pytest.mark.parametrize("kind", ["jsonl", "csv", "xlsx", "parquet"])
def test_every_format_gives_the_texts_as_they_were_written(tmp_path: Path, kind: str) -> None:
    built = open_(write(tmp_path, kind, ROWS))
    assert ask(built, "a", "td").text == "None"
    assert ask(built, "b", "td").text == "NA"
    assert ask(built, "a", "rc", "visual").text == " 1\n因为🌶️ "
    assert ask(built, "a", "td").finish_reason == "stop"


def test_numbers_typed_into_a_spreadsheet_are_the_labels_typed(tmp_path: Path) -> None:
    rows = [{"item_id": 7, "task": "td", "text": 1}]
    built = open_(write(tmp_path, "xlsx", rows), frozenset({("7", "td", "")}))
    assert ask(built, "7", "td").text == "1"


def test_an_item_nobody_answered_is_missing(tmp_path: Path) -> None:
    error = ask(open_(write(tmp_path, "jsonl", ROWS)), "c", "td").error
    assert error is not None
    assert error.kind == "missing"
    assert not error.fatal


def test_an_empty_cell_is_no_answer_and_an_empty_string_is_one(tmp_path: Path) -> None:
    rows = [{**ROWS[0], "text": ""}]
    assert ask(open_(write(tmp_path, "csv", rows)), "a", "td").error is not None
    assert ask(open_(write(tmp_path, "jsonl", rows)), "a", "td").text == ""


def test_unknown_items_are_named(tmp_path: Path) -> None:
    rows = [*ROWS, {"item_id": "zz", "task": "td", "variant": "", "text": "1"}]
    with pytest.raises(UserError, match=r"1 answers are to items .* zz/td"):
        open_(write(tmp_path, "jsonl", rows))


def test_answers_to_tasks_that_are_not_asked_are_left_out(tmp_path: Path) -> None:
    built = open_(write(tmp_path, "jsonl", ROWS), frozenset({("a", "rc", "visual")}))
    assert len(built.options["answers"]) == 1


def test_two_answers_to_one_question_are_refused_unless_a_rater_is_chosen(tmp_path: Path) -> None:
    rows = [{**ROWS[0], "rater": "x", "text": "1"}, {**ROWS[0], "rater": "y", "text": "0"}]
    path = write(tmp_path, "csv", rows)
    with pytest.raises(DataError, match=r"row 3, .*answered before, in row 2 \(choose one rater"):
        open_(path)
    assert ask(open_(path, rater="y"), "a", "td").text == "0"


def test_repeats_are_told_apart(tmp_path: Path) -> None:
    rows = [{**ROWS[0], "repeat": "0", "text": "1"}, {**ROWS[0], "repeat": "1", "text": "0"}]
    built = open_(write(tmp_path, "csv", rows))
    assert [ask(built, "a", "td", repeat=n).text for n in (0, 1)] == ["1", "0"]


def test_all_faults_are_reported_with_their_rows(tmp_path: Path) -> None:
    rows = [{**ROWS[0], "task": "zz"}, {**ROWS[0], "item_id": ""}]
    with pytest.raises(DataError) as caught:
        open_(write(tmp_path, "csv", rows))
    assert [(fault.row, fault.field) for fault in caught.value.faults] == [
        (2, "task"),
        (3, "item_id"),
    ]


def test_missing_columns_and_files_are_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="missing column text"):
        open_(write(tmp_path, "jsonl", [{"item_id": "a", "task": "td"}]))
    with pytest.raises(UserError, match="no such file"):
        open_(tmp_path / "none.csv")
    with pytest.raises(UserError, match=r"model\.predictions=FILE"):
        spec_of(ReplayConfig)


def test_the_file_is_the_identity(tmp_path: Path) -> None:
    one = open_(write(tmp_path, "jsonl", ROWS))
    two = open_(write(tmp_path, "jsonl", ROWS[:2]))
    assert one.identity != two.identity
    assert not one.cacheable
    assert str(tmp_path) not in json.dumps(dict(one.identity))
