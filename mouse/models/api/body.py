"""What is sent for one request: the JSON body of `POST /chat/completions` as a vendor wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mouse.contracts import Request
from mouse.models.api.config import OpenAIChatConfig, Structured

LOGPROB_CHOICE_TOKENS = 4
"""Output tokens of a choice by log-probability: the label's first, after white space if any."""

_TOP_LOGPROBS = 20
_SAMPLING = frozenset({"temperature", "max_tokens", "top_p", "seed", "logprobs"})


class CannotConstrain(Exception):
    """The server cannot be asked to hold an answer so; the message says what to do."""


def request_body(config: OpenAIChatConfig, request: Request) -> dict[str, Any]:
    """The body for this request; raises `CannotConstrain`.

    What `config.request_extras()` says comes last and wins; a None there takes a parameter out.
    """
    sampling = request.sampling
    body: dict[str, Any] = {
        "model": config.id,
        "messages": [
            {"role": message.role, "content": message.content} for message in request.messages
        ],
        "temperature": sampling.temperature,
        config.token_param: sampling.max_tokens,
    }
    if sampling.top_p is not None:
        body["top_p"] = sampling.top_p
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if sampling.logprobs is not None:
        body["logprobs"] = True
        body["top_logprobs"] = sampling.logprobs
    body.update((name, value) for name, value in config.params.items() if name not in _SAMPLING)
    if request.choices:
        body.update(_choice(config, request.choices))
    elif request.json_schema is not None:
        body.update(_json(config.structured, request.json_schema))
    for name in config.drop_params:
        body.pop(name, None)
    body.update(config.request_extras())
    return {name: value for name, value in body.items() if value is not None}


def chooses_by_logprob(config: OpenAIChatConfig, request: Request) -> bool:
    """Whether the answer is the likeliest label and not the text that comes back."""
    return bool(request.choices) and config.structured is Structured.logprobs


def _choice(config: OpenAIChatConfig, choices: Sequence[str]) -> dict[str, Any]:
    match config.structured:
        case Structured.json_schema:
            return _json(config.structured, choice_schema(choices))
        case Structured.structured_outputs:
            return {"structured_outputs": {"choice": list(choices)}}
        case Structured.guided_choice:
            return {"guided_choice": list(choices)}
        case Structured.logprobs:
            return {
                config.token_param: LOGPROB_CHOICE_TOKENS,
                "logprobs": True,
                "top_logprobs": _TOP_LOGPROBS,
            }
    raise CannotConstrain(
        f"model.structured={config.structured} cannot hold an answer to given choices: use "
        "task.decoding=json or free, or model.structured=logprobs where the server has them."
    )


def _json(structured: Structured, schema: Mapping[str, Any]) -> dict[str, Any]:
    match structured:
        case Structured.json_schema:
            named = {"name": "answer", "strict": True, "schema": dict(schema)}
            return {"response_format": {"type": "json_schema", "json_schema": named}}
        case Structured.json_object:
            return {"response_format": {"type": "json_object"}}
        case Structured.structured_outputs:
            return {"structured_outputs": {"json": dict(schema)}}
        case Structured.guided_choice:
            return {"guided_json": dict(schema)}
    raise CannotConstrain(
        f"model.structured={structured} cannot hold an answer to a JSON schema: use "
        "task.decoding=free or choice, or another model.structured."
    )


def choice_schema(choices: Sequence[str]) -> dict[str, Any]:
    """JSON schema of `{"answer": one of the choices}`."""
    return {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": list(choices)}},
        "required": ["answer"],
        "additionalProperties": False,
    }


def estimated_tokens(text_length: int) -> int:
    """Tokens of that many characters, roughly: Chinese has about one token for 1.5 characters."""
    return int(text_length / 1.5) + 4
