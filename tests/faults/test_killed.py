"""kill -9 of the driver, of an actor, of the Ray node: what was answered stays answered."""

from __future__ import annotations

import time
from typing import Any

import psutil
import pytest

pytestmark = pytest.mark.ray

COUNT = 400
MOST_LOST = 2 * 3 * 8
"""What two actors hold: three chunks of eight each, of which one is being asked."""


@pytest.fixture
def slow(runs: Any, server: Any, faulty: Any, help: Any) -> None:
    runs.items(COUNT)
    server.on_body, server.latency_s = help.right(faulty), 0.1


def of(process: Any, name: str) -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process(process.pid).children(recursive=True)
        if name in " ".join(child.cmdline()[:1]) or name in child.name()
    ]


def finish(runs: Any, server: Any, help: Any, kept: int | None = None) -> int:
    """The same command once more ends complete; returns how many answers were given twice."""
    server.latency_s = 0.0
    second = runs.run()
    assert second.code == 0, second.out + second.err
    assert second.ledger == [COUNT, 0, 0, 0, 0, 0, 0, COUNT]
    assert second.count("asked") + second.count("from the store") == COUNT
    if kept is not None:
        assert second.count("from the store") == kept
    counts = help.answered(server)
    assert set(counts) == set(range(COUNT))
    return sum(counts.values()) - COUNT


def test_the_driver(slow: None, runs: Any, server: Any, help: Any) -> None:
    process = runs.start()
    runs.await_answers(80, process)
    actors = of(process, "ray::Worker")
    assert len(actors) == 2
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(actors, timeout=30)
    assert not alive, "the actors outlived their driver"
    before = sum(help.answered(server).values())
    twice = finish(runs, server, help)
    assert 80 <= before < COUNT and twice <= MOST_LOST
    print(f"driver killed after {before} answers; {twice} were in flight and asked again")


def test_an_actor(slow: None, runs: Any, server: Any, help: Any) -> None:
    process = runs.start()
    runs.await_answers(80, process)
    of(process, "ray::Worker")[0].kill()
    ended = runs.end(process)
    assert ended.code == 0, ended.out + ended.err
    assert ended.ledger == [COUNT, 0, 0, 0, 0, 0, 0, COUNT]
    twice = sum(help.answered(server).values()) - COUNT
    assert twice <= MOST_LOST
    print(f"actor killed: the run went on; {twice} answers died with it and were asked again")


def test_the_ray_node(slow: None, runs: Any, server: Any, help: Any) -> None:
    server.latency_s = 0.6  # actors outlive their node for a while and might finish
    process = runs.start()
    runs.await_answers(80, process)
    [raylet] = of(process, "raylet")
    raylet.kill()
    begun = time.monotonic()
    first = runs.end(process)
    took = time.monotonic() - begun
    assert first.code == 3, first.out + first.err
    assert "Ray node died" in first.out + first.err
    valid, *_, failed, total = first.ledger
    assert valid + failed == total == COUNT and valid >= 80 - MOST_LOST
    twice = finish(runs, server, help, kept=valid)
    assert twice <= MOST_LOST
    print(f"ended {took:.1f} s after the node, {valid} kept, {failed} failed; {twice} asked again")
