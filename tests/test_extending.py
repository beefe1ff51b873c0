"""docs/extending.md from top to bottom: its files are written, its tests and commands run."""

from __future__ import annotations

import importlib
import os
import re
import runpy
import shlex
from pathlib import Path

import pytest

from mouse.tracking import reader

PAGE = (Path(__file__).parents[1] / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+) ?([\w./]*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
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


def test_the_page_does_what_it_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tests = 0
    for language, name, text in BLOCKS:
        if language == "sh":
            for line in text.splitlines():
                run_line(line, monkeypatch)
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        if name.startswith("test_"):
            monkeypatch.setenv("MOUSE_PLUGINS", str(folder / name.removeprefix("test_")))
            for function, made in runpy.run_path(str(folder / name)).items():
                if function.startswith("test_"):
                    made()
                    tests += 1
    assert tests == 3
    metrics = reader.runs()[0].metrics
    assert {"em/acc", "em/f1", "em/specificity", "td/specificity"} <= metrics.keys()
    assert "em/acc" in (folder / "reports" / "emoji" / "report.md").read_text(encoding="utf-8")
