"""The backend in a worker: asks a server, tries again what may be, stops when all would fail alike.

Each attempt goes gate (`limits`) → wire (`wire`) → meaning (`parse`, `retry`); the loop that joins
them is `_ask`, the only place that asks anything twice.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from mouse.contracts import Completion, CompletionError, Request
from mouse.errors import UserError
from mouse.models.api.attempt import attempt
from mouse.models.api.body import CannotConstrain, Dialect, estimated_tokens
from mouse.models.api.rate_control import AdaptiveRate
from mouse.models.api.rate_limiter import Gate
from mouse.models.api.retry import Failure, RetryPolicy
from mouse.models.api.transport import Endpoint, Wire, open_wire

OUTAGE_AFTER = 10
"""So many requests given up in a row, with no answer between, end the run: the server is away."""


class OpenAIChatBackend:
    """Asks one model at one server; built in a worker, where the key is read.

    `actors` of these share the limits of a run, each having its equal part. `sleep`, `clock` and
    `rng` can be replaced in tests.
    """

    def __init__(
        self,
        *,
        name: str,
        dialect: Mapping[str, Any],
        base_url: str,
        api_key_env: str | None,
        extra_headers: Mapping[str, str],
        limits: Mapping[str, Any],
        retries: Mapping[str, Any],
        adaptive: bool = True,
        actors: int = 1,
        transport: str = "openai",
        accept_changes: bool = False,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        rng: random.Random | None = None,
    ) -> None:
        self._endpoint = endpoint_of(
            {
                "name": name,
                "base_url": base_url,
                "api_key_env": api_key_env,
                "extra_headers": extra_headers,
                "limits": limits,
                "actors": actors,
            }
        )
        self._dialect = Dialect(**dialect)
        self._policy = RetryPolicy(**retries)
        share = self._endpoint.max_connections
        self._gate = Gate(
            AdaptiveRate(share, adaptive=adaptive),
            requests_per_minute=_share(limits.get("requests_per_minute"), actors),
            tokens_per_minute=_share(limits.get("tokens_per_minute"), actors),
            clock=clock,
            sleep=sleep,
        )
        self._transport = transport
        self._sleep = sleep
        self._clock = clock
        self._rng = rng or random.Random()
        self._wire: Wire | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._given_up_in_a_row = 0
        self._stopped: CompletionError | None = None
        self._pauses: set[asyncio.Future[None]] = set()

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        """Ask all at once, as far as the limits let; one completion a request, in their order."""
        await self._connect()
        return list(await asyncio.gather(*(self._ask_safely(request) for request in requests)))

    def close(self) -> None:
        """Close the connections, where the loop they belong to still lives."""
        wire, self._wire = self._wire, None
        if wire is None or self._loop is None or self._loop.is_closed():
            return
        if self._loop.is_running():
            self._closing = self._loop.create_task(wire.close())
        else:
            self._loop.run_until_complete(wire.close())

    def describe(self) -> dict[str, Any]:
        """What the adaptive limits have found so far, for the manifest and for tests."""
        adaptive = self._gate.adaptive
        return {
            "window": adaptive.window,
            "rate_per_s": adaptive.rate(self._clock()),
            "throttle_episodes": adaptive.episodes,
            "transport": self._transport,
        }

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        if self._wire is None or loop is not self._loop:
            self._wire, self._loop = open_wire(self._transport, self._endpoint), loop

    async def _ask_safely(self, request: Request) -> Completion:
        # Whatever one request does to this code, the answers to its neighbours are kept.
        try:
            return await self._ask(request)
        except Exception as error:
            said = f"{type(error).__name__}: {error}".replace(
                self._endpoint.api_key or "\0", "[key]"
            )
            return Completion(request.key, error=CompletionError("internal", said[:300]))

    async def _ask(self, request: Request) -> Completion:
        try:
            body = self._dialect.body(request)
        except CannotConstrain as problem:
            return self._failed(request, 0, Failure("bad_request", str(problem), fatal=True))
        sent = orjson.dumps(body)
        length = sum(len(message.content) for message in request.messages)
        tokens = estimated_tokens(length) + request.sampling.max_tokens
        by_logprob = self._dialect.chooses_by_logprob(request)
        attempts, first = 0, float("inf")
        assert self._wire is not None
        while True:
            if self._stopped is not None:
                return self._not_asked(request, attempts)
            ticket = await self._gate.enter(tokens)
            started = self._clock()
            first = min(first, started)
            try:
                if self._stopped is not None:
                    return self._not_asked(request, attempts)
                attempts += 1
                result = await attempt(
                    self._wire,
                    sent,
                    request,
                    by_logprob=by_logprob,
                    secret=self._endpoint.api_key,
                    clock=self._clock,
                    number=attempts,
                    prompt_length=length,
                )
                if isinstance(result, Failure) and result.throttled:
                    self._gate.throttled(ticket, result.retry_after)
                elif not isinstance(result, Failure) or result.finish_reason is not None:
                    self._gate.answered(ticket)
            finally:
                self._gate.leave()
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
            paced = self._gate.adaptive.rate(now) is not None
            wait = self._policy.next_wait(result, attempts, now - first, self._rng, paced=paced)
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
        self._gate.release()
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


def endpoint_of(options: Mapping[str, Any]) -> Endpoint:
    """Where a spec's options send to, with this actor's share of connections.

    Reads the key from this process's environment; raises `UserError` where it is not there.
    """
    variable = options["api_key_env"]
    key = os.environ.get(variable, "") if variable else ""
    if variable and not key:
        raise UserError(
            f"The process that asks model {options['name']} has no environment variable {variable}."
        )
    limits = options["limits"]
    return Endpoint(
        base_url=options["base_url"],
        api_key=key,
        headers=dict(options["extra_headers"]),
        timeout_s=float(limits["timeout_s"]),
        max_connections=-(-int(limits["max_in_flight"]) // int(options["actors"])),
    )


def _share(limit: float | None, actors: int) -> float | None:
    return limit / actors if limit else None
