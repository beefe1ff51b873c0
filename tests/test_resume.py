"""A run that was killed, interrupted or doubled ends with the numbers of an undisturbed one."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.ray

COMMAND = ("model=lexicon", "task=tr,rc,ir,td", "tracking=off", "seed=3")
IN_FLIGHT = 2 * 32 * 4
"""More than the engine ever has out with two actors: chunks of 32, some waiting at each."""


def start(home: Path, *extra: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "mouse.run", *COMMAND, *extra],
        env={**os.environ, "MOUSE_HOME": str(home)},
        cwd=home.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out


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
def undisturbed(tmp_path_factory) -> str:
    home = tmp_path_factory.mktemp("undisturbed") / "state"
    return finished(start(home))


def test_kill_9_of_the_driver_loses_at_most_what_was_in_flight(tmp_path, undisturbed):
    home = tmp_path / "state"
    process = start(home)
    wait_for_answers(home, process, 100)
    process.kill()
    process.communicate()
    kept = stored(home)
    total, _, _ = asked(undisturbed)
    assert 100 <= kept < total

    output = finished(start(home))
    requests, again, from_store = asked(output)
    assert requests == total
    assert from_store >= kept
    assert again == stored(home) - kept
    assert kept + again <= total
    assert metrics(output) == metrics(undisturbed)


def test_ctrl_c_saves_and_exits_130(tmp_path, undisturbed):
    home = tmp_path / "state"
    process = start(home)
    kept = wait_for_answers(home, process, 100)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "the same command goes on" in out
    assert stored(home) >= kept

    output = finished(start(home))
    assert asked(output)[2] >= kept
    assert metrics(output) == metrics(undisturbed)


def test_two_runs_at_once_on_one_store(tmp_path, undisturbed):
    home = tmp_path / "state"
    pair = [start(home), start(home)]
    outputs = [finished(process) for process in pair]
    assert metrics(outputs[0]) == metrics(outputs[1]) == metrics(undisturbed)
    with sqlite3.connect(home / "completions.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    third = finished(start(home))
    assert asked(third)[1] == 0


def test_refresh_asks_again_and_off_keeps_nothing(tmp_path, undisturbed):
    home = tmp_path / "state"
    finished(start(home, "limit=10"))
    kept = stored(home)
    again = finished(start(home, "limit=10", "store=refresh"))
    assert asked(again)[2] == 0 and stored(home) == kept
    none = finished(start(tmp_path / "off", "limit=10", "store=off", "engine=inline"))
    assert asked(none)[2] == 0 and stored(tmp_path / "off") == 0
