from __future__ import annotations

import asyncio
from collections.abc import Callable

from mouse.contracts import Completion, Request
from mouse.engine.codec import pack, unpack
from mouse.engine.worker import Worker
from mouse.models.base import BackendSpec


class Counting:
    """A backend that notes how many chunks it works on at once."""

    running = most = 0

    async def complete(self, requests: object) -> list[Completion]:
        Counting.running += 1
        Counting.most = max(Counting.most, Counting.running)
        await asyncio.sleep(0.005)
        Counting.running -= 1
        return []


def test_no_more_chunks_at_once_than_the_backend_bears(ask: Callable[..., Request]) -> None:
    async def all_at_once() -> None:
        worker = Worker(BackendSpec(f"{__name__}:Counting", {}, {}, max_concurrency=3))
        assert (await worker.build()).ok
        await asyncio.gather(*(worker.ask(pack([ask(i)])) for i in range(12)))

    asyncio.run(all_at_once())
    assert Counting.most == 3


def test_a_worker_that_was_not_built_says_so(
    ask: Callable[..., Request], scripted: Callable[..., BackendSpec]
) -> None:
    [completion] = unpack(asyncio.run(Worker(scripted()).ask(pack([ask(0)]))))
    assert completion.error is not None and "before it was built" in completion.error.message
