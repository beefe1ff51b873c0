"""The misbehaving server, and a backend that asks it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import faulty_server
import pytest
from support_models import spec_of

from mouse.contracts import Completion, Message, Request, Sampling
from mouse.models.api.backend import OpenAIChatBackend
from mouse.models.api.config import OpenAIChatConfig

KEY = "sk-test-0123456789abcdef"


@pytest.fixture(scope="session")
def faulty() -> ModuleType:
    return faulty_server


@pytest.fixture
def server(faulty: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    # On a machine behind a proxy, the server of the test is not.
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = faulty.FaultyServer()
    yield server
    server.stop()


def ask(text: str, **fields: Any) -> Request:
    """A request whose text is its key as well."""
    messages = (Message("system", "只回答字母。"), Message("user", text))
    defaults: dict[str, Any] = {"sampling": Sampling()}
    return Request(text, "i", "ms", "", 0, messages, **{**defaults, **fields})


@pytest.fixture(scope="session")
def request_for() -> Callable[..., Request]:
    return ask


class Client:
    """Runs a backend built from a model's configuration within one loop."""

    def __init__(self, url: str, rng: random.Random | None = None, **model: Any) -> None:
        limits = {"timeout_s": 5.0, **model.pop("limits", {})}
        retries = {
            "max_attempts": 6,
            "max_wait_s": 2.0,
            "first_wait_s": 0.02,
            **model.pop("retries", {}),
        }
        given = {
            "name": "tiny",
            "id": "tiny",
            "base_url": url,
            "api_key_env": "MOUSE_TEST_KEY",
            "actors": 1,
            "limits": limits,
            "retries": retries,
            **model,
        }
        self.spec = spec_of(OpenAIChatConfig, **given)
        built = self.spec.build()
        assert isinstance(built, OpenAIChatBackend)
        self.backend = built
        self._runner = asyncio.Runner()

    def complete(self, requests: Sequence[Request]) -> list[Completion]:
        return self._runner.run(self.backend.complete(requests))

    def one(self, text: str, **fields: Any) -> Completion:
        return self.complete([ask(text, **fields)])[0]

    def run(self, coroutine: Any) -> Any:
        return self._runner.run(coroutine)

    def close(self) -> None:
        self.backend.close()
        self._runner.close()


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MOUSE_TEST_KEY", KEY)
    return KEY


@pytest.fixture
def client(server: Any, key: str) -> Iterator[Callable[..., Client]]:
    opened: list[Client] = []

    def make(**model: Any) -> Client:
        opened.append(Client(model.pop("url", server.url), **model))
        return opened[-1]

    yield make
    for one in opened:
        one.close()
