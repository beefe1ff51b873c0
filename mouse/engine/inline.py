"""The engine without Ray: backends run in this process, one chunk after another.

For debugging (breakpoints work) and for tests; the same store, ledger and fates as with Ray. A
backend that kills its process kills the run.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mouse.engine.dispatch import Arrival, Engine
from mouse.engine.pool import Chunk, Pool
from mouse.engine.worker import StartReport, Worker
from mouse.errors import UserError


@dataclass(eq=False, kw_only=True)
class InlineEngine(Engine):
    """See `Engine`. Cannot be used inside a running event loop."""

    def __post_init__(self) -> None:
        super().__post_init__()
        # One loop for the engine's life: HTTP clients are bound to the loop that made them.
        self._runner = asyncio.Runner()
        self._workers: dict[str, Worker] = {}
        self._queue: deque[tuple[Pool, Chunk]] = deque()

    def describe(self, pool: str) -> Mapping[str, Any]:
        worker = self._workers.get(pool)
        return self._runner.run(worker.describe()) if worker else {}

    def close(self) -> None:
        self.salvage()
        while self._workers:
            _, worker = self._workers.popitem()
            self._runner.run(worker.close())
        self._runner.close()

    def _check_resources(self, pool: Pool) -> None:
        """This process is all there is; a backend that needs more says so when it is built."""
        pool.spec = replace(pool.spec, replicas=1)

    def _start(self, pool: Pool) -> None:
        if pool.name in self._workers:
            return
        worker = Worker(pool.spec)
        report = self._runner.run(worker.build())
        if not report.ok:
            raise start_error(pool.name, report)
        self._workers[pool.name] = worker

    def _has_room(self, pool: Pool, *, isolated: bool) -> bool:
        return not any(queued is pool for queued, _ in self._queue)

    def _send(self, pool: Pool, chunk: Chunk) -> None:
        self._queue.append((pool, chunk))

    def _wait(self) -> None:
        pool, chunk = self._queue.popleft()
        answer = self._workers[pool.name].answer(chunk.requests)
        self._unacknowledged.append(Arrival(pool.name, chunk, self._runner.run(answer)))


def start_error(pool: str, report: StartReport) -> UserError:
    """The error for a backend that could not be built, its traceback (if any) as the cause."""
    error = UserError(f"The model of «{pool}» could not be started: {report.problem}")
    if report.trace:
        error.__cause__ = RuntimeError(report.trace)
    return error
