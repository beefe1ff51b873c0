from __future__ import annotations

import asyncio
from collections.abc import Callable

from mouse.contracts import Request
from mouse.engine.codec import pack, unpack
from mouse.engine.worker import Worker
from mouse.models.base import BackendSpec


def test_no_more_chunks_at_once_than_the_backend_bears(
    ask: Callable[..., Request], scripted: Callable[..., BackendSpec]
) -> None:
    running = most = 0

    class Counting:
        async def complete(self, requests: object) -> list:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.005)
            running -= 1
            return []

    async def all_at_once() -> None:
        worker = Worker(scripted(max_concurrency=3))
        await worker.build()
        worker._backend = Counting()  # type: ignore[assignment]
        await asyncio.gather(*(worker.ask(pack([ask(i)])) for i in range(12)))

    asyncio.run(all_at_once())
    assert most == 3


def test_a_worker_that_was_not_built_says_so(
    ask: Callable[..., Request], scripted: Callable[..., BackendSpec]
) -> None:
    [completion] = unpack(asyncio.run(Worker(scripted()).ask(pack([ask(0)]))))
    assert completion.error is not None and "before it was built" in completion.error.message
