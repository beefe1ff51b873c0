"""The built wheel works elsewhere: its configs, prompts and data come with it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder into which the freshly built wheel was installed, outside the checkout."""
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(place)]
    done = subprocess.run([*build, str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    wheel = next(place.glob("*.whl"))
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (
        "mouse/conf/config.yaml",
        "mouse/data/sample/cxei.jsonl",
        "mouse/data/published/table3_main.csv",
        "mouse/tasks/templates/zh/tr.txt",
        "mouse/annotation/guidelines/rating.zh.txt",
        "mouse/annotation/review/questions.csv",
    ):
        assert needed in names
    assert not [name for name in names if name.startswith(("tests/", "scripts/", "mlruns/"))]
    target = place / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", target, wheel],
        check=True,
        capture_output=True,
    )
    return target


def call(installed, tmp_path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(installed),
        "MOUSE_HOME": str(tmp_path / "state"),
        "MLFLOW_DISABLE_TELEMETRY": "true",
    }
    return subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240
    )


def test_the_wheel_is_what_is_imported(installed, tmp_path):
    done = call(installed, tmp_path, sys.executable, "-c", "import mouse; print(mouse.__file__)")
    assert done.stdout.startswith(str(installed))


def test_a_run_from_any_folder(installed, tmp_path):
    done = call(
        installed,
        tmp_path,
        *(sys.executable, "-m", "mouse.run", "model=lexicon", "limit=8", "task=tr,cc"),
        *("engine=inline", "tracking=off"),
    )
    assert done.returncode == 0, done.stderr
    assert "tr/sem_acc" in done.stdout


@pytest.mark.parametrize("entry", [("mouse", "run"), ("mouse-run",)])
def test_the_console_scripts_are_the_command(installed, tmp_path, entry):
    script, *command = entry
    script = str(installed / "bin" / script)
    done = call(installed, tmp_path, sys.executable, script, *command, "model=nosuch")
    assert done.returncode == 2
    assert "model=nosuch: there is no such model; known are" in done.stderr


def test_the_console_script_lists_its_commands(installed, tmp_path):
    done = call(installed, tmp_path, sys.executable, str(installed / "bin" / "mouse"), "--help")
    assert done.returncode == 0
    assert "run" in done.stdout and "dataset" in done.stdout
    wrong = call(installed, tmp_path, sys.executable, str(installed / "bin" / "mouse"), "fly")
    assert wrong.returncode == 2
    assert "there is no command 'fly'" in wrong.stderr
