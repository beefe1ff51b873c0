"""`python -m mouse.prompts`: a folder is checked whole, and a run gives its prompts back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mouse import cli
from mouse.prompts import main
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


def test_what_a_template_leaves_out_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "td.txt").write_text("[system]\n判断\n[user]\n{text}", encoding="utf-8")
    shutil.copy(BUILT_IN / "cot" / "tr.txt", folder / "tr.txt")
    (folder / "judge.txt").write_text("[system]\n评分\n[number]\n只写数字", encoding="utf-8")
    assert main(["check", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "no [answer] in td.txt: [system] has to say how to answer" in out
    assert "[steps] in tr.txt: only with task.decoding=free and prompt.shots=0" in out
    assert f"judge: can answer with a digit; use it with judge.prompt_path={folder}" in out


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("只有说明".encode(), "lacks the section [system], [number]"),
        ("[system]\n评分".encode(), "lacks the section [number]"),
        ("[system]\n评分\n[number]\n数字".encode("gb18030"), "is not UTF-8"),
    ],
)
def test_a_judges_prompt_that_cannot_be_used_is_a_fault(
    folder: Path, capsys: pytest.CaptureFixture[str], content: bytes, fault: str
) -> None:
    (folder / "judge.txt").write_bytes(content)
    assert main(["check", str(folder)]) == 2
    assert fault in capsys.readouterr().err


@pytest.mark.parametrize("name", ["zh", "en", "cot", "cot-en"])
def test_the_sets_that_come_with_mouse_have_no_fault(name: str) -> None:
    assert main(["check", str(BUILT_IN / name)]) == 0


def test_the_console_script_knows_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["mouse", "prompts", "check", str(folder)])
    assert cli.main() == 0
    assert "Fingerprint" in capsys.readouterr().out
