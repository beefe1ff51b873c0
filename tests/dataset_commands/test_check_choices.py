"""`check-choices` exits 0 with findings, 2 with --strict, and its JSON is JSON."""

import json

from mouse.corpus.load import load
from mouse.dataset import main


def test_findings_do_not_fail_unless_strict(capsys) -> None:
    assert main(["check-choices", "--permutations", "99"]) == 0
    shown = capsys.readouterr().out
    assert "ms: options alone" in shown and "chance (model=uniform) 25.0%" in shown
    assert main(["check-choices", "--permutations", "99", "--strict"]) == 2


def test_json_and_the_hidden_questions(tmp_path, capsys) -> None:
    folder = tmp_path / "hidden"
    arguments = ["check-choices", "--json", "--permutations", "9", "--options-only-out"]
    assert main([*arguments, str(folder)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [task["task"] for task in report] == ["ms", "cc"]
    assert len(load("files", path=folder).choices) == len(load("sample").choices)


def test_a_set_without_choice_items_says_so(tmp_path, capsys) -> None:
    (tmp_path / "x.csv").write_text("id,original_text\n1,快更\n", encoding="utf-8")
    assert main(["check-choices", str(tmp_path / "x.csv")]) == 2
    assert "no choice items" in capsys.readouterr().err
