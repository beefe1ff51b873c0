"""The backend in a worker: asks a server, tries again what may be, stops when all would fail alike.

Each attempt waits for its turn (`rate_limiter`), is sent (`transport`) and is read (`parse`,
`retry`); the loop that joins them is `_ask`, the only place that asks anything twice.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import orjson

from mouse.contracts import Completion, CompletionError, Request
from mouse.models.api.attempt import attempt
from mouse.models.api.body import (
    CannotConstrain,
    chooses_by_logprob,
    estimated_tokens,
    request_body,
)
from mouse.models.api.config import OpenAIChatConfig
from mouse.models.api.rate_control import AdaptiveRate
from mouse.models.api.rate_limiter import RateLimiter
from mouse.models.api.retry import Failure
from mouse.models.api.transport import Endpoint, Transport, open_transport
from mouse.text.redaction import redact_value

OUTAGE_AFTER = 10
"""So many requests given up in a row, with no answer between, end the run: the server is away."""


class OpenAIChatBackend:
    """Asks one model at one server; built in a worker, where the key is read.

    `config.actors` of these share the limits of a run, each having its equal part. `sleep`, `clock`
    and `rng` can be replaced in tests.
    """

    def __init__(
        self,
        config: OpenAIChatConfig,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        rng: random.Random | None = None,
    ) -> None:
        self._config = config
        self._endpoint = Endpoint.of(config)
        limits = config.limits
        self.rate_limiter = RateLimiter(
            AdaptiveRate(config.in_flight_per_actor, adaptive=config.adaptive),
            requests_per_minute=_share(limits.requests_per_minute, config.actors),
            tokens_per_minute=_share(limits.tokens_per_minute, config.actors),
            clock=clock,
            sleep=sleep,
        )
        self._sleep = sleep
        self._clock = clock
        self._rng = rng or random.Random()
        self._transport: Transport | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._given_up_in_a_row = 0
        self._stopped: CompletionError | None = None
        self._pauses: set[asyncio.Future[None]] = set()

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        """Ask all at once, as far as the limits let; one completion a request, in their order.

        All calls belong to one event loop.
        """
        if self._transport is None:
            self._transport = open_transport(self._config.transport, self._endpoint)
            self._loop = asyncio.get_running_loop()
        return list(await asyncio.gather(*(self._ask_safely(request) for request in requests)))

    def close(self) -> None:
        """Close the connections, where the loop they belong to still lives."""
        transport, self._transport = self._transport, None
        if transport is None or self._loop is None or self._loop.is_closed():
            return
        if self._loop.is_running():
            self._closing = self._loop.create_task(transport.close())
        else:
            self._loop.run_until_complete(transport.close())

    def describe(self) -> dict[str, Any]:
        """What the adaptive limits have found so far, for the manifest and for tests."""
        adaptive = self.rate_limiter.adaptive
        return {
            "window": adaptive.window,
            "rate_per_s": adaptive.rate(self._clock()),
            "throttle_episodes": adaptive.episodes,
            "transport": self._config.transport.value,
        }

    async def _ask_safely(self, request: Request) -> Completion:
        # Whatever one request does to this code, the answers to its neighbours are kept.
        try:
            return await self._ask(request)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            message = redact_value(said, self._endpoint.api_key)
            return Completion(request.key, error=CompletionError("internal", message[:300]))

    async def _ask(self, request: Request) -> Completion:
        try:
            body = request_body(self._config, request)
        except CannotConstrain as problem:
            return self._failed(request, 0, Failure("bad_request", str(problem), fatal=True))
        sent = orjson.dumps(body)
        length = sum(len(message.content) for message in request.messages)
        tokens = estimated_tokens(length) + request.sampling.max_tokens
        by_logprob = chooses_by_logprob(self._config, request)
        attempts, first = 0, float("inf")
        assert self._transport is not None
        while True:
            if self._stopped is not None:
                return self._not_asked(request, attempts)
            sent_at = await self.rate_limiter.acquire(tokens)
            started = self._clock()
            first = min(first, started)
            try:
                if self._stopped is not None:
                    return self._not_asked(request, attempts)
                attempts += 1
                result = await attempt(
                    self._transport,
                    sent,
                    request,
                    by_logprob=by_logprob,
                    secret=self._endpoint.api_key,
                    clock=self._clock,
                    number=attempts,
                    prompt_length=length,
                )
                if isinstance(result, Failure) and result.throttled:
                    self.rate_limiter.throttled(sent_at, result.retry_after)
                elif not isinstance(result, Failure) or result.finish_reason is not None:
                    self.rate_limiter.answered(sent_at)
            finally:
                self.rate_limiter.release()
            if isinstance(result, Completion):
                self._given_up_in_a_row = 0
                return result
            if result.finish_reason is not None:
                self._given_up_in_a_row = 0
                return Completion(
                    request_key=request.key,
                    text=None,
                    finish_reason=result.finish_reason,
                    latency_s=self._clock() - started,
                    attempts=attempts,
                )
            now = self._clock()
            paced = self.rate_limiter.adaptive.rate(now) is not None
            wait = self._config.retries.next_wait(
                result, attempts, now - first, self._rng, paced=paced
            )
            if isinstance(wait, Failure):
                return self._failed(request, attempts, wait)
            await self._pause(wait)

    def _failed(self, request: Request, attempts: int, failure: Failure) -> Completion:
        if failure.retry and not failure.fatal:
            self._given_up_in_a_row += 1
            if self._given_up_in_a_row >= OUTAGE_AFTER:
                failure = replace(
                    failure,
                    fatal=True,
                    message=f"{failure.message} {self._given_up_in_a_row} requests in a row were "
                    "given up: the run ends here, and the same command will go on from here.",
                )
        error = failure.as_error(attempts=attempts)
        if error.fatal and self._stopped is None:
            self._stop(error)
        return Completion(request_key=request.key, attempts=attempts, error=error)

    def _stop(self, error: CompletionError) -> None:
        """Ask nothing more; what waits, for its turn or its next try, comes back at once."""
        self._stopped = error
        self.rate_limiter.stop()
        for pause in self._pauses:
            pause.cancel()

    async def _pause(self, seconds: float) -> None:
        pause = asyncio.ensure_future(self._sleep(seconds))
        self._pauses.add(pause)
        try:
            await pause
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._stopped is None or (task is not None and task.cancelling()):
                raise
        finally:
            self._pauses.discard(pause)

    def _not_asked(self, request: Request, attempts: int) -> Completion:
        assert self._stopped is not None
        error = CompletionError(
            "cancelled", f"Not asked, as the run was stopped: {self._stopped.message}"
        )
        return Completion(request_key=request.key, attempts=attempts, error=error)


def _share(limit: float | None, actors: int) -> float | None:
    return limit / actors if limit else None
