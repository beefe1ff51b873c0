"""kill -9 of the driver, of an actor, of the Ray node: what was answered stays answered."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

pytestmark = pytest.mark.ray

COUNT = 400
MOST_LOST = 2 * 3 * 8
"""What two actors hold: three chunks of eight each, of which one is being asked."""


def mostly_right(faulty: Any, help: Any) -> Any:
    """Nine items of ten are answered correctly, so that the metrics can tell answers apart."""

    def on_body(body: dict[str, Any]) -> Any:
        number = help.number_of(body["messages"][-1]["content"])
        return faulty.web.json_response(faulty.completion(str((number + (number % 10 == 0)) % 2)))

    return on_body


@pytest.fixture
def slow(runs: Any, server: Any, faulty: Any, help: Any) -> None:
    runs.items(COUNT)
    server.on_body, server.latency_s = mostly_right(faulty, help), 0.1


def of(process: psutil.Process, name: str) -> list[psutil.Process]:
    return [
        child
        for child in process.children(recursive=True)
        if name in " ".join(child.cmdline()[:1]) or name in child.name()
    ]


def stored(home: Path) -> int:
    with sqlite3.connect(home / "completions.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(database.execute("SELECT count(*) FROM completion").fetchone()[0])


def finish(runs: Any, server: Any, help: Any, kept: int) -> int:
    """The same command once more asks for the rest and ends like a run that nothing disturbed;
    returns how many answers were given twice."""
    server.latency_s = 0.0
    second = runs.run()
    assert second.code == 0, second.out + second.err
    assert second.ledger == [COUNT, 0, 0, 0, 0, 0, 0, COUNT]
    assert (second.count("from the store"), second.count("asked")) == (kept, COUNT - kept)
    assert stored(runs.home) == COUNT
    counts = help.answered(server)
    assert set(counts) == set(range(COUNT))
    undisturbed = runs.run("engine=inline", MOUSE_HOME=str(runs.folder / "undisturbed"))
    assert second.metrics == undisturbed.metrics
    return sum(counts.values()) - COUNT


@pytest.mark.usefixtures("ray_session")
def test_the_driver(slow: None, runs: Any, server: Any, help: Any) -> None:
    process = runs.start()
    runs.await_answers(80, process)
    actors = of(psutil.Process(process.pid), "ray::Worker")
    assert len(actors) == 2
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(actors, timeout=30)
    assert not alive, "the actors outlived their driver"
    before, kept = sum(help.answered(server).values()), stored(runs.home)
    assert 80 - MOST_LOST <= kept <= before < COUNT
    twice = finish(runs, server, help, kept)
    assert twice <= MOST_LOST
    print(f"driver killed after {before} answers; {twice} were in flight and asked again")


@pytest.mark.usefixtures("ray_session")
def test_an_actor(
    slow: None, runs: Any, server: Any, help: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def kill() -> None:
        of(psutil.Process(), "ray::Worker")[-1].kill()

    with runs.after_answers(80, kill):
        ended = runs.run()
    assert ended.code == 0, ended.out + ended.err
    assert ended.ledger == [COUNT, 0, 0, 0, 0, 0, 0, COUNT]
    assert "A worker of «model» died" in caplog.text
    twice = sum(help.answered(server).values()) - COUNT
    assert twice <= MOST_LOST
    print(f"actor killed: the run went on; {twice} answers died with it and were asked again")


@pytest.mark.usefixtures("ray_session")
@pytest.mark.parametrize("victim", ["raylet", pytest.param("gcs_server", marks=pytest.mark.slow)])
def test_the_ray_node(slow: None, runs: Any, server: Any, help: Any, victim: str) -> None:
    server.latency_s = 0.6  # actors outlive their node for a while and might finish
    process = runs.start()
    runs.await_answers(80, process)
    [of_ray] = of(psutil.Process(process.pid), victim)
    of_ray.kill()
    begun = time.monotonic()
    first = runs.end(process)
    took = time.monotonic() - begun
    assert first.code == 3, first.out + first.err
    assert f"Ray node died (its {victim}" in first.out + first.err
    valid, *_, failed, total = first.ledger
    assert valid + failed == total == COUNT and valid >= 80 - MOST_LOST
    twice = finish(runs, server, help, kept=valid)
    assert twice <= MOST_LOST
    print(f"ended {took:.1f} s after the node, {valid} kept, {failed} failed; {twice} asked again")
