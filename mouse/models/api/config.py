"""The options of a model behind a server that speaks OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from mouse.models.api.retry import RetryPolicy
from mouse.models.config import ChatModelConfig, Limits, at_least


class Structured(StrEnum):
    """Ways to hold an answer to labels: OpenAI's and DeepSeek's `response_format`, vLLM's present
    and former extra parameters, choice by the log-probability of the first token, or not at all."""

    json_schema = "json_schema"
    json_object = "json_object"
    structured_outputs = "structured_outputs"
    guided_choice = "guided_choice"
    logprobs = "logprobs"
    none = "none"


class TransportKind(StrEnum):
    """The library that sends: see `mouse.models.api.transport`."""

    openai = "openai"
    aiohttp = "aiohttp"


@dataclass
class OpenAIChatConfig(ChatModelConfig):
    """A model behind an OpenAI-compatible server."""

    backend: str = "openai_chat"
    base_url: str | None = None
    """Address of the server up to and with `/v1`."""
    base_url_env: str | None = None
    """Environment variable that may hold another address, which then wins."""
    api_key_env: str | None = None
    """Environment variable that holds the key; null for a server without keys."""
    token_param: str = "max_tokens"
    """The vendor's name of the limit on output tokens (`max_completion_tokens`)."""
    drop_params: list[str] = field(default_factory=list)
    """Parameters that are never sent, because the vendor refuses them."""
    extra_headers: dict[str, str] = field(default_factory=dict)
    """Further HTTP headers of every request."""
    accept_changes: bool = False
    """Whether a parameter that the server refuses may be left out, which changes the experiment."""
    structured: Structured = Structured.json_schema
    """How the server is asked to hold an answer to labels (`task.decoding`)."""
    limits: Limits = field(default_factory=Limits)
    """What the vendor allows."""
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    """How long to try one request before it is `failed`."""
    adaptive: bool = True
    """Whether the rate that the server bears is found by trying, within `limits`."""
    actors: int = 2
    """Workers that ask; each takes its equal part of `limits`."""
    transport: TransportKind = TransportKind.openai
    """`openai`: the vendor's own client. `aiohttp`: lean, for servers one runs oneself (the same
    requests and answers at a fraction of the processor time)."""

    implementation = "mouse.models.api.openai_chat"
    paid = True

    def assumed_limits(self) -> Limits:
        return self.limits

    def problems(self) -> Iterator[str]:
        yield from at_least(
            1,
            ("model.actors", self.actors),
            ("model.limits.max_in_flight", self.limits.max_in_flight),
        )
        if self.limits.max_in_flight < self.actors:
            yield (
                f"model.limits.max_in_flight={self.limits.max_in_flight}: at least "
                f"model.actors={self.actors}"
            )

    @property
    def in_flight_per_actor(self) -> int:
        """An actor's part of `limits.max_in_flight`, rounded up."""
        return -(-self.limits.max_in_flight // self.actors)
