"""The backend of docs/extending.md, used as the page says; and plug-ins that are none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support_pages import write

from mouse.errors import UserError
from mouse.models.config import ModelConfig
from mouse.models.registry import backends, find_backend
from mouse.run import main
from mouse.tracking import reader


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the page's files."""
    write("A backend", tmp_path)
    monkeypatch.setenv("MOUSE_PLUGINS", str(tmp_path / "my_backend.py"))
    return tmp_path


def command(plugged: Path, *more: str) -> list[str]:
    line = write("A backend", plugged).replace("my_conf ", f"{plugged / 'my_conf'} ")
    given = [word for word in line.split() if not word.startswith("engine=")]
    return [*given, "metrics.resamples=100", "tracking.figures=false", "store=off", *more]


@pytest.mark.parametrize("engine", ["inline", pytest.param("ray", marks=pytest.mark.ray)])
def test_a_backend_of_ones_own_answers_a_run(
    plugged: Path, in_home: Path, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(plugged, f"engine={engine}")) == 0
    run = reader.load_run(reader.runs()[0].run_id)
    assert {one.raw_text for one in run.task_predictions("td")} == {"1"}
    assert run.summary.params["model.says"] == "1"


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("model.says=null", "needs something to say: model.says=TEXT"),
        ("model.wait_s=-1", "model.wait_s=-1.0: at least 0"),
        ("model.say=x", "model.say: there is no such key"),
        ("model.wait_s=long", "model.wait_s=long: Float is expected"),
    ],
)
def test_its_options_are_checked(
    plugged: Path, in_home: Path, override: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(plugged, "engine=inline", override)) == 2
    assert message in capsys.readouterr().err


def test_an_installed_package_offers_its_backend(
    plugged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MOUSE_PLUGINS")
    about = plugged / "my_package-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: my-package\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[mouse.backends]\nparrot = my_backend:ParrotConfig\n")
    monkeypatch.syspath_prepend(str(plugged))
    # Another set of plug-ins, so that what was found without the package is not remembered.
    (plugged / "none.py").write_text("")
    monkeypatch.setenv("MOUSE_PLUGINS", str(plugged / "none.py"))
    found = find_backend("parrot")
    assert found.__module__ == "my_backend"
    del sys.modules["my_backend"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BACKENDS = [3]", "3 is not a class derived from mouse.models.config.ModelConfig"),
        (
            "from mouse.models.lexicon import LexiconConfig\nBACKENDS = [LexiconConfig]",
            "a backend 'lexicon' already",
        ),
        ("import no_such_package", "cannot be loaded: ModuleNotFoundError"),
    ],
)
def test_a_plug_in_that_is_none_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    (tmp_path / "broken.py").write_text(text)
    monkeypatch.setenv("MOUSE_PLUGINS", str(tmp_path / "broken.py"))
    with pytest.raises(UserError, match=message):
        backends()


def test_an_unknown_backend_is_one_sentence_with_those_known() -> None:
    assert issubclass(find_backend("openai_chat"), ModelConfig)
    with pytest.raises(UserError, match=r"model\.backend=gpu: .* known are baseline, lexicon"):
        find_backend("gpu")
