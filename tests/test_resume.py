"""A run that was interrupted, doubled or asked again ends with the numbers of an undisturbed one.

What was killed (driver, actor, Ray node) is in tests/faults/test_killed.py.
"""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import command_runner
import pytest

from mouse.run import main

COMMAND = ("model=lexicon", "task=tr,rc,ir,td", "tracking=off", "seed=3", "metrics.resamples=200")


def start(home: Path, *extra: str) -> subprocess.Popen[str]:
    """The command as a process of its own, the leader of a group as a shell makes it."""
    return subprocess.Popen(
        [sys.executable, "-m", "mouse.run", *COMMAND, *extra],
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("RAY_")},
            "MOUSE_HOME": str(home),
        },
        cwd=home.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out


def run(home: Path, *extra: str) -> str:
    """The command in this process, without Ray; returns what it printed."""
    ended = command_runner.call(
        main,
        [*COMMAND, "engine=inline", *extra],
        folder=home.parent,
        environment={"MOUSE_HOME": str(home)},
    )
    assert ended.code == 0, ended.err
    return ended.out


def stored(home: Path) -> int:
    path = home / "completions.sqlite"
    if not path.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            return int(database.execute("SELECT count(*) FROM completion").fetchone()[0])
    except sqlite3.OperationalError:  # being created
        return 0


def wait_for_answers(home: Path, process: subprocess.Popen[str], count: int) -> int:
    """Until the store holds `count` answers while the process is still at work."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if (have := stored(home)) >= count:
            assert process.poll() is None, "the run was over before it could be disturbed"
            return have
        time.sleep(0.01)
    raise AssertionError("no answers arrived")


def asked(output: str) -> tuple[int, int, int]:
    found = re.search(r"(\d+) requests: (\d+) asked, (\d+) from the store", output)
    assert found, output
    return int(found[1]), int(found[2]), int(found[3])


def metrics(output: str) -> list[str]:
    return [line.strip() for line in output.splitlines() if re.match(r"\s+\w\w/", line)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    return run(tmp_path_factory.mktemp("undisturbed") / "state")


@pytest.mark.ray
def test_ctrl_c_in_a_terminal_saves_and_exits_130(tmp_path: Path, undisturbed: str) -> None:
    home = tmp_path / "state"
    process = start(home)
    kept = wait_for_answers(home, process, 100)
    # A terminal sends the signal to the whole foreground group, Ray's processes included.
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "the same command goes on" in out
    assert kept <= stored(home) < asked(undisturbed)[0]
    kept = stored(home)
    output = run(home)
    assert asked(output) == (asked(undisturbed)[0], asked(undisturbed)[0] - kept, kept)
    assert metrics(output) == metrics(undisturbed)


@pytest.mark.ray
def test_two_runs_at_once_on_one_store(tmp_path: Path, undisturbed: str) -> None:
    home = tmp_path / "state"
    pair = [start(home), start(home, "engine=inline")]
    outputs = [finished(process) for process in pair]
    assert metrics(outputs[0]) == metrics(outputs[1]) == metrics(undisturbed)
    with sqlite3.connect(home / "completions.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert asked(run(home))[1] == 0


def test_refresh_asks_again_and_off_keeps_nothing(tmp_path: Path) -> None:
    home = tmp_path / "state"
    run(home, "limit=10")
    kept = stored(home)
    again = run(home, "limit=10", "store=refresh")
    assert asked(again)[2] == 0 and stored(home) == kept > 0
    none = run(tmp_path / "off", "limit=10", "store=off")
    assert asked(none)[2] == 0 and stored(tmp_path / "off") == 0
