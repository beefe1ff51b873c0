"""`python -m mouse.prompts`: a folder is checked whole, and a run gives its prompts back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mouse.prompts.__main__ import main
from mouse.tasks.prompts import BUILT_IN, PromptSet


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "mine"
    shutil.copytree(BUILT_IN / "zh", place)
    return place


def test_a_good_folder_says_what_each_task_may_use(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "cc: can be asked; placeholders {context}, {text}, {options}" in said
    assert f"Fingerprint {PromptSet.load(path=folder).fingerprint}" in said
    assert f"prompt.path={folder}" in said


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("td.txt", "[user]\n没有占位符", "lacks the placeholder {text}"),
        ("td.txt", "[user]\n{text}{word}", "unknown placeholder {word}"),
        ("td.txt", "[system]\n只有说明", "no [user] section"),
        ("td.txt", "[frage]\n{text}", "section [frage]"),
        ("td.txt", "[system]\n{text}\n[user]\n{text}", "the item goes into [user] only"),
        ("cc.txt", "[user]\n{text}{options}", "lacks the placeholder {context}"),
    ],
)
def test_every_fault_is_named_with_its_file(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, fault: str
) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "tr.txt").write_bytes(b"[user]\n\xff{text}")
    (folder / "transaltion.txt").write_text("[user]\n{text}", encoding="utf-8")
    assert main(["check", str(folder)]) == 2
    out, err = capsys.readouterr()
    assert fault in err and name in err
    assert "tr.txt is not UTF-8" in err
    assert f"{name[:2]}: cannot be asked" in out
    assert "not read: transaltion.txt" in out


def test_a_folder_with_some_tasks_is_good_for_those(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in folder.glob("rc_*.txt"):
        file.unlink()
    (folder / "td.txt").write_text("[user]\n毒吗？{text}", encoding="utf-8")
    assert main(["check", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "rc: cannot be asked: rc_homophonic.txt, rc_visual.txt, rc_semantic.txt missing" in out
    assert "no [json] in td.txt: not with task.decoding=json" in out


def test_no_folder_and_an_empty_one_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tmp_path / "nowhere")]) == 2
    assert main(["check", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert "is not a folder" in err and "has no template" in err
    assert main([]) == 2
