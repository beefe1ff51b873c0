"""Puts the requests of one pool into batches: those that are under way, or new ones.

Each step is written into the journal before it is taken, so that a run that was cut short is
found again.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from filelock import FileLock

from mouse.contracts import Request
from mouse.engine.batch_journal import JOURNAL_FILE, BatchJournal, BatchRecord
from mouse.engine.pool import Pool
from mouse.models.api.batch import BatchClient, BatchError, lines
from mouse.models.api.body import CannotConstrain
from mouse.models.api.config import OpenAIChatConfig
from mouse.models.api.retry import Failure
from mouse.models.api.transport import Endpoint

log = logging.getLogger(__name__)

MAX_REQUESTS = 20_000
"""Requests a batch (OpenAI allows 50,000), so that a large run is not all or nothing."""
MAX_BYTES = 90_000_000
"""Bytes of one input file; OpenAI allows 200 MB, others 100."""


@dataclass(eq=False)
class Job:
    """A batch that this run waits for, and which of its requests this run wants."""

    record: BatchRecord
    requests: dict[str, Request]
    files: tuple[str, ...] = ()
    """What may be deleted at the server once the answers are stored."""


@dataclass(frozen=True)
class Rejected:
    """Requests that could not be put into any batch, and why."""

    requests: Sequence[Request]
    failure: Failure
    attempts: int


class BatchSubmitter:
    """The batches of one pool. `folder` holds the journal, `sleep` waits between tries.

    Raises `UserError` where the key is not in the environment or the journal cannot be used.
    """

    def __init__(self, pool: Pool, folder: Path, *, sleep: Callable[[float], None]) -> None:
        self.config: OpenAIChatConfig = pool.spec.options["config"]
        endpoint = Endpoint.of(self.config)
        folder.mkdir(parents=True, exist_ok=True)
        self.pool = pool
        self.client = BatchClient(endpoint, self.config.retries, sleep=sleep)
        self.jobs: list[Job] = []
        self.deferred: deque[tuple[list[Request], int]] = deque()
        """Requests for which the server had no room, with the attempt they are at."""
        self.batch_ids: list[str] = []
        self._max_requests = MAX_REQUESTS
        self._journal = BatchJournal(folder / JOURNAL_FILE, endpoint.base_url.rstrip("/"))
        self._lock = FileLock(folder / f"{JOURNAL_FILE}.lock")
        self._host = urlsplit(endpoint.base_url).hostname or ""

    def submit(self, requests: Sequence[Request], attempt: int) -> list[Rejected]:
        """See that each request is in a batch of `jobs`: the one it is in already, or a new one."""
        outcomes: list[Rejected | None] = []
        # Two runs of the same command must not both find that a request is in no batch.
        with self._lock:
            # A further attempt is made because the batch that holds it gave no answer.
            held = self._journal.batches_of(r.key for r in requests) if attempt == 1 else {}
            fresh: list[Request] = []
            groups: dict[int, list[Request]] = {}
            for request in requests:
                number = held.get(request.key)
                (fresh if number is None else groups.setdefault(number, [])).append(request)
            for number, group in groups.items():
                waiting = [job for job in self.jobs if job.record.number == number]
                if waiting:
                    waiting[0].requests.update(_by_key(group))
                    continue
                record = self._recover(number, group)
                if isinstance(record, BatchRecord):
                    self._wait_for(record, group)
                elif record is None:
                    fresh += group
                else:
                    outcomes.append(record)
            outcomes += [
                self._begin(part, attempt) for part in split_requests(fresh, self._max_requests)
            ]
        return [outcome for outcome in outcomes if outcome is not None]

    def forget(self, job: Job) -> None:
        """A job is done with: delete it from the journal, and what it left at the server."""
        self._journal.delete(job.record.number)
        for file in job.files:
            self.client.discard(file)

    def split(self, requests: Sequence[Request], attempt: int, reason: str) -> None:
        """The server had no room for so many: halve, and queue the halves one after another."""
        self._max_requests = max(1, len(requests) // 2)
        log.warning(
            "%s has no room for %d requests at once (%s); batches of %d are tried, one by one.",
            self._host,
            len(requests),
            reason,
            self._max_requests,
        )
        self.deferred.extend(
            (part, attempt) for part in split_requests(requests, self._max_requests)
        )

    def close(self) -> None:
        self.client.close()
        self._journal.close()

    def _recover(self, number: int, requests: Sequence[Request]) -> BatchRecord | Rejected | None:
        """The batch that an earlier run made; None where the server has none."""
        record = self._journal.find(number)
        if record is None:
            return None
        try:
            if not record.id and record.input_file:
                # The driver died with the file sent: was the batch made?
                file = record.input_file
                batch = self.client.find(file) or self.client.create(file)
                self._journal.started(number, batch.id)
                record = replace(record, id=batch.id)
        except BatchError as fault:
            if fault.failure.retry or fault.failure.kind in ("auth", "quota"):
                return Rejected(requests, replace(fault.failure, fatal=True), record.attempt)
        if not record.id:
            self._journal.delete(number)
            return None
        log.warning(
            "Batch %s at %s is found again (%d requests).", record.id, self._host, len(requests)
        )
        return record

    def _begin(self, requests: Sequence[Request], attempt: int) -> Rejected | None:
        try:
            content = lines(requests, self.config)
        except CannotConstrain as problem:
            return Rejected(requests, Failure("bad_request", str(problem), fatal=True), 0)
        record = self._journal.begin([request.key for request in requests], attempt)
        try:
            record = replace(record, input_file=self.client.upload(content))
            self._journal.uploaded(record.number, record.input_file)
            batch = self.client.create(record.input_file)
        except BatchError as fault:
            # Where the start may have reached the server, the next run looks for the batch.
            if not (record.input_file and fault.failure.retry):
                self._journal.delete(record.number)
            return Rejected(requests, _explained(fault.failure), attempt)
        self._journal.started(record.number, batch.id)
        log.warning(
            "Batch %s with %d requests is under way at %s and may take a day. Stop this command "
            "when you like: the same command finds the batch again.",
            batch.id,
            len(requests),
            self._host,
        )
        self._wait_for(replace(record, id=batch.id), requests)
        return None

    def _wait_for(self, record: BatchRecord, requests: Sequence[Request]) -> None:
        self.batch_ids.append(record.id)
        self.jobs.append(Job(record, _by_key(requests)))


def _by_key(requests: Iterable[Request]) -> dict[str, Request]:
    return {request.key: request for request in requests}


def split_requests(requests: Iterable[Request], most: int) -> list[list[Request]]:
    """Requests in parts of at most `most` and about `MAX_BYTES` of prompts."""
    found: list[list[Request]] = []
    size = 0
    for request in requests:
        # At most four bytes a character, and half as much again for quotes and escapes.
        length = 1000 + 6 * sum(len(message.content) for message in request.messages)
        if not found or len(found[-1]) >= most or size + length > MAX_BYTES:
            found.append([])
            size = 0
        found[-1].append(request)
        size += length
    return found


def _explained(failure: Failure) -> Failure:
    message = failure.message
    if failure.status in (404, 405, 501):
        message = (
            f"The server has no batch endpoint (engine.mode=online asks one by one): {message}"
        )
    return replace(failure, fatal=True, message=message)
