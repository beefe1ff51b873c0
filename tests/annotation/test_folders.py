"""A key comes back as it was written; a missing, altered or second one is said in one sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mouse.annotation.folders import (
    PersonSheet,
    check_unused,
    code_of,
    read_identified,
    read_key,
    sheet_files,
    write_key,
)
from mouse.annotation.sheets import SheetColumn, write_csv
from mouse.errors import Fault, UserError


@dataclass(frozen=True)
class Part:
    name: str
    order: tuple[int, ...]


@dataclass(frozen=True)
class Key:
    seed: int
    parts: tuple[Part, ...]
    ids: dict[str, tuple[str, ...]]


KEY = Key(3, (Part("一", (1, 0)), Part("b", ())), {"ms": ("m1", "m2")})


def test_a_key_comes_back_and_what_stands_before_it_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    write_key(path, KEY, warning="keep back")
    assert path.read_text(encoding="utf-8").startswith('{\n "warning": "keep back"')
    assert read_key(path, Key, "export") == KEY
    with pytest.raises(UserError, match=r"key\.json exists: its sheets may be in use"):
        check_unused(path)
    path.write_text('{"seed": 1, "parts": [1]}', encoding="utf-8")
    with pytest.raises(UserError, match="is not what export wrote"):
        read_key(path, Key, "export")
    with pytest.raises(UserError, match=r"give the folder that export wrote, with none\.json"):
        read_key(tmp_path / "none.json", Key, "export")


def test_a_code_tells_one_export_from_another() -> None:
    assert code_of(KEY) == code_of(replace(KEY)) != code_of(replace(KEY, seed=4))
    assert len(code_of(KEY)) == 8


def sheet(folder: Path, name: str, head: str) -> None:
    write_csv(folder / name, [SheetColumn("id", head)], [{"id": "r1"}])


def test_a_sheet_is_the_person_s_whose_number_it_carries(tmp_path: Path) -> None:
    code = "0123abcd"
    sheet(tmp_path, "anything.csv", f"编号 {code}-2")
    sheet(tmp_path / "out", "untouched.csv", f"编号 {code}-2")
    sheet(tmp_path, "other.csv", "id 99999999-1")
    sheet(tmp_path, "beyond.csv", f"id {code}-3")
    sheet(tmp_path, "nobody.csv", "id")
    sheet(tmp_path, "passed_over.csv", "id")
    sheet(tmp_path, "~lock.csv", "id")

    def read(path: Path, person: int, faults: list[Fault]) -> PersonSheet:
        return PersonSheet(person, path.name, {"r1": 1} if path.stem == "anything" else {})

    faults: list[Fault] = []
    files = sheet_files(tmp_path, "out", "passed_over.csv")
    found = read_identified(files, code, 2, read, ("rater", "ratings"), faults)
    assert {person: one.file for person, one in found.items()} == {2: "anything.csv"}
    assert [(fault.file, fault.value) for fault in faults] == [
        ("beyond.csv", 3),
        ("nobody.csv", "id"),
        ("other.csv", "99999999"),
    ]
