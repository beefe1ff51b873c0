"""The engine on a provider's batch endpoint: half the price, for an answer within a day.

No workers: whole chunks become batches (`batch_submitter`), and this process asks now and then how
they are. What is under way is written down (`batch_journal`), so the driver may be stopped at any
instant and the same command goes on where it was; a request is never in two batches at once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from mouse.contracts import Completion, Request
from mouse.engine.batch_submitter import MAX_REQUESTS, BatchSubmitter, Job
from mouse.engine.dispatch import Arrival, Engine
from mouse.engine.pool import Chunk, Pool
from mouse.errors import UserError
from mouse.models.api.batch import TOO_MUCH, Batch, BatchError, read_lines
from mouse.models.api.openai_chat import TARGET
from mouse.models.api.retry import Failure

log = logging.getLogger(__name__)

MAX_FAILED_POLLS = 10
"""After so many polls in a row without an answer the run ends; its batches stay written down."""


@dataclass(eq=False, kw_only=True)
class BatchEngine(Engine):
    """See `Engine`. `folder`: where the journal lies; `poll_s`: seconds between two polls."""

    folder: Path
    poll_s: float = 30.0
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        super().__post_init__()
        self._submitters: dict[str, BatchSubmitter] = {}
        self._failed_polls = 0

    def describe(self, pool: str) -> Mapping[str, Any]:
        submitter = self._submitters.get(pool)
        return {"mode": "batch", "batches": list(submitter.batch_ids)} if submitter else {}

    def close(self) -> None:
        self.salvage()
        while self._submitters:
            self._submitters.popitem()[1].close()

    def _check_resources(self, pool: Pool) -> None:
        if pool.spec.target != TARGET:
            raise UserError(
                f"engine.mode=batch is for models behind an API, and «{pool.name}» is none: use "
                "engine.mode=online, or another model or judge."
            )
        pool.spec = replace(pool.spec, chunk_size=MAX_REQUESTS, replicas=1)

    def _start(self, pool: Pool) -> None:
        if pool.name not in self._submitters:
            self._submitters[pool.name] = BatchSubmitter(pool, self.folder, sleep=self.sleep)

    def _has_room(self, pool: Pool, *, isolated: bool) -> bool:
        # A batch is made when it is full or, in `_wait`, when nothing more is to come.
        return pool.backlog >= pool.spec.chunk_size

    def _send(self, pool: Pool, chunk: Chunk) -> None:
        self._submit(self._submitters[pool.name], chunk.requests, attempt=1)

    def _wait(self) -> None:
        for pool in self._pools.values():
            while pool.backlog and (chunk := pool.next_chunk(pool.backlog)) is not None:
                self._send(pool, chunk)
        while not self._unacknowledged:
            for submitter in self._submitters.values():
                if submitter.deferred and not submitter.jobs:
                    self._submit(submitter, *submitter.deferred.popleft())
            jobs = [(one, job) for one in self._submitters.values() for job in one.jobs]
            over = [job for submitter, job in jobs if self._poll(submitter, job)]
            if self._unacknowledged or not jobs:
                return
            if not over:
                self.sleep(self.poll_s)

    def _submit(self, submitter: BatchSubmitter, requests: Sequence[Request], attempt: int) -> None:
        for rejected in submitter.submit(requests, attempt):
            self._fail(submitter, rejected.requests, rejected.failure, rejected.attempts)

    def _poll(self, submitter: BatchSubmitter, job: Job) -> bool:
        """Ask how a batch is doing; True where it is over and dealt with."""
        try:
            batch = submitter.client.retrieve(job.record.id)
            if not batch.over:
                self._failed_polls = 0
                return False
            content = b"\n".join(submitter.client.download(file) for file in batch.files)
        except BatchError as fault:
            return self._poll_failed(submitter, job, fault.failure)
        self._failed_polls = 0
        submitter.jobs.remove(job)
        if batch.state == "failed":
            self._batch_refused(submitter, job, batch)
        else:
            self._read(submitter, job, batch, content)
        return True

    def _poll_failed(self, submitter: BatchSubmitter, job: Job, failure: Failure) -> bool:
        if failure.status == 404:
            # The batch or its output is gone (files are kept for days only): ask anew.
            submitter.jobs.remove(job)
            submitter.forget(job)
            self._ask_again(submitter, job, list(job.requests.values()), failure)
            return True
        if failure.retry and not failure.fatal:
            self._failed_polls += 1
            log.warning("Batch %s: no news. %s", job.record.id, failure.message)
            if self._failed_polls < MAX_FAILED_POLLS:
                return False
        submitter.jobs.remove(job)
        failure = replace(failure, fatal=True)
        self._fail(submitter, job.requests.values(), failure, job.record.attempt)
        return True

    def _batch_refused(self, submitter: BatchSubmitter, job: Job, batch: Batch) -> None:
        """The server took the file and then would not have the batch as a whole."""
        requests = list(job.requests.values())
        submitter.forget(job)
        if batch.code in TOO_MUCH and len(requests) > 1:
            submitter.split(requests, job.record.attempt, batch.message)
            return
        failure = Failure("bad_request", f"The batch was refused: {batch.message}", fatal=True)
        self._fail(submitter, requests, failure, job.record.attempt)

    def _read(self, submitter: BatchSubmitter, job: Job, batch: Batch, content: bytes) -> None:
        attempt = job.record.attempt
        found = dict(read_lines(content, job.requests, submitter.config, attempts=attempt))
        missing = Failure(
            "cancelled" if batch.state == "cancelled" else "server",
            f"Batch {batch.id} ended ({batch.state}) without an answer to this request.",
            retry=batch.state != "cancelled",
        )
        answered: list[Completion] = []
        again: list[Request] = []
        for key, request in job.requests.items():
            result = found.get(key, missing)
            if isinstance(result, Completion):
                answered.append(result)
            elif result.finish_reason is not None:
                reason = result.finish_reason
                answered.append(Completion(key, finish_reason=reason, attempts=attempt))
            elif result.retry and attempt < submitter.config.retries.max_attempts:
                again.append(request)
            else:
                error = result.as_error(attempts=attempt)
                answered.append(Completion(key, attempts=attempt, error=error))
        job.files = (batch.input_file, *batch.files)
        if any(one.error is not None and one.error.fatal for one in answered):
            stopped = replace(missing, message="Not asked again: the run stops.")
            self._fail(submitter, again, stopped, attempt)
        elif again:
            self._ask_again(submitter, job, again, missing)
        if not answered:
            submitter.forget(job)
            return
        chunk = Chunk([job.requests[one.request_key] for one in answered])
        self._unacknowledged.append(
            Arrival(
                submitter.pool.name, chunk, answered, acknowledge=partial(submitter.forget, job)
            )
        )

    def _ask_again(
        self, submitter: BatchSubmitter, job: Job, requests: list[Request], failure: Failure
    ) -> None:
        if job.record.attempt >= submitter.config.retries.max_attempts:
            self._fail(submitter, requests, failure, job.record.attempt)
            return
        submitter.pool.stats.asked_again += len(requests)
        log.warning("%d requests of batch %s are asked again.", len(requests), job.record.id)
        self._submit(submitter, requests, attempt=job.record.attempt + 1)

    def _fail(
        self,
        submitter: BatchSubmitter,
        requests: Iterable[Request],
        failure: Failure,
        attempts: int,
    ) -> None:
        error = failure.as_error(attempts=attempts)
        given = list(requests)
        completions = [Completion(r.key, attempts=attempts, error=error) for r in given]
        if given:
            self._unacknowledged.append(Arrival(submitter.pool.name, Chunk(given), completions))
