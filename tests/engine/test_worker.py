from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from mouse.contracts import Request
from mouse.engine.codec import pack_requests, unpack_completions
from mouse.engine.worker import Worker, named_variables, scrub
from mouse.models.base import BackendSpec


def test_secrets_are_found_by_name_at_any_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE_KEY", "sk-1")
    monkeypatch.setenv("TWO_KEY", "sk-2")
    options = {
        "api_key_env": "ONE_KEY",
        "clients": [{"token_env": "TWO_KEY"}],
        "x_env": "UNSET_KEY",
    }
    assert named_variables(options) == {"ONE_KEY": "sk-1", "TWO_KEY": "sk-2"}
    assert scrub("sent sk-1 and sk-2", options) == "sent [ONE_KEY] and [TWO_KEY]"


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
        await asyncio.gather(*(worker.ask(pack_requests([ask(i)])) for i in range(12)))

    asyncio.run(all_at_once())
    assert most == 3


def test_a_worker_that_was_not_built_says_so(
    ask: Callable[..., Request], scripted: Callable[..., BackendSpec]
) -> None:
    [completion] = unpack_completions(asyncio.run(Worker(scripted()).ask(pack_requests([ask(0)]))))
    assert completion.error is not None and "before it was built" in completion.error.message
