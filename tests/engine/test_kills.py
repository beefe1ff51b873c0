"""Whole processes that die in the middle of a run: nothing answered is lost or asked again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from mouse.contracts import Completion
from mouse.engine.store import CompletionStore

pytestmark = pytest.mark.ray

Driver = Callable[..., "subprocess.Popen[str]"]
IN_FLIGHT = 8
"""One worker: the chunk of four that it works on, and the one that waits behind it."""


@pytest.fixture
def started(driver: Driver) -> Iterator[Driver]:
    """`driver`, waiting until the first answer is out; what is left at the end is killed."""
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: object, **environment: str) -> subprocess.Popen[str]:
        process = driver(*arguments, **environment)
        processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "first\n"
        return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


def outcome(process: subprocess.Popen[str]) -> dict[str, int | str]:
    out, err = process.communicate(timeout=90)
    # Ray prints the last words of its own processes on the same stream.
    said = [line for line in out.splitlines() if line.startswith("{")]
    assert said, err
    return json.loads(said[-1])


def asked(log: Path) -> Counter[str]:
    return Counter(log.read_text().split())


def stored(path: Path, keys: Counter[str]) -> dict[str, Completion]:
    with CompletionStore(path) as store:
        return store.get_many(list(keys))


def await_lines(log: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(log.read_text().split()) < count:
        assert time.monotonic() < deadline, "the run does not get on"
        time.sleep(0.01)


def children(process: subprocess.Popen[str], name: str) -> list[psutil.Process]:
    return [p for p in psutil.Process(process.pid).children(recursive=True) if name in p.name()]


def test_after_kill_9_the_same_command_asks_only_for_what_was_in_flight(
    started: Driver, tmp_path: Path
) -> None:
    store, log = tmp_path / "s.db", tmp_path / "log"
    first = started(store, log, "ray", 300, 0.01)
    await_lines(log, 60)
    first.kill()
    first.wait()
    time.sleep(2)  # its actor finds out and ends
    before = asked(log)
    kept = stored(store, before)
    assert 60 <= len(before) < 300
    assert len(before) - len(kept) <= IN_FLIGHT

    second = outcome(started(store, log, "ray", 300, 0))
    assert second == {
        "answered": 300,
        "hits": len(kept),
        "asked": 300 - len(kept),
        "stored": 300,
        "why": "",
    }
    twice = [key for key, times in asked(log).items() if times > 1]
    assert len(twice) <= IN_FLIGHT
    assert not set(twice) & set(kept)

    undisturbed = tmp_path / "undisturbed.db"
    outcome(started(undisturbed, tmp_path / "log2", "ray", 300, 0))
    assert stored(store, asked(log)) == stored(undisturbed, asked(log))


def test_ctrl_c_in_a_terminal_saves_and_exits_130(started: Driver, tmp_path: Path) -> None:
    store, log = tmp_path / "s.db", tmp_path / "log"
    process = started(store, log, "ray", 3_000, 0.01)
    await_lines(log, 40)
    # A terminal sends the signal to the whole foreground group, Ray's processes included.
    os.killpg(process.pid, signal.SIGINT)
    result = outcome(process)
    assert process.returncode == 130
    assert 40 - IN_FLIGHT <= int(result["stored"]) < 3_000
    assert len(asked(log)) - int(result["stored"]) <= IN_FLIGHT + 4


@pytest.mark.parametrize("victim", ["raylet", "gcs_server"])
def test_when_the_ray_node_dies_the_run_ends_by_itself_and_keeps_its_answers(
    victim: str, started: Driver, tmp_path: Path
) -> None:
    store, log = tmp_path / "s.db", tmp_path / "log"
    process = started(store, log, "ray", 5_000, 0.01)
    await_lines(log, 40)
    [of_ray] = children(process, victim)
    of_ray.kill()
    begun = time.monotonic()
    result = outcome(process)
    assert time.monotonic() - begun < 40
    assert int(result["answered"]) + int(result["actor_died"]) == 5_000
    assert int(result["answered"]) == int(result["stored"])
    assert int(result["stored"]) >= 40 - IN_FLIGHT
    assert f"The Ray node died (its {victim}" in str(result["why"])

    second = outcome(started(store, log, "inline", 5_000, 0))
    assert second["answered"] == 5_000
    assert second["hits"] == result["stored"]


def test_two_runs_at_once_on_one_store_both_finish(started: Driver, tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    both = [
        started(store, tmp_path / f"log{i}", kind, 400, 0.002)
        for i, kind in enumerate(("ray", "inline"))
    ]
    for process in both:
        result = outcome(process)
        assert (result["answered"], result["stored"]) == (400, 400)


def test_no_byte_of_a_key_is_in_rays_session_files(started: Driver, tmp_path: Path) -> None:
    secret = "sk-0123456789-engine-test-0123456789"
    process = started(tmp_path / "s.db", tmp_path / "log", "ray", 300, 0.01, ENGINE_TEST_KEY=secret)
    [raylet] = children(process, "raylet")
    [session] = {
        part.split("=", 1)[1] for part in raylet.cmdline() if part.startswith("--session_dir=")
    }
    token = psutil.Process(process.pid).environ().get("RAY_AUTH_TOKEN", "")
    outcome(process)
    files = [path for path in Path(session).rglob("*") if path.is_file()]
    assert any("raylet" in path.name for path in files)
    for path in [*files, tmp_path / "s.db"]:
        assert secret.encode() not in path.read_bytes(), path
        assert not token or token.encode() not in path.read_bytes(), path
