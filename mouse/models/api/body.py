"""What is sent for one request: the JSON body of `POST /chat/completions` in a vendor's dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mouse.contracts import Request

STRUCTURED = (
    "json_schema",
    "json_object",
    "structured_outputs",
    "guided_choice",
    "logprobs",
    "none",
)
"""Ways to hold an answer to labels: OpenAI's and DeepSeek's `response_format`, vLLM's present and
former extra parameters, choice by the log-probability of the first token, or not at all."""

LOGPROB_CHOICE_TOKENS = 4
"""Output tokens of a choice by log-probability: the label's first, after white space if any."""

_TOP_LOGPROBS = 20
_SAMPLING = frozenset({"temperature", "max_tokens", "top_p", "seed", "logprobs"})


class CannotConstrain(Exception):
    """The dialect has no way to hold an answer as the request asks; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a vendor wants to be asked.

    `token_param`: the name of the output limit. `drop_params`: parameters never sent. `params`:
    sampling parameters beyond `Sampling`, sent as they are. `extra_body`: vendor switches, set
    last so that they win; None takes a parameter out. `structured`: one of `STRUCTURED`.
    """

    model: str
    token_param: str = "max_tokens"
    drop_params: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    structured: str = "json_schema"

    def body(self, request: Request) -> dict[str, Any]:
        """The body for this request; raises `CannotConstrain`."""
        sampling = request.sampling
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": message.role, "content": message.content} for message in request.messages
            ],
            "temperature": sampling.temperature,
            self.token_param: sampling.max_tokens,
        }
        if sampling.top_p is not None:
            body["top_p"] = sampling.top_p
        if sampling.seed is not None:
            body["seed"] = sampling.seed
        if sampling.logprobs is not None:
            body["logprobs"] = True
            body["top_logprobs"] = sampling.logprobs
        body.update((name, value) for name, value in self.params.items() if name not in _SAMPLING)
        if request.choices:
            body.update(self._choice(request.choices))
        elif request.json_schema is not None:
            body.update(self._json(request.json_schema))
        for name in self.drop_params:
            body.pop(name, None)
        body.update(self.extra_body)
        return {name: value for name, value in body.items() if value is not None}

    def chooses_by_logprob(self, request: Request) -> bool:
        """Whether the answer is the likeliest label and not the text that comes back."""
        return bool(request.choices) and self.structured == "logprobs"

    def _choice(self, choices: Sequence[str]) -> dict[str, Any]:
        match self.structured:
            case "json_schema":
                return self._json(choice_schema(choices))
            case "structured_outputs":
                return {"structured_outputs": {"choice": list(choices)}}
            case "guided_choice":
                return {"guided_choice": list(choices)}
            case "logprobs":
                return {
                    self.token_param: LOGPROB_CHOICE_TOKENS,
                    "logprobs": True,
                    "top_logprobs": _TOP_LOGPROBS,
                }
        raise CannotConstrain(
            f"model.structured={self.structured} cannot hold an answer to given choices: use "
            "task.decoding=json or free, or model.structured=logprobs where the server has them."
        )

    def _json(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        match self.structured:
            case "json_schema":
                named = {"name": "answer", "strict": True, "schema": dict(schema)}
                return {"response_format": {"type": "json_schema", "json_schema": named}}
            case "json_object":
                return {"response_format": {"type": "json_object"}}
            case "structured_outputs":
                return {"structured_outputs": {"json": dict(schema)}}
            case "guided_choice":
                return {"guided_json": dict(schema)}
        raise CannotConstrain(
            f"model.structured={self.structured} cannot hold an answer to a JSON schema: use "
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
