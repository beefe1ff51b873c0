"""docs/extending.md from top to bottom: its files are written, its tests and commands run."""

from __future__ import annotations

import importlib
import os
import runpy
import shlex
from pathlib import Path

import pytest
from support_pages import blocks

from mouse import verify
from mouse.tracking import reader

QUICK = ("tracking.figures=false", "metrics.resamples=200")


@pytest.fixture
def folder(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own: other tests read all runs of the shared one, without these plug-ins."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def run_line(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if line.startswith("export "):
        name, _, value = line.removeprefix("export ").partition("=")
        files = [str(Path(file).resolve()) for file in value.split(":")]
        monkeypatch.setenv(name, os.pathsep.join(files))
        return
    python, module, entry, *given = shlex.split(line)
    assert (python, module) == ("python", "-m")
    given = [reader.runs()[0].run_id if word == "RUN" else word for word in given]
    settings = QUICK if entry == "mouse.run" else ()
    assert importlib.import_module(entry).main([*given, *settings]) == 0, line


def test_the_page_does_what_it_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tests = 0
    for language, name, text in blocks():
        if language == "sh":
            for line in text.splitlines():
                run_line(line, monkeypatch)
            continue
        if not name:  # an excerpt of another file
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        if name.startswith("test_"):
            monkeypatch.setenv("MOUSE_PLUGINS", str(folder / name.removeprefix("test_")))
            for function, made in runpy.run_path(str(folder / name)).items():
                if function.startswith("test_"):
                    made()
                    tests += 1
    assert tests == 4
    judged, parroted, measured, _ = reader.runs()
    assert {"em/acc", "em/f1", "em/specificity", "td/specificity"} <= measured.metrics.keys()
    assert "td/acc" in parroted.metrics
    assert "tr/sem_acc" in judged.metrics
    assert (folder / "reports" / "lengths" / "tables" / "answer_length.csv").is_file()
    assert "em/acc" in (folder / "reports" / "emoji" / "report.md").read_text(encoding="utf-8")

    emoji = next(run.run_id for run in reader.runs() if "em/acc" in run.metrics)
    monkeypatch.delenv("MOUSE_PLUGINS")
    capsys.readouterr()
    assert verify.main([emoji]) == 2
    assert "asked task em, which is not known here: name its file" in capsys.readouterr().err
