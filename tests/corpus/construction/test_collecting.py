"""Every line ends as an item or among the removed, and logs never repeat what was masked."""

import json
from pathlib import Path

import pytest

from mouse.corpus.construction.collecting import (
    RawLine,
    collect,
    read_collected,
    read_lines,
    write_collection,
)
from mouse.corpus.reading.columns import ColumnMap
from mouse.errors import DataError, UserError


def lines(*texts: str, origin: str = "raw") -> list[RawLine]:
    return [RawLine(text, origin, "a.txt", at) for at, text in enumerate(texts, 1)]


def test_nothing_is_dropped_silently(tmp_path: Path) -> None:
    collection = collect(lines("快更", "快更", "\u200b", "电话13812345678", "快更!"))
    assert len(collection.items) + len(collection.removed) == 5
    assert [row["reason"] for row in collection.removed] == [
        "empty",
        "same text",
        "same but for width, case, spaces and punctuation",
    ]
    assert collection.removed[1]["kept"] == collection.items[0].id
    write_collection(collection, tmp_path)
    written = "".join(path.read_text(encoding="utf-8") for path in tmp_path.iterdir())
    assert "13812345678" not in written
    assert collection.summary["masked"]["phone"] == 1
    assert read_collected(tmp_path) == list(collection.items)


def test_ids_follow_from_the_text_alone() -> None:
    first = {i.text: i.id for i in collect(lines("快更", "别的")).items}
    again = {i.text: i.id for i in collect(lines("别的", "另一句", "快更")).items}
    assert first["快更"] == again["快更"] and first["别的"] == again["别的"]


def test_text_files_and_data_files_are_read_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("甲\n\n乙".encode("gb18030"))
    (tmp_path / "b.csv").write_text("原文,x\n丙,1\n", encoding="utf-8")
    found = read_lines([tmp_path / "a.txt", tmp_path / "b.csv"], "manual", ColumnMap())
    assert [(line.text, line.file, line.row) for line in found] == [
        ("甲", "a.txt", 1),
        ("乙", "a.txt", 3),
        ("丙", "b.csv", 2),
    ]


def test_wrong_files_are_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read_lines([tmp_path / "none.txt"], "raw", ColumnMap())
    (tmp_path / "c.csv").write_text("x,y\n1,2\n")
    with pytest.raises(DataError, match="no column of text"):
        read_lines([tmp_path / "c.csv"], "raw", ColumnMap())
    with pytest.raises(UserError, match="build clean"):
        read_collected(tmp_path)
    (tmp_path / "items.jsonl").write_text(json.dumps({"id": 1}) + "\n")
    with pytest.raises(UserError, match="line 1: not an item"):
        read_collected(tmp_path)
