"""How bytes reach the server: one POST, one deadline, and a name for every way it can break.

`OpenAITransport` goes through `openai.AsyncOpenAI`; `AiohttpTransport`, for servers one runs
oneself, costs a fraction of it (docs/decisions/api-transport.md). Neither tries again.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from mouse.contracts import ErrorKind
from mouse.errors import UserError
from mouse.models.api.config import OpenAIChatConfig, TransportKind


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP answer: status, headers with lower-case names, and the body as it came."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class TransportError(Exception):
    """There is no answer: `kind` is `transport` or `timeout`. The message holds no secret."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Transport(Protocol):
    """Sends chat completion requests to one server, within one event loop."""

    async def post(self, body: bytes) -> Reply:
        """Send a JSON body to `/chat/completions`; raises `TransportError`."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go. `timeout_s` bounds the whole of one attempt, to the last byte."""

    base_url: str
    api_key: str = field(repr=False)
    headers: Mapping[str, str]
    timeout_s: float
    max_connections: int

    @property
    def url(self) -> str:
        return self.base_url.rstrip("/") + "/chat/completions"

    @classmethod
    def of(cls, config: OpenAIChatConfig) -> Endpoint:
        """The endpoint of a checked configuration, with one actor's share of connections.

        Reads the key from this process's environment; raises `UserError` where it is not there.
        """
        variable = config.api_key_env
        key = os.environ.get(variable, "") if variable else ""
        if variable and not key:
            raise UserError(
                f"The process that asks model {config.name} has no environment variable {variable}."
            )
        assert config.base_url is not None  # see mouse.models.api.openai_chat.spec
        return cls(
            base_url=config.base_url,
            api_key=key,
            headers=config.extra_headers,
            timeout_s=config.limits.timeout_s,
            max_connections=config.in_flight_per_actor,
        )


class AiohttpTransport:
    """Straight through aiohttp."""

    def __init__(self, endpoint: Endpoint) -> None:
        import aiohttp

        self._endpoint = endpoint
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if endpoint.api_key:
            headers["Authorization"] = f"Bearer {endpoint.api_key}"
        self._proxy = _proxy_for(endpoint.url)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=endpoint.max_connections),
            headers={**headers, **endpoint.headers},
            timeout=aiohttp.ClientTimeout(total=None, connect=min(30.0, endpoint.timeout_s)),
        )

    async def post(self, body: bytes) -> Reply:
        endpoint = self._endpoint
        try:
            async with (
                asyncio.timeout(endpoint.timeout_s),
                self._session.post(
                    endpoint.url, data=body, proxy=self._proxy, allow_redirects=False
                ) as response,
            ):
                content = await response.read()
        except Exception as error:
            raise as_transport_error(error, endpoint.timeout_s) from None
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Reply(response.status, headers, content)

    async def close(self) -> None:
        await self._session.close()


class OpenAITransport:
    """Through `openai.AsyncOpenAI` over its aiohttp transport, its own retries off."""

    def __init__(self, endpoint: Endpoint) -> None:
        import httpx2
        import openai

        self._endpoint = endpoint
        self._response = httpx2.Response
        self._status_error = openai.APIStatusError
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.api_key or "none",
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=endpoint.timeout_s,
            default_headers={"Content-Type": "application/json", **endpoint.headers},
            http_client=openai.DefaultAioHttpClient(
                limits=httpx2.Limits(max_connections=endpoint.max_connections),
                follow_redirects=False,
            ),
        )

    async def post(self, body: bytes) -> Reply:
        # `create()` walks all its arguments and builds pydantic models of the answer, which costs
        # more than the request itself; `post` with bytes and a raw response does neither.
        try:
            async with asyncio.timeout(self._endpoint.timeout_s):
                response: Any = await self._client.post(
                    "/chat/completions", content=body, cast_to=self._response
                )
        except self._status_error as error:
            response = error.response
        except Exception as error:
            raise as_transport_error(error, self._endpoint.timeout_s) from None
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Reply(response.status_code, headers, response.content)

    async def close(self) -> None:
        await self._client.close()


def open_transport(kind: TransportKind, endpoint: Endpoint) -> Transport:
    """The transport of that kind, within the running event loop."""
    if kind is TransportKind.openai:
        return OpenAITransport(endpoint)
    return AiohttpTransport(endpoint)


def as_transport_error(error: BaseException, timeout_s: float) -> TransportError:
    """The transport error behind an exception of asyncio, aiohttp, httpx2 or openai.

    The SDK reports a reset as a timeout, so what counts is the first cause in the chain.
    """
    import aiohttp

    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        if cause in causes:
            break
        causes.append(cause)
    for cause in reversed(causes):
        if isinstance(cause, TimeoutError) and not isinstance(cause, aiohttp.ClientConnectorError):
            return TransportError("timeout", f"No complete answer within {timeout_s:g} s.")
    for cause in reversed(causes):
        if isinstance(cause, aiohttp.ClientError | OSError):
            said = str(cause).strip() or type(cause).__name__
            return TransportError("transport", f"The connection failed: {said[:200]}")
    return TransportError("transport", f"The connection failed: {type(error).__name__}")


def _proxy_for(url: str) -> str | None:
    # Looked up once and not, as aiohttp's trust_env does, for every request.
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    if parts.hostname is None or proxy_bypass(parts.hostname):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")
