"""The judge of docs/extending.md, used as the page says."""

from __future__ import annotations

from pathlib import Path

import pytest
from support_pages import write

from mouse.config.schema import JudgeConfig, ModelConfig
from mouse.errors import UserError
from mouse.judging.registry import judge_class, make_judge
from mouse.run import main
from mouse.tracking import reader
from mouse.verify import main as verify


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the page's files."""
    write("A judge", tmp_path)
    monkeypatch.setenv("MOUSE_PLUGINS", str(tmp_path / "my_judge.py"))
    return tmp_path


def test_a_judge_of_ones_own_scores_a_run_that_verifies(
    plugged: Path, in_home: Path, capsys: pytest.CaptureFixture
) -> None:
    command = write("A judge", plugged)
    given = command.replace("my_conf ", f"{plugged / 'my_conf'} ").split()
    assert main([*given, "metrics.resamples=100", "tracking.figures=false"]) == 0
    assert "tr/sem_acc" in capsys.readouterr().out
    run = reader.load_run(reader.runs()[0].run_id)
    assert "'slack': 3" in run.summary.tags["judge_identity"]
    assert {v.judge for v in run.task_verdicts("tr")} == {"length"}
    assert verify([run.run_id]) == 0


def test_mistakes_of_a_plug_in_are_said(plugged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judge_class("length").kinds == ("length",)
    for text, message in (
        ("JUDGES = [3]", "3 is not a class derived from mouse.judging.base.Judge"),
        ("from mouse.judging.none import NoJudge\nJUDGES = [NoJudge]", "a judge 'none' already"),
    ):
        file = plugged / f"broken_{len(text)}.py"
        file.write_text(text, "utf-8")
        monkeypatch.setenv("MOUSE_PLUGINS", str(file))
        with pytest.raises(UserError, match=message):
            make_judge(JudgeConfig(name="x"), ModelConfig(name="m"))
