"""The engine without Ray: backends run in this process, one chunk after another.

For debugging (breakpoints work) and for tests; the same store, ledger and fates as with Ray. A
backend that kills its process kills the run.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mouse.contracts import Completion
from mouse.engine.dispatch import Arrival, Engine, Prepare
from mouse.engine.pool import Admit, Chunk, Pool
from mouse.engine.store import CompletionStore
from mouse.engine.worker import StartReport, Worker
from mouse.errors import UserError


class InlineEngine(Engine):
    """See `Engine`. Cannot be used inside a running event loop."""

    def __init__(
        self,
        *,
        store: CompletionStore | None = None,
        admit: Admit | None = None,
        prepare: Prepare | None = None,
    ) -> None:
        super().__init__(store=store, admit=admit, prepare=prepare)
        # One loop for the engine's life: HTTP clients are bound to the loop that made them.
        self._runner = asyncio.Runner()
        self._workers: dict[str, Worker] = {}
        self._queue: deque[tuple[Pool, Chunk]] = deque()
        self._untaken: list[Arrival] = []

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

    def _has_room(self, pool: Pool, *, alone: bool) -> bool:
        return not any(queued is pool for queued, _ in self._queue)

    def _send(self, pool: Pool, chunk: Chunk) -> None:
        self._queue.append((pool, chunk))

    def _wait(self) -> list[Arrival]:
        pool, chunk = self._queue.popleft()
        completions: list[Completion] = self._runner.run(
            self._workers[pool.name].answer(chunk.requests)
        )
        self._untaken.append(Arrival(pool.name, chunk, completions))
        return list(self._untaken)

    def _arrived(self) -> list[Arrival]:
        return list(self._untaken)

    def _taken(self, arrival: Arrival) -> None:
        self._untaken.remove(arrival)


def start_error(pool: str, report: StartReport) -> UserError:
    """The error for a backend that could not be built, its traceback (if any) as the cause."""
    error = UserError(f"The model of «{pool}» could not be started: {report.problem}")
    if report.trace:
        error.__cause__ = RuntimeError(report.trace)
    return error
