"""Whole commands against a server that misbehaves: real Ray, real store, real HTTP.

`Runs.run` calls the command in this process, on the Ray of the session where the test asks for
`ray_session`; `Runs.start` makes a process of its own, for tests of what kills one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import command_runner
import faulty_server
import psutil
import pytest

from mouse.run import main

KEY = "sk-faults-0123456789abcdefghij"
IN_FLIGHT = 16


@pytest.fixture(scope="session")
def faulty() -> ModuleType:
    return faulty_server


@pytest.fixture
def server(faulty: ModuleType) -> Iterator[Any]:
    server = faulty.FaultyServer(key=KEY)
    yield server
    server.stop()


def number_of(text: str) -> int:
    """The number of the item that a prompt asks about; 1 for the probe, which asks about none."""
    found = re.search(r"第(\d+)句", text)
    return int(found[1]) if found else 1


def asked(server: Any) -> list[Any]:
    """The calls about items: all but the probe's."""
    return [call for call in list(server.calls) if "第" in call.text]


def answered(server: Any) -> Counter[int]:
    """How often the server gave each item a whole answer (which a vendor bills)."""
    counts: Counter[int] = Counter()
    for call in asked(server):
        plan = call.text.rpartition("|")[2].split(",") if "|" in call.text else ["ok"]
        met = plan[min(call.attempt, len(plan)) - 1]
        if call.status == 200 and met.startswith("ok"):
            counts[number_of(call.text)] += 1
    return counts


def label(body: dict[str, Any]) -> str:
    """The gold label of the item that a body asks about."""
    return str(number_of(body["messages"][-1]["content"]) % 2)


def right(faulty: ModuleType) -> Callable[[dict[str, Any]], Any]:
    """For `on_body`: every item is answered correctly."""
    return lambda body: faulty.web.json_response(faulty.completion(label(body)))


@dataclass(frozen=True)
class Ended(command_runner.Ended):
    """A run that ended, with the numbers that it printed."""

    def count(self, name: str) -> int:
        """A number of the last line: `requests`, `asked`, `from the store`, `retries`."""
        found = re.search(rf"([\d,]+) {name}", self.out)
        assert found, self.out + self.err
        return int(found[1].replace(",", ""))

    @property
    def ledger(self) -> list[int]:
        """The row of the only task: valid … failed, all."""
        rows = re.findall(r"^ *(?:td|tr) ((?: +\d+){8}) *$", self.out, re.MULTILINE)
        assert len(rows) == 1, self.out + self.err
        return [int(cell) for cell in rows[0].split()]

    @property
    def metrics(self) -> list[str]:
        return [" ".join(line.split()) for line in self.out.splitlines() if " td/" in line]


class Runs:
    """`python -m mouse.run` in one folder; the same arguments are the same command."""

    def __init__(self, folder: Path, server: Any) -> None:
        self.folder = folder
        self.server = server
        self.home = folder / "state"
        self.processes: list[subprocess.Popen[str]] = []

    def items(self, count: int, plan: Callable[[int], str] = lambda number: "") -> None:
        """Write the data set: item n is toxic iff n is odd; `plan` is what its requests meet."""
        lines = []
        for number in range(count):
            text = f"第{number}句🌶️" + (f"|{plan(number)}" if plan(number) else "")
            lines.append(
                json.dumps({"id": f"x{number}", "original_text": text, "toxicity": number % 2})
            )
        (self.folder / "items.jsonl").write_text("\n".join(lines), "utf-8")

    def arguments(self, extra: Sequence[str]) -> list[str]:
        """The whole command line: `extra`, and defaults for what it does not name."""
        given = {argument.partition("=")[0] for argument in extra}
        defaults = (
            "model=openai",
            "model.id=tiny",
            f"model.base_url={self.server.url}",
            "task=td",
            "data=files",
            "data.path=items.jsonl",
            "tracking=off",
            "metrics.resamples=100",
            "engine.num_cpus=2",
            f"model.limits.max_in_flight={IN_FLIGHT}",
            "model.limits.timeout_s=5",
            "model.retries.max_attempts=10",
            "model.retries.max_wait_s=1",
        )
        return [one for one in defaults if one.partition("=")[0] not in given] + list(extra)

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        return {
            "MOUSE_HOME": str(self.home),
            "OPENAI_API_KEY": KEY,
            "no_proxy": "127.0.0.1",
            "MLFLOW_DISABLE_TELEMETRY": "true",
            **more,
        }

    def run(self, *extra: str, **environment: str) -> Ended:
        """The command in this process, until it ends."""
        return self.call(main, *self.arguments(extra), **environment)

    def call(self, entry: Callable[..., int], *arguments: str, **environment: str) -> Ended:
        """An entry point of mouse, in this process and with exactly these arguments."""
        ended = command_runner.call(
            entry, arguments, folder=self.folder, environment=self.environment(environment)
        )
        return Ended(ended.code, ended.out, ended.err)

    def start(self, *extra: str, **environment: str) -> subprocess.Popen[str]:
        """The command as a process of its own, at work when this returns."""
        # Without what the Ray of the session has put there: a user's process has nothing of it.
        base = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        process = subprocess.Popen(
            [sys.executable, "-m", "mouse.run", *self.arguments(extra)],
            env={**base, **self.environment(environment)},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def end(self, process: subprocess.Popen[str], within_s: float = 120) -> Ended:
        out, err = process.communicate(timeout=within_s)
        return Ended(process.returncode, out, err)

    def await_answers(self, count: int, process: subprocess.Popen[str] | None = None) -> None:
        """Until the server has answered `count` requests, the process (if any) being at work."""
        deadline = time.monotonic() + 90
        while sum(answered(self.server).values()) < count:
            if process is not None and process.poll() is not None:
                raise AssertionError(f"it ended: {process.communicate()}")
            assert time.monotonic() < deadline, "the run does not get on"
            time.sleep(0.01)

    @contextmanager
    def after_answers(self, count: int, act: Callable[[], None]) -> Iterator[None]:
        """Within, `act` is called in a thread as soon as the server has answered `count`."""
        with ThreadPoolExecutor(1) as pool:
            acted = pool.submit(lambda: (self.await_answers(count), act()))
            yield
            acted.result(10)


@pytest.fixture
def runs(tmp_path: Path, server: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runs]:
    for name in [name for name in os.environ if name.startswith("OPENAI_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    runs = Runs(tmp_path, server)
    yield runs
    for process in runs.processes:
        if process.poll() is None:
            for one in [*psutil.Process(process.pid).children(recursive=True)]:
                one.kill()
            process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def help() -> Any:
    """The functions of this file, for the tests: fixtures are all that importlib mode shares."""
    return sys.modules[__name__]
