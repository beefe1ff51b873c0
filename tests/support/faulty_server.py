"""A real local HTTP server that speaks chat completions and misbehaves as it is told.

What a request meets is decided by its text and the number of the attempt alone. The last user
message ends in a plan, `name|first,second,…`: the n-th attempt of that text meets the n-th action,
further ones the last. A text without a plan is answered `B`. Besides, the whole server can be given
a key, a rate, a latency, a share of 503, and be stopped and started again on the same port.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from aiohttp import web

USAGE = {
    "prompt_tokens": 30,
    "completion_tokens": 2,
    "total_tokens": 32,
    "prompt_tokens_details": {"cached_tokens": 16},
    "completion_tokens_details": {"reasoning_tokens": 1},
}


def completion(content: Any = "B", finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "tiny-2026-11-30",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": finish,
            }
        ],
        "usage": USAGE,
    }


def error(status: int, message: str, code: str | None = None, **headers: str) -> web.Response:
    body = {"error": {"message": message, "type": "error", "code": code, "param": None}}
    return web.json_response(
        body, status=status, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


@dataclass
class Call:
    """One request as it arrived."""

    text: str
    attempt: int
    body: dict[str, Any]
    headers: dict[str, str]
    at: float
    path: str
    status: int = 0


@dataclass
class FaultyServer:
    """Knobs may be turned while it runs. `url` is the base URL."""

    key: str | None = None
    latency_s: float = 0.0
    rate: float | None = None
    """Requests a second beyond which it answers 429 (bucket of `burst`)."""
    burst: float = 5.0
    concurrency: int | None = None
    """Requests at once beyond which it answers 429."""
    share_503: float = 0.0
    on_body: Callable[[dict[str, Any]], web.Response | None] | None = None
    """Looks at each body first; a response it returns is the answer."""
    calls: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._attempts: Counter[str] = Counter()
        self._port = 0
        self._level = 0.0
        self._level_at = 0.0
        self._busy = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> None:
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(ready,), daemon=True)
        self._thread.start()
        assert ready.wait(10)

    def stop(self) -> None:
        """Close the port and every connection at once, as a killed process does."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _serve(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._open())
        ready.set()
        self._loop.run_forever()

    async def _open(self) -> None:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/{path:.*}", self._handle)
        self._transports: set[asyncio.BaseTransport] = set()
        self._runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=0.0, handler_cancellation=True
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, backlog=2048, reuse_address=True)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def _close(self) -> None:
        for transport in self._transports:
            transport.abort()  # type: ignore[attr-defined]
        await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        self._transports.add(request.transport)
        body = json.loads(await request.read())
        text = body["messages"][-1]["content"]
        self._attempts[text] += 1
        attempt = self._attempts[text]
        headers = {name.lower(): value for name, value in request.headers.items()}
        call = Call(text, attempt, body, headers, time.monotonic(), request.path)
        self.calls.append(call)
        self._busy += 1
        try:
            response = await self._answer(request, body, text, attempt)
        finally:
            self._busy -= 1
        call.status = response.status
        return response

    async def _answer(
        self, request: web.Request, body: dict[str, Any], text: str, attempt: int
    ) -> web.StreamResponse:
        if self.key is not None and request.headers.get("Authorization") != f"Bearer {self.key}":
            sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
            return error(401, f"Incorrect API key provided: {sent}.", "invalid_api_key")
        if self._over_rate() or (self.concurrency and self._busy > self.concurrency):
            return error(429, "Rate limit reached.", "rate_limit_exceeded")
        if self.latency_s:
            await asyncio.sleep(self.latency_s)
        if self.share_503:
            drawn = hashlib.sha256(f"{text}\0{attempt}".encode()).digest()[0] / 256
            if drawn < self.share_503:
                return error(503, "Overloaded.")
        if self.on_body is not None and (response := self.on_body(body)) is not None:
            return response
        _, bar, plan = text.rpartition("|")
        if not bar:
            return web.json_response(completion())
        actions = plan.split(",")
        name, _, argument = actions[min(attempt, len(actions)) - 1].partition(":")
        return await ACTIONS[name](request, argument)

    def _over_rate(self) -> bool:
        if self.rate is None:
            return False
        now = time.monotonic()
        self._level = max(0.0, self._level - (now - self._level_at) * self.rate)
        self._level_at = now
        if self._level + 1 > self.burst:
            return True
        self._level += 1
        return False


Action = Callable[[web.Request, str], Awaitable[web.StreamResponse]]
ACTIONS: dict[str, Action] = {}


def action(function: Action) -> Action:
    ACTIONS[function.__name__] = function
    return function


@action
async def ok(request: web.Request, argument: str) -> web.StreamResponse:
    return web.json_response(completion(argument or "B"))


@action
async def status(request: web.Request, argument: str) -> web.StreamResponse:
    return error(int(argument), f"Status {argument}.")


@action
async def late401(request: web.Request, argument: str) -> web.StreamResponse:
    await asyncio.sleep(float(argument))
    return error(401, "The key was revoked.")


@action
async def wait(request: web.Request, argument: str) -> web.StreamResponse:
    """429 with Retry-After in seconds."""
    return error(429, "Slow down.", "rate_limit_exceeded", Retry_After=argument)


@action
async def wait503(request: web.Request, argument: str) -> web.StreamResponse:
    return error(503, "Come back later.", Retry_After=argument)


@action
async def waitdate(request: web.Request, argument: str) -> web.StreamResponse:
    """429 with Retry-After as a date so many seconds ahead."""
    date = datetime.now(UTC) + timedelta(seconds=float(argument))
    return error(429, "Slow down.", Retry_After=format_datetime(date, usegmt=True))


@action
async def quota(request: web.Request, argument: str) -> web.StreamResponse:
    return error(429, "You exceeded your current quota.", "insufficient_quota")


@action
async def reset(request: web.Request, argument: str) -> web.StreamResponse:
    """The connection is reset before any answer."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


@action
async def cut(request: web.Request, argument: str) -> web.StreamResponse:
    """The connection is reset in the middle of the body."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    full = json.dumps(completion()).encode()
    response.content_length = len(full)
    await response.prepare(request)
    await response.write(full[: len(full) // 2])
    await asyncio.sleep(0.02)
    assert request.transport is not None
    request.transport.abort()
    return response


@action
async def halfjson(request: web.Request, argument: str) -> web.StreamResponse:
    """A whole HTTP answer whose JSON ends too early."""
    full = json.dumps(completion())
    return web.Response(text=full[: len(full) // 2], content_type="application/json")


@action
async def html(request: web.Request, argument: str) -> web.StreamResponse:
    return web.Response(text="<html>Bad gateway</html>", status=int(argument or 200))


@action
async def hang(request: web.Request, argument: str) -> web.StreamResponse:
    await asyncio.sleep(float(argument or 30))
    return web.json_response(completion())


@action
async def drip(request: web.Request, argument: str) -> web.StreamResponse:
    """One byte at a time, each soon enough to look alive, the whole never in time."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    for byte in json.dumps(completion()).encode():
        await response.write(bytes([byte]))
        await asyncio.sleep(float(argument or 0.05))
    return response


@action
async def nochoices(request: web.Request, argument: str) -> web.StreamResponse:
    return web.json_response({**completion(), "choices": None})


@action
async def wrapped(request: web.Request, argument: str) -> web.StreamResponse:
    """An upstream's error inside a 200, as gateways send it."""
    return web.json_response({"error": {"code": int(argument), "message": "Upstream error."}})


@action
async def refusal(request: web.Request, argument: str) -> web.StreamResponse:
    return web.json_response(completion(None, refusal="I cannot help with that."))


@action
async def empty(request: web.Request, argument: str) -> web.StreamResponse:
    return web.json_response(completion(argument or None))


@action
async def finish(request: web.Request, argument: str) -> web.StreamResponse:
    """Some text with the given finish reason."""
    return web.json_response(completion("我认为", argument))


@action
async def reasoning(request: web.Request, argument: str) -> web.StreamResponse:
    return web.json_response(completion("B", reasoning_content="先看选项……"))


@action
async def context(request: web.Request, argument: str) -> web.StreamResponse:
    message = "This model's maximum context length is 8192 tokens, however you requested 9000."
    return error(400, message, "context_length_exceeded")


@action
async def policy(request: web.Request, argument: str) -> web.StreamResponse:
    return error(400, "The response was filtered.", "content_filter")
