"""Progress is a line now and then where there is no terminal, and a bar where there is one."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from mouse.engine.stats import EngineStats
from mouse.terminal import progress as module
from mouse.terminal.progress import Progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests move by hand."""
    now = SimpleNamespace(s=100.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: now.s)
    return now


def parts(**counts):
    stats = EngineStats(**counts)
    meter = SimpleNamespace(paid=lambda stats: 0.25)
    return meter, SimpleNamespace(stats_of=lambda pool: stats)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_come_seldom_and_the_rate_excludes_the_start(clock):
    stream = io.StringIO()
    with Progress("lexicon", stream=stream) as progress:
        progress.plan(SimpleNamespace(size=400))
        clock.s += 60  # starting up
        progress.update(1, 0, *parts(asked=1, attempts=1))
        clock.s += 5
        progress.update(50, 0, *parts(asked=50, attempts=50))
        assert stream.getvalue() == ""
        clock.s += 15
        progress.update(200, 0, *parts(asked=210, attempts=203, in_flight=10, prompt_tokens=1000))
    assert stream.getvalue() == (
        "lexicon: 200/400 10/s · 1,000 tokens · $0.2500 · 3 retries · 20 s left\n"
    )


def test_a_terminal_gets_a_bar(clock):
    stream = Terminal()
    with Progress("lexicon", stream=stream) as progress:
        progress.plan(SimpleNamespace(size=4))
        for done in range(1, 5):
            clock.s += 1
            progress.update(done, 0, *parts(asked=done, attempts=done, cache_hits=0))
    assert "lexicon" in stream.getvalue()
    assert "/4" in stream.getvalue()
