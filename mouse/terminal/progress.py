"""Progress of a run: a rich bar on a terminal, a line now and then without one."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from mouse.engine.dispatch import Engine
from mouse.evaluation.models import MODEL_POOL
from mouse.evaluation.plan import Plan
from mouse.evaluation.usage import UsageMeter

LINE_EVERY_S = 15.0
"""Seconds between lines where standard error is not a terminal."""


class Progress:
    """Shows done, rate, tokens, cost, retries and time left; on standard error alone."""

    def __init__(self, model: str, *, stream: Any = None) -> None:
        self._model = model
        self._stream = stream or sys.stderr
        self._terminal = bool(getattr(self._stream, "isatty", lambda: False)())
        self._bar: Any = None
        self._task: Any = None
        self._total = 0
        self._first: float | None = None
        """When the first answer came: starting up says nothing of the rate."""
        self._shown = 0.0

    def plan(self, plan: Plan) -> None:
        """Called once the number of requests is known."""
        self._total = plan.size
        if not self._terminal:
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[more]}"),
            TimeRemainingColumn(),
            console=Console(file=self._stream),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(self._model, total=self._total, more="")

    def update(self, done: int, judged: int, meter: UsageMeter, engine: Engine) -> None:
        """Show the state after one more completion; cheap when called for every one of them."""
        now = time.monotonic()
        if self._first is None:
            self._first = self._shown = now
        if now - self._shown < (0.1 if self._terminal else LINE_EVERY_S):
            return
        self._shown = now
        text = self._describe(done, judged, meter, engine, now)
        if self._bar is not None:
            self._bar.update(self._task, completed=done, more=text)
        else:
            print(f"{self._model}: {done}/{self._total} {text}", file=self._stream, flush=True)

    def _describe(
        self, done: int, judged: int, meter: UsageMeter, engine: Engine, now: float
    ) -> str:
        stats = engine.stats_of(MODEL_POOL)
        rate = done / max(now - (self._first or now), 1e-9)
        parts = [f"{rate:.0f}/s"]
        if stats.cache_hits:
            parts.append(f"{stats.cache_hits} from store")
        if judged:
            parts.append(f"{judged} judged")
        if stats.prompt_tokens:
            parts.append(f"{stats.prompt_tokens + stats.completion_tokens:,} tokens")
        paid = meter.paid(stats)
        if paid > 0:
            parts.append(f"${paid:.4f}")
        retries = stats.attempts - (stats.asked - stats.in_flight)
        if retries > 0:
            parts.append(f"{retries} retries")
        if stats.failed:
            parts.append(f"{stats.failed} failed")
        if not self._terminal and rate > 0:
            parts.append(f"{max(0, self._total - done) / rate:.0f} s left")
        return " · ".join(parts)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
