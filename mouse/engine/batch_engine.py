"""The engine on a provider's batch endpoint: half the price, for an answer within a day.

No workers: whole chunks become batches (`batch_desk`), and this process looks now and then how they
are. What is under way is written down (`batch_journal`), so the driver may be stopped at any
instant and the same command goes on where it was; a request is never in two batches at once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mouse.contracts import Completion, Request
from mouse.engine.batch_submitter import MAX_LINES, Desk, Job
from mouse.engine.dispatch import Arrival, Engine, Prepare
from mouse.engine.pool import Admit, Chunk, Pool
from mouse.engine.store import CompletionStore
from mouse.errors import UserError
from mouse.models.api.batch import TOO_MUCH, Batch, BatchError, read_lines
from mouse.models.api.openai_chat import TARGET
from mouse.models.api.retry import Failure

log = logging.getLogger(__name__)

OUTAGE_POLLS = 10
"""After so many looks in a row without an answer the run ends; its batches stay written down."""


class BatchEngine(Engine):
    """See `Engine`. `folder`: where the journal lies; `poll_s`: seconds between two looks."""

    def __init__(
        self,
        folder: Path,
        *,
        poll_s: float = 30.0,
        store: CompletionStore | None = None,
        admit: Admit | None = None,
        prepare: Prepare | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(store=store, admit=admit, prepare=prepare)
        self._folder = folder
        self._poll_s = poll_s
        self._sleep = sleep
        self._desks: dict[str, Desk] = {}
        self._untaken: dict[int, tuple[Arrival, Desk, Job | None]] = {}
        self._outage = 0

    def describe(self, pool: str) -> Mapping[str, Any]:
        desk = self._desks.get(pool)
        return {"mode": "batch", "batches": list(desk.made)} if desk else {}

    def close(self) -> None:
        self.salvage()
        while self._desks:
            self._desks.popitem()[1].close()

    def _check_resources(self, pool: Pool) -> None:
        if pool.spec.target != TARGET:
            raise UserError(
                f"engine.mode=batch is for models behind an API, and «{pool.name}» is none: use "
                "engine.mode=online, or another model or judge."
            )
        pool.spec = replace(pool.spec, chunk_size=MAX_LINES, replicas=1)

    def _start(self, pool: Pool) -> None:
        if pool.name not in self._desks:
            self._desks[pool.name] = Desk(pool, self._folder, sleep=self._sleep)

    def _has_room(self, pool: Pool, *, alone: bool) -> bool:
        # A batch is made when it is full or, in `_wait`, when nothing more is to come.
        return pool.backlog >= pool.spec.chunk_size

    def _send(self, pool: Pool, chunk: Chunk) -> None:
        self._place(self._desks[pool.name], chunk.requests, attempt=1)

    def _wait(self) -> list[Arrival]:
        for pool in self._pools.values():
            while pool.backlog and (chunk := pool.next_chunk(pool.backlog)) is not None:
                self._send(pool, chunk)
        while not self._untaken:
            for desk in self._desks.values():
                if desk.later and not desk.jobs:
                    self._place(desk, *desk.later.popleft())
            jobs = [(desk, job) for desk in self._desks.values() for job in desk.jobs]
            over = [job for desk, job in jobs if self._look(desk, job)]
            if self._untaken or not jobs:
                break
            if not over:
                self._sleep(self._poll_s)
        return self._arrived()

    def _arrived(self) -> list[Arrival]:
        return [arrival for arrival, _, _ in self._untaken.values()]

    def _taken(self, arrival: Arrival) -> None:
        _, desk, job = self._untaken.pop(id(arrival))
        if job is not None:
            desk.strike(job)

    def _place(self, desk: Desk, requests: Sequence[Request], attempt: int) -> None:
        for unplaced in desk.place(requests, attempt):
            self._fail(desk, unplaced.requests, unplaced.failure, unplaced.attempts)

    def _look(self, desk: Desk, job: Job) -> bool:
        """Ask how a batch is doing; True where it is over and dealt with."""
        try:
            batch = desk.client.retrieve(job.entry.id)
            if not batch.over:
                self._outage = 0
                return False
            content = b"\n".join(desk.client.download(file) for file in batch.files)
        except BatchError as fault:
            return self._no_news(desk, job, fault.failure)
        self._outage = 0
        desk.jobs.remove(job)
        if batch.state == "failed":
            self._refused(desk, job, batch)
        else:
            self._read(desk, job, batch, content)
        return True

    def _no_news(self, desk: Desk, job: Job, failure: Failure) -> bool:
        if failure.status == 404:
            # The batch or its output is gone (files are kept for days only): ask anew.
            desk.jobs.remove(job)
            desk.strike(job)
            self._again(desk, job, list(job.requests.values()), failure)
            return True
        if failure.retry and not failure.fatal:
            self._outage += 1
            log.warning("Batch %s: no news. %s", job.entry.id, failure.message)
            if self._outage < OUTAGE_POLLS:
                return False
        desk.jobs.remove(job)
        self._fail(desk, job.requests.values(), replace(failure, fatal=True), job.entry.attempt)
        return True

    def _refused(self, desk: Desk, job: Job, batch: Batch) -> None:
        """The server took the file and then would not have the batch as a whole."""
        requests = list(job.requests.values())
        desk.strike(job)
        if batch.code in TOO_MUCH and len(requests) > 1:
            desk.make_smaller(requests, job.entry.attempt, batch.message)
            return
        failure = Failure("bad_request", f"The batch was refused: {batch.message}", fatal=True)
        self._fail(desk, requests, failure, job.entry.attempt)

    def _read(self, desk: Desk, job: Job, batch: Batch, content: bytes) -> None:
        attempt = job.entry.attempt
        found = dict(read_lines(content, job.requests, desk.config, attempts=attempt))
        lost = Failure(
            "cancelled" if batch.state == "cancelled" else "server",
            f"Batch {batch.id} ended ({batch.state}) without an answer to this request.",
            retry=batch.state != "cancelled",
        )
        settled: list[Completion] = []
        again: list[Request] = []
        for key, request in job.requests.items():
            result = found.get(key, lost)
            if isinstance(result, Completion):
                settled.append(result)
            elif result.finish_reason is not None:
                reason = result.finish_reason
                settled.append(Completion(key, finish_reason=reason, attempts=attempt))
            elif result.retry and attempt < desk.config.retries.max_attempts:
                again.append(request)
            else:
                error = result.as_error(attempts=attempt)
                settled.append(Completion(key, attempts=attempt, error=error))
        job.files = (batch.input_file, *batch.files)
        if any(one.error is not None and one.error.fatal for one in settled):
            self._fail(
                desk, again, replace(lost, message="Not asked again: the run stops."), attempt
            )
        elif again:
            self._again(desk, job, again, lost)
        if settled:
            requests = [job.requests[one.request_key] for one in settled]
            self._put(Arrival(desk.pool.name, Chunk(requests), settled), desk, job)
        else:
            desk.strike(job)

    def _again(self, desk: Desk, job: Job, requests: list[Request], failure: Failure) -> None:
        if job.entry.attempt >= desk.config.retries.max_attempts:
            self._fail(desk, requests, failure, job.entry.attempt)
            return
        desk.pool.stats.asked_again += len(requests)
        log.warning("%d requests of batch %s are asked again.", len(requests), job.entry.id)
        self._place(desk, requests, attempt=job.entry.attempt + 1)

    def _fail(
        self, desk: Desk, requests: Iterable[Request], failure: Failure, attempts: int
    ) -> None:
        given = list(requests)
        error = failure.as_error(attempts=attempts)
        completions = [Completion(r.key, attempts=attempts, error=error) for r in given]
        if given:
            self._put(Arrival(desk.pool.name, Chunk(given), completions), desk, None)

    def _put(self, arrival: Arrival, desk: Desk, job: Job | None) -> None:
        self._untaken[id(arrival)] = (arrival, desk, job)
