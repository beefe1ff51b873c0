"""The engine on a provider's batch endpoint: half the price, for an answer within a day.

No workers: whole chunks become batches, and this process polls. What is under way is written down
(`batch_journal`), so the driver may be stopped at any instant and the same command goes on where
it was; a request is never in two batches at once.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from filelock import FileLock

from mouse.contracts import Completion, CompletionError, Request
from mouse.engine.batch_journal import JOURNAL_FILE, BatchJournal, Entry
from mouse.engine.dispatch import Arrival, Engine, Prepare
from mouse.engine.pool import Admit, Chunk, Pool
from mouse.engine.store import CompletionStore
from mouse.errors import UserError
from mouse.models.api.backend import endpoint_of
from mouse.models.api.batch import TOO_MUCH, Batch, BatchClient, BatchFault, lines, read_lines
from mouse.models.api.body import CannotConstrain, Dialect
from mouse.models.api.retry import Failure, RetryPolicy

log = logging.getLogger(__name__)

BATCHABLE = "mouse.models.openai_chat:OpenAIChatBackend"
MAX_LINES = 20_000
"""Requests a batch (OpenAI allows 50,000), so that a large run is not all or nothing."""
MAX_BYTES = 90_000_000
"""Bytes of one input file; OpenAI allows 200 MB, others 100."""
OUTAGE_POLLS = 10
"""After so many polls in a row without an answer the run ends; its batches stay written down."""


@dataclass(eq=False)
class Job:
    """A batch that this run waits for."""

    desk: Desk
    entry: Entry
    requests: dict[str, Request]


@dataclass(eq=False)
class Desk:
    """What one pool needs to have batches made."""

    pool: Pool
    client: BatchClient
    dialect: Dialect
    policy: RetryPolicy
    journal: BatchJournal
    host: str
    most: int = MAX_LINES
    made: list[str] = field(default_factory=list)
    later: deque[tuple[list[Request], int]] = field(default_factory=deque)
    """Requests for which the server had no room, with the attempt they are at."""


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
        self._jobs: list[Job] = []
        self._untaken: dict[int, tuple[Arrival, Job | None]] = {}
        self._files: dict[int, tuple[str, ...]] = {}
        self._outage = 0

    def describe(self, pool: str) -> Mapping[str, Any]:
        desk = self._desks.get(pool)
        return {"mode": "batch", "batches": list(desk.made)} if desk else {}

    def close(self) -> None:
        self.salvage()
        while self._desks:
            _, desk = self._desks.popitem()
            desk.client.close()
            desk.journal.close()

    def _check_resources(self, pool: Pool) -> None:
        if pool.spec.target != BATCHABLE:
            raise UserError(
                f"engine.mode=batch is for models behind an API, and «{pool.name}» is none: use "
                "engine.mode=online, or another model or judge."
            )
        pool.spec = replace(pool.spec, chunk_size=MAX_LINES, replicas=1)

    def _start(self, pool: Pool) -> None:
        if pool.name in self._desks:
            return
        options = pool.spec.options
        endpoint = endpoint_of(options)
        policy = RetryPolicy(**options["retries"])
        self._folder.mkdir(parents=True, exist_ok=True)
        self._desks[pool.name] = Desk(
            pool,
            BatchClient(endpoint, policy, sleep=self._sleep),
            Dialect(**options["dialect"]),
            policy,
            BatchJournal(self._folder / JOURNAL_FILE, endpoint.base_url.rstrip("/")),
            urlsplit(endpoint.base_url).hostname or "",
        )

    def _has_room(self, pool: Pool, *, alone: bool) -> bool:
        # A batch is made when it is full or, in `_wait`, when nothing more is to come.
        return pool.backlog >= pool.spec.chunk_size

    def _send(self, pool: Pool, chunk: Chunk) -> None:
        self._submit(self._desks[pool.name], chunk.requests, attempt=1)

    def _wait(self) -> list[Arrival]:
        for pool in self._pools.values():
            while pool.backlog and (chunk := pool.next_chunk(pool.backlog)) is not None:
                self._send(pool, chunk)
        while not self._untaken:
            for desk in self._desks.values():
                if desk.later and not any(job.desk is desk for job in self._jobs):
                    self._submit(desk, *desk.later.popleft())
            if not self._jobs:
                break
            over = [job for job in list(self._jobs) if self._look(job)]
            if not over and not self._untaken:
                self._sleep(self._poll_s)
        return self._arrived()

    def _arrived(self) -> list[Arrival]:
        return [arrival for arrival, _ in self._untaken.values()]

    def _taken(self, arrival: Arrival) -> None:
        _, job = self._untaken.pop(id(arrival))
        if job is not None:
            self._strike(job)

    def _strike(self, job: Job) -> None:
        job.desk.journal.strike(job.entry.number)
        for file in self._files.pop(job.entry.number, ()):
            job.desk.client.discard(file)

    def _submit(self, desk: Desk, requests: Sequence[Request], attempt: int) -> None:
        """See that each request is in a batch: the one it is in already, or a new one."""
        # Two runs of the same command must not both find that a request is in no batch.
        with FileLock(self._folder / f"{JOURNAL_FILE}.lock"):
            fresh: list[Request] = []
            held = desk.journal.holding([request.key for request in requests])
            groups: dict[int, list[Request]] = {}
            for request in requests:
                # A further attempt is made because the batch that holds it gave no answer.
                if attempt == 1 and request.key in held:
                    groups.setdefault(held[request.key], []).append(request)
                else:
                    fresh.append(request)
            for number, some in groups.items():
                if not self._join(desk, number, some):
                    fresh += some
            for part in _parts(fresh, desk.most):
                self._begin(desk, part, attempt)

    def _join(self, desk: Desk, number: int, requests: Sequence[Request]) -> bool:
        """Wait for a batch that an earlier run (or this one) made; False where it is not there."""
        by_key = {request.key: request for request in requests}
        for job in self._jobs:
            if job.desk is desk and job.entry.number == number:
                job.requests.update(by_key)
                return True
        entry = desk.journal.entry(number)
        if entry is None:
            return False
        try:
            if not entry.id and entry.input_file:
                # The driver died with the file sent: was the batch made?
                found = desk.client.find(entry.input_file) or desk.client.create(entry.input_file)
                desk.journal.started(number, found.id)
                entry = replace(entry, id=found.id)
        except BatchFault as fault:
            if fault.failure.retry or fault.failure.kind in ("auth", "quota"):
                self._fail(desk, by_key.values(), fault.failure, entry.attempt)
                return True
        if not entry.id:
            desk.journal.strike(number)
            return False
        log.warning(
            "Batch %s at %s is found again (%d requests).", entry.id, desk.host, len(by_key)
        )
        desk.made.append(entry.id)
        self._jobs.append(Job(desk, entry, by_key))
        return True

    def _begin(self, desk: Desk, requests: Sequence[Request], attempt: int) -> None:
        by_key = {request.key: request for request in requests}
        try:
            content = lines(requests, desk.dialect)
        except CannotConstrain as problem:
            failure = Failure("bad_request", str(problem), fatal=True)
            self._fail(desk, by_key.values(), failure, 0)
            return
        entry = desk.journal.begin(by_key, attempt)
        try:
            entry = replace(entry, input_file=desk.client.upload(content))
            desk.journal.uploaded(entry.number, entry.input_file)
            batch = desk.client.create(entry.input_file)
        except BatchFault as fault:
            if not (entry.input_file and fault.failure.retry):
                desk.journal.strike(entry.number)
            self._fail(desk, by_key.values(), _explained(fault.failure), attempt)
            return
        desk.journal.started(entry.number, batch.id)
        log.warning(
            "Batch %s with %d requests is under way at %s and may take a day. Stop this command "
            "when you like: the same command finds the batch again.",
            batch.id,
            len(by_key),
            desk.host,
        )
        desk.made.append(batch.id)
        self._jobs.append(Job(desk, replace(entry, id=batch.id), by_key))

    def _look(self, job: Job) -> bool:
        """Ask how a batch is doing; True where it is over and dealt with."""
        client = job.desk.client
        try:
            batch = client.retrieve(job.entry.id)
            if not batch.over:
                self._outage = 0
                return False
            content = b"\n".join(client.download(file) for file in batch.files)
        except BatchFault as fault:
            return self._no_news(job, fault.failure)
        self._outage = 0
        self._jobs.remove(job)
        if batch.state == "failed":
            self._refused(job, batch)
        else:
            self._read(job, batch, content)
        return True

    def _no_news(self, job: Job, failure: Failure) -> bool:
        if failure.status == 404:
            # The batch or its output is gone (files are kept for days only): ask anew.
            self._jobs.remove(job)
            self._strike(job)
            self._again(job, list(job.requests.values()), failure)
            return True
        if failure.retry and not failure.fatal:
            self._outage += 1
            log.warning("Batch %s: no news. %s", job.entry.id, failure.message)
            if self._outage < OUTAGE_POLLS:
                return False
        self._jobs.remove(job)
        self._fail(job.desk, job.requests.values(), replace(failure, fatal=True), job.entry.attempt)
        return True

    def _refused(self, job: Job, batch: Batch) -> None:
        """The server took the file and then would not have the batch as a whole."""
        requests = list(job.requests.values())
        self._strike(job)
        if batch.code in TOO_MUCH and len(requests) > 1:
            job.desk.most = max(1, len(requests) // 2)
            log.warning(
                "%s has no room for %d requests at once (%s); batches of %d are tried, one after "
                "another.",
                job.desk.host,
                len(requests),
                batch.message,
                job.desk.most,
            )
            parts = [*_parts(requests, job.desk.most)]
            job.desk.later.extend((part, job.entry.attempt) for part in parts)
            return
        failure = Failure("bad_request", f"The batch was refused: {batch.message}", fatal=True)
        self._fail(job.desk, requests, failure, job.entry.attempt)

    def _read(self, job: Job, batch: Batch, content: bytes) -> None:
        attempt = job.entry.attempt
        desk = job.desk
        found = dict(read_lines(content, job.requests, desk.dialect, attempts=attempt))
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
            elif result.retry and attempt < desk.policy.max_attempts:
                again.append(request)
            else:
                error = result.as_error(attempts=attempt)
                settled.append(Completion(key, attempts=attempt, error=error))
        self._files[job.entry.number] = (batch.input_file, *batch.files)
        stopped = any(one.error is not None and one.error.fatal for one in settled)
        if again and not stopped:
            self._again(job, again, lost)
        elif again:
            self._fail(
                desk, again, replace(lost, message="Not asked again: the run stops."), attempt
            )
        if settled:
            requests = [job.requests[one.request_key] for one in settled]
            self._put(Arrival(desk.pool.name, Chunk(requests), settled), job)
        else:
            self._strike(job)

    def _again(self, job: Job, requests: list[Request], failure: Failure) -> None:
        if job.entry.attempt >= job.desk.policy.max_attempts:
            self._fail(job.desk, requests, failure, job.entry.attempt)
            return
        job.desk.pool.stats.asked_again += len(requests)
        log.warning("%d requests of batch %s are asked again.", len(requests), job.entry.id)
        self._submit(job.desk, requests, attempt=job.entry.attempt + 1)

    def _fail(
        self, desk: Desk, requests: Sequence[Request] | Any, failure: Failure, attempts: int
    ) -> None:
        given = list(requests)
        error: CompletionError = failure.as_error(attempts=attempts)
        completions = [Completion(r.key, attempts=attempts, error=error) for r in given]
        self._put(Arrival(desk.pool.name, Chunk(given), completions), None)

    def _put(self, arrival: Arrival, job: Job | None) -> None:
        self._untaken[id(arrival)] = (arrival, job)


def _parts(requests: Sequence[Request], most: int) -> list[list[Request]]:
    """Requests in parts of at most `most` and about `MAX_BYTES` of prompts."""
    parts: list[list[Request]] = []
    size = 0
    for request in requests:
        # At most four bytes a character, and half as much again for quotes and escapes.
        length = 1000 + 6 * sum(len(message.content) for message in request.messages)
        if not parts or len(parts[-1]) >= most or size + length > MAX_BYTES:
            parts.append([])
            size = 0
        parts[-1].append(request)
        size += length
    return parts


def _explained(failure: Failure) -> Failure:
    if failure.status in (404, 405, 501):
        return replace(
            failure,
            fatal=True,
            message=f"The server has no batch endpoint (engine.mode=online asks one by one): "
            f"{failure.message}",
        )
    return replace(failure, fatal=True)
