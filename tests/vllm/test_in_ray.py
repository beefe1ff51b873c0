"""Two replicas under Ray: all is answered, alike, and survives the death of one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from mouse.contracts import Request

pytestmark = pytest.mark.ray

COUNT = 300


@pytest.mark.parametrize("victim", ["ray::Worker", "VLLM::EngineCore"])
def test_two_replicas_answer_everything_though_one_dies(
    victim: str,
    random_model: Path,
    make_spec: Callable[..., Any],
    question: Callable[..., Request],
) -> None:
    from mouse.engine.ray_engine import RayEngine

    spec = make_spec(random_model, replicas=2, thinking="off")
    assert spec.num_gpus == 0
    # A small window: else the first to be ready takes all before the other has started.
    spec = replace(spec, chunk_size=4, max_concurrency=4)
    keys: list[str] = []
    with RayEngine(num_cpus=2) as engine:
        engine.open("model", spec)
        engine.submit("model", (question(f"第{i}句", max_tokens=1 + i % 32) for i in range(COUNT)))
        for _, request, completion in engine.results():
            assert completion.error is None
            assert completion.usage is not None
            assert completion.usage.completion_tokens <= request.sampling.max_tokens
            if not keys:
                about = engine.describe("model")
                _kill(victim)
            keys.append(request.key)
        stats = engine.stats_of("model")
        _assert_no_orphans()
    assert about["thinking"] == "off" and about["template_knows_thinking"] is True
    assert len(keys) == len(set(keys)) == COUNT == stats.answered
    assert (stats.failed, stats.restarts) == (0, 1)
    assert stats.asked_again > 0


def _kill(victim: str) -> None:
    """Kill an actor that has loaded its model, or the engine below it.

    Ray titles actors by what they do; the engine of one that still loads is no victim.
    """
    for process in psutil.Process().children(recursive=True):
        title = (process.cmdline() or [""])[0]
        if title.startswith("ray::Worker") and not title.startswith("ray::Worker.build"):
            family = [process, *process.children(recursive=True)]
            found = [p for p in family if (p.cmdline() or [""])[0].startswith(victim)]
            found[0].kill()
            return
    raise AssertionError("no actor has answered")


def _assert_no_orphans() -> None:
    """The killed actor's engine, which holds the GPU's memory, went with it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        orphans = [
            process.pid
            for process in psutil.process_iter(["cmdline"])
            if (process.info["cmdline"] or [""])[0].startswith("VLLM::EngineCore")
            and process.ppid() == 1
        ]
        if not orphans:
            return
        time.sleep(0.5)
    raise AssertionError(f"engines without an actor: {orphans}")
