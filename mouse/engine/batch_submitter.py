"""Where one pool's requests become batches: joins those that are under way, makes those that are not.

Everything is written into the journal before it happens, so that whatever is cut short is found.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from filelock import FileLock

from mouse.contracts import Request
from mouse.engine.batch_journal import JOURNAL_FILE, BatchJournal, Entry
from mouse.engine.pool import Pool
from mouse.models.api.batch import BatchClient, BatchError, lines
from mouse.models.api.body import CannotConstrain
from mouse.models.api.config import OpenAIChatConfig
from mouse.models.api.retry import Failure
from mouse.models.api.transport import Endpoint

log = logging.getLogger(__name__)

MAX_LINES = 20_000
"""Requests a batch (OpenAI allows 50,000), so that a large run is not all or nothing."""
MAX_BYTES = 90_000_000
"""Bytes of one input file; OpenAI allows 200 MB, others 100."""


@dataclass(eq=False)
class Job:
    """A batch that this run waits for, and which of its requests this run wants."""

    entry: Entry
    requests: dict[str, Request]
    files: tuple[str, ...] = field(default=())
    """What may be deleted at the server once the answers are stored."""


@dataclass(frozen=True)
class Unplaced:
    """Requests that could not be put into any batch, and why."""

    requests: Sequence[Request]
    failure: Failure
    attempts: int


class Desk:
    """The batches of one pool. `folder` holds the journal, `sleep` waits between tries.

    Raises `UserError` where the key is not in the environment or the journal cannot be used.
    """

    def __init__(
        self, pool: Pool, folder: Path, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.config: OpenAIChatConfig = pool.spec.options["config"]
        endpoint = Endpoint.of(self.config)
        folder.mkdir(parents=True, exist_ok=True)
        self.pool = pool
        self.client = BatchClient(endpoint, self.config.retries, sleep=sleep)
        self.jobs: list[Job] = []
        self.later: deque[tuple[list[Request], int]] = deque()
        """Requests for which the server had no room, with the attempt they are at."""
        self.made: list[str] = []
        self._most = MAX_LINES
        self._journal = BatchJournal(folder / JOURNAL_FILE, endpoint.base_url.rstrip("/"))
        self._lock = FileLock(folder / f"{JOURNAL_FILE}.lock")
        self._host = urlsplit(endpoint.base_url).hostname or ""

    def place(self, requests: Sequence[Request], attempt: int) -> list[Unplaced]:
        """See that each request is in a batch of `jobs`: the one it is in already, or a new one."""
        unplaced: list[Unplaced] = []
        # Two runs of the same command must not both find that a request is in no batch.
        with self._lock:
            held = self._journal.holding([request.key for request in requests])
            fresh: list[Request] = []
            groups: dict[int, list[Request]] = {}
            for request in requests:
                # A further attempt is made because the batch that holds it gave no answer.
                if attempt == 1 and request.key in held:
                    groups.setdefault(held[request.key], []).append(request)
                else:
                    fresh.append(request)
            for number, some in groups.items():
                joined = self._join(number, some)
                if isinstance(joined, Unplaced):
                    unplaced.append(joined)
                elif not joined:
                    fresh += some
            for part in parts(fresh, self._most):
                failed = self._begin(part, attempt)
                if failed is not None:
                    unplaced.append(failed)
        return unplaced

    def strike(self, job: Job) -> None:
        """A job is done with: forget it here and what it left at the server."""
        self._journal.strike(job.entry.number)
        for file in job.files:
            self.client.discard(file)

    def make_smaller(self, requests: Sequence[Request], attempt: int, said: str) -> None:
        """The server had no room for so many: halve, and queue the halves one after another."""
        self._most = max(1, len(requests) // 2)
        log.warning(
            "%s has no room for %d requests at once (%s); batches of %d are tried, one by one.",
            self._host,
            len(requests),
            said,
            self._most,
        )
        self.later.extend((part, attempt) for part in parts(requests, self._most))

    def close(self) -> None:
        self.client.close()
        self._journal.close()

    def _join(self, number: int, requests: Sequence[Request]) -> bool | Unplaced:
        """Wait for a batch that an earlier run (or this one) made; False where it is not there."""
        by_key = {request.key: request for request in requests}
        for job in self.jobs:
            if job.entry.number == number:
                job.requests.update(by_key)
                return True
        entry = self._journal.entry(number)
        if entry is None:
            return False
        try:
            if not entry.id and entry.input_file:
                # The driver died with the file sent: was the batch made?
                found = self.client.find(entry.input_file) or self.client.create(entry.input_file)
                self._journal.started(number, found.id)
                entry = replace(entry, id=found.id)
        except BatchError as fault:
            if fault.failure.retry or fault.failure.kind in ("auth", "quota"):
                return Unplaced(requests, replace(fault.failure, fatal=True), entry.attempt)
        if not entry.id:
            self._journal.strike(number)
            return False
        log.warning(
            "Batch %s at %s is found again (%d requests).", entry.id, self._host, len(by_key)
        )
        self._wait_for(entry, by_key)
        return True

    def _begin(self, requests: Sequence[Request], attempt: int) -> Unplaced | None:
        by_key = {request.key: request for request in requests}
        try:
            content = lines(requests, self.config)
        except CannotConstrain as problem:
            return Unplaced(requests, Failure("bad_request", str(problem), fatal=True), 0)
        entry = self._journal.begin(by_key, attempt)
        try:
            entry = replace(entry, input_file=self.client.upload(content))
            self._journal.uploaded(entry.number, entry.input_file)
            batch = self.client.create(entry.input_file)
        except BatchError as fault:
            # Where the start may have reached the server, the next run looks for the batch.
            if not (entry.input_file and fault.failure.retry):
                self._journal.strike(entry.number)
            return Unplaced(requests, _explained(fault.failure), attempt)
        self._journal.started(entry.number, batch.id)
        log.warning(
            "Batch %s with %d requests is under way at %s and may take a day. Stop this command "
            "when you like: the same command finds the batch again.",
            batch.id,
            len(by_key),
            self._host,
        )
        self._wait_for(replace(entry, id=batch.id), by_key)
        return None

    def _wait_for(self, entry: Entry, by_key: dict[str, Request]) -> None:
        self.made.append(entry.id)
        self.jobs.append(Job(entry, by_key))


def parts(requests: Iterable[Request], most: int) -> list[list[Request]]:
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
