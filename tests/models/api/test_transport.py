"""The transports below the backend: proxies, faults by their true cause, and no key in sight."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import aiohttp
import httpx2
import openai
import orjson
import pytest

from mouse.models.api.config import TransportKind
from mouse.models.api.transport import (
    Endpoint,
    Reply,
    TransportError,
    as_transport_error,
    open_transport,
)

BODY = orjson.dumps({"model": "m", "messages": [{"role": "user", "content": "q"}]})


def endpoint(url: str, **changes: Any) -> Endpoint:
    given = {"api_key": "sk-1", "headers": {}, "timeout_s": 5.0, "max_connections": 4}
    return Endpoint(base_url=url, **{**given, **changes})


def post(transport: TransportKind, where: Endpoint) -> Reply:
    async def once() -> Reply:
        opened = open_transport(transport, where)
        try:
            return await opened.post(BODY)
        finally:
            await opened.close()

    return asyncio.run(once())


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize("transport", TransportKind)
def test_a_proxy_in_the_environment_is_used(
    server: Any, monkeypatch: pytest.MonkeyPatch, transport: TransportKind
) -> None:
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
    reply = post(transport, endpoint("http://api.example.invalid/v1"))
    assert reply.status == 200
    assert server.calls[0].headers["host"] == "api.example.invalid"


@pytest.mark.parametrize("transport", TransportKind)
def test_a_host_that_is_excepted_is_asked_directly(
    server: Any, monkeypatch: pytest.MonkeyPatch, transport: TransportKind
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert post(transport, endpoint(server.url)).status == 200


@pytest.mark.parametrize("transport", TransportKind)
@pytest.mark.parametrize("url", ["http://no-such-host.invalid/v1", "http://127.0.0.1:9/v1"])
def test_an_address_that_leads_nowhere_is_a_transport_fault(
    transport: TransportKind, url: str
) -> None:
    with pytest.raises(TransportError) as caught:
        post(transport, endpoint(url))
    assert caught.value.kind == "transport"


@pytest.mark.parametrize("transport", TransportKind)
def test_a_trailing_slash_does_no_harm(server: Any, transport: TransportKind) -> None:
    assert post(transport, endpoint(server.url + "/")).status == 200
    assert server.calls[0].path == "/v1/chat/completions"


@pytest.mark.parametrize("transport", TransportKind)
def test_without_a_key_the_plain_transport_sends_none(
    server: Any, transport: TransportKind
) -> None:
    post(transport, endpoint(server.url, api_key=""))
    sent = server.calls[0].headers.get("authorization")
    # The SDK cannot do without one; servers without keys do not look at it.
    assert sent == (None if transport == "aiohttp" else "Bearer none")


def chained(*errors: BaseException) -> BaseException:
    """The first error, caused by the second, and so on."""
    for outer, inner in itertools.pairwise(errors):
        outer.__cause__ = inner
    return errors[0]


REQUEST = httpx2.Request("POST", "http://x")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError(), "timeout"),
        (aiohttp.ServerTimeoutError(), "timeout"),
        (aiohttp.ServerDisconnectedError(), "transport"),
        (aiohttp.ClientPayloadError("cut"), "transport"),
        (ConnectionResetError(104, "reset"), "transport"),
        (ValueError("x"), "transport"),
        (
            chained(openai.APITimeoutError(REQUEST), httpx2.ReadTimeout("t"), TimeoutError()),
            "timeout",
        ),
        (
            # What the SDK makes of a reset over its aiohttp transport.
            chained(
                openai.APITimeoutError(REQUEST),
                httpx2.ConnectTimeout("x"),
                aiohttp.ClientOSError(104, "reset"),
            ),
            "transport",
        ),
    ],
)
def test_a_fault_is_named_by_its_first_cause(error: BaseException, kind: str) -> None:
    fault = as_transport_error(error, 5.0)
    assert fault.kind == kind
    assert str(fault)


def test_the_key_is_not_in_the_repr() -> None:
    assert "sk-1" not in repr(endpoint("http://x/v1"))
