"""The right rate is found against a real server, in real time; two actors' worth of backends.

How long it takes is printed and in docs/decisions/api-transport.md; the tests count refusals, which a
busy machine does not change. Slow, because real seconds pass: the same limiter on a simulated clock
is in test_limits.py, and a whole command against a limited server in tests/faults/test_rates.py.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from mouse.contracts import Completion, Request

pytestmark = pytest.mark.slow

Make = Callable[..., Any]
Ask = Callable[..., Request]


CHUNK = 10
CHUNKS_OUT = 6


def run_two(client: Make, request_for: Ask, count: int, **model: Any) -> list[Completion]:
    """Two backends take chunks of one queue, some ahead, as two actors are handed them."""
    backends = [client(actors=2, **model).backend for _ in range(2)]
    requests = [request_for(f"{n}") for n in range(count)]
    queue = iter([requests[n : n + CHUNK] for n in range(0, count, CHUNK)])
    done: list[Completion] = []

    async def worker(backend: Any) -> None:
        for chunk in queue:
            done.extend(await backend.complete(chunk))

    async def both() -> None:
        await asyncio.gather(*(worker(b) for b in backends for _ in range(CHUNKS_OUT)))
        for backend in backends:
            backend.close()
        await asyncio.sleep(0)

    asyncio.run(both())
    assert len(done) == count
    return done


def test_fifty_a_second_are_found_without_knowing_it(
    server: Any, client: Make, request_for: Ask
) -> None:
    server.rate, server.latency_s = 50, 0.05
    started = time.monotonic()
    completions = run_two(client, request_for, 400, retries={"max_wait_s": 5.0})
    took = time.monotonic() - started
    refused = sum(call.status == 429 for call in server.calls)
    print(f"400 requests in {took:.1f} s (ideal 8.0), {refused} refused")
    assert {completion.text for completion in completions} == {"B"}
    # 54 of the 64 of the two first windows cannot be helped: nothing is known by then.
    assert refused <= 110


def test_a_limit_that_falls_and_rises_in_the_middle_is_followed(
    server: Any, client: Make, request_for: Ask
) -> None:
    server.rate, server.latency_s = 100, 0.02

    def change(body: dict[str, Any]) -> None:
        # By the number of requests answered, so that a slow machine sees the same.
        answered = sum(call.status == 200 for call in server.calls)
        server.rate = 100 if answered < 250 or answered > 350 else 30

    server.on_body = change
    started = time.monotonic()
    completions = run_two(client, request_for, 700, retries={"max_wait_s": 5.0})
    took = time.monotonic() - started
    refused = sum(call.status == 429 for call in server.calls)
    print(f"700 requests in {took:.1f} s (ideal 9.3), {refused} refused")
    assert {completion.text for completion in completions} == {"B"}
    assert refused <= 150
