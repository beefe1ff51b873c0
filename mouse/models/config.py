"""What the configuration of every model says; each backend's own dataclass adds its options.

The YAML files of `conf/model/` name their backend in the defaults list
(`defaults: [backend@_here_: openai_chat]`), which is how Hydra knows the dataclass to check against.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from mouse.errors import UserError


class Thinking(StrEnum):
    """Whether a reasoning model may think first.

    `off` is this project's own choice: with 128 output tokens a model that thinks has no room for
    an answer. The paper names temperature and token limit and leaves all else at its default,
    which is `default`: no switch is sent, the vendor or the chat template decides.
    """

    off = "off"
    on = "on"
    default = "default"


@dataclass
class Limits:
    """How fast a server may be asked; None where the vendor's limit is not known."""

    requests_per_minute: float | None = None
    """Requests a minute; None: the rate that the server bears is found by trying."""
    tokens_per_minute: float | None = None
    """Prompt and output tokens a minute, as estimated from the prompt; None for no limit."""
    max_in_flight: int = 64
    """Requests that may be with the server at once, all actors together."""
    timeout_s: float = 120.0
    """Seconds until one attempt without a complete answer is given up."""


@dataclass
class Price:
    """US dollars per million tokens."""

    input: float | None = None
    """Of the prompt; None where it is not known (no cost is shown then, `budget.usd` is refused)."""
    output: float | None = None
    """Of the completion, reasoning included; None where it is not known."""
    cached_input: float | None = None
    """Of prompt tokens served from the vendor's cache; None: as `input`."""
    batch_discount: float = 0.5
    """Share that the vendor takes off in batch mode (`engine.mode=batch`)."""
    date: str | None = None
    """The day on which the prices were looked up."""


@dataclass
class ModelConfig:
    """One model: who it is and what it is asked with."""

    name: str = "???"
    """How tables and MLflow name the model."""
    backend: str = "???"
    """Which backend answers; set by the backend's own dataclass."""
    id: str | None = None
    """The model as its server, hub or folder calls it."""
    revision: str | None = None
    """The model's version: for a vendor its date, on the Hugging Face hub a branch or commit."""
    family: str | None = None
    """Maker's line (`qwen`, `mistral`): a judge of the same family is flagged."""
    published: str | None = None
    """The model's name in data/published, for the paper's row."""
    parameters_b: float | None = None
    """Parameters in billions, for the scale figure; None where the vendor does not say."""
    source: str | None = None
    """Where the model is described (a URL); recorded with the run."""
    params: dict[str, Any] = field(default_factory=lambda: {"temperature": 0.0, "max_tokens": 128})
    """Sampling: `temperature`, `max_tokens`, `top_p`, `seed`, `logprobs`."""
    thinking: Thinking = Thinking.off
    """Whether a reasoning model may think first: `off`, `on`, or `default` (no switch is sent)."""
    thinking_max_tokens: int = 4096
    """Output tokens with `thinking=on`, which raises `params.max_tokens`."""
    price: Price = field(default_factory=Price)
    """What tokens cost."""

    implementation: ClassVar[str] = ""
    """Module with the backend's `spec` (see `mouse.models.base`); empty: that of the dataclass."""
    paid: ClassVar[bool] = False
    """Whether tokens of this backend cost money."""

    def request_extras(self) -> dict[str, Any]:
        """Vendor's parameters that each request has beyond sampling, with the thinking switch."""
        return {}

    def assumed_limits(self) -> Limits:
        """The limits that an estimate of the run's duration reckons with."""
        return Limits()

    def problems(self) -> Iterator[str]:
        """What is wrong with the values: `model.actors=0: at least 1`."""
        return iter(())

    def check(self) -> None:
        """Raise `UserError` with all `problems`."""
        refuse(self.problems())


@dataclass
class ChatModelConfig(ModelConfig):
    """A model that reads prompts, behind a server or in this cluster."""

    extra_body: dict[str, Any] = field(default_factory=dict)
    """Parameters of the vendor or of vLLM, in every request; null takes one out of the request."""
    thinking_off_body: dict[str, Any] = field(default_factory=dict)
    """Added to `extra_body` with `thinking=off`; `thinking=default` adds neither of the two."""
    thinking_extra_body: dict[str, Any] = field(default_factory=dict)
    """Added to `extra_body` with `thinking=on`."""

    def request_extras(self) -> dict[str, Any]:
        switches = {
            Thinking.off: self.thinking_off_body,
            Thinking.on: self.thinking_extra_body,
            Thinking.default: {},
        }
        return {**self.extra_body, **switches[self.thinking]}


def at_least(least: float, *named: tuple[str, float | None]) -> Iterator[str]:
    """A sentence for each (key, value) below `least`; None is no value."""
    for key, value in named:
        if value is not None and value < least:
            yield f"{key}={value}: at least {least}"


def refuse(problems: Iterable[str]) -> None:
    """Raise `UserError` where there is a problem, with all of them."""
    if wrong := list(problems):
        raise UserError(f"this configuration cannot be run: {'; '.join(wrong)} is needed.")
