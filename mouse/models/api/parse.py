"""What came back: the JSON of one chat completion → completion, or why it holds none. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mouse.contracts import Completion, Usage
from mouse.models.api.body import estimated_tokens
from mouse.models.api.retry import Failure, classify_status, error_fields

_FINISH = {
    "stop": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
    "safety": "content_filter",
    "refusal": "refusal",
    "model_context_window_exceeded": "context_length",
}
"""Vendors' finish reasons in OpenAI's words; any other (`tool_calls`, `eos`, none) is `stop`."""

_INTERRUPTED = frozenset({"insufficient_system_resource", "network_error", "error", "abort"})
"""Finish reasons that say that the server, not the model, stopped."""


def parse_completion(
    payload: object, *, request_key: str, attempts: int, latency_s: float, prompt_length: int = 0
) -> Completion | Failure:
    """Read the decoded body of a 200 answer; a `Failure` where it holds no completion.

    `prompt_length`: characters of the prompt, for an estimate where the server counts no tokens.
    """
    if not isinstance(payload, dict):
        return _broken("is not a JSON object")
    if payload.get("error"):
        return _error_in_200(payload)
    choices = payload.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return _broken("holds no choices")
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        return _broken("holds no message")
    given = str(choice.get("finish_reason") or "stop").lower()
    if given in _INTERRUPTED:
        return _broken(f"was interrupted ({given})")
    text, thought = _content(message.get("content"))
    reasoning = message.get("reasoning_content") or message.get("reasoning") or thought
    finish = _FINISH.get(given, "stop")
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal and not text:
        text, finish = refusal, "refusal"
    elif finish == "refusal" and not text:
        text = refusal if isinstance(refusal, str) else ""
    return Completion(
        request_key=request_key,
        text=text if text is not None else "",
        reasoning=reasoning if isinstance(reasoning, str) and reasoning else None,
        finish_reason=finish,
        logprobs=_logprobs(choice.get("logprobs")),
        usage=_usage(payload.get("usage"), prompt_length, len(text or "")),
        latency_s=latency_s,
        model_reported=str(payload["model"]) if payload.get("model") else None,
        attempts=attempts,
    )


def likeliest_choice(
    tokens: Sequence[Mapping[str, Any]] | None, choices: Sequence[str]
) -> tuple[str, dict[str, float]] | None:
    """The label with the most probability at the first token that is not blank.

    Returns it with the log-probability of every label that the alternatives reach; None where
    there are no log-probabilities or none of them begins a label. A token counts for a label
    that it is, or of which it is the beginning and of no other.
    """
    for token in tokens or ():
        alternatives = dict(token.get("top") or {})
        alternatives.setdefault(str(token["token"]), float(token["logprob"]))
        if not str(token["token"]).strip():
            continue
        mass: dict[str, float] = {}
        for piece, logprob in alternatives.items():
            label = _label_begun_by(str(piece).strip(), choices)
            if label is not None:
                mass[label] = mass.get(label, 0.0) + math.exp(logprob)
        if not mass:
            return None
        scores = {label: math.log(min(1.0, p)) if p > 0 else -math.inf for label, p in mass.items()}
        return max(scores, key=lambda label: scores[label]), scores
    return None


def _label_begun_by(piece: str, choices: Sequence[str]) -> str | None:
    if piece in choices:
        return piece
    begun = [label for label in choices if piece and label.startswith(piece)]
    return begun[0] if len(begun) == 1 else None


def _broken(what: str) -> Failure:
    return Failure("server", f"The server answered 200, but the body {what}.", 200, retry=True)


def _error_in_200(payload: Mapping[str, Any]) -> Failure:
    # Gateways wrap the upstream's error, with its status as code, in a 200.
    error = payload["error"]
    code = error.get("code") if isinstance(error, dict) else None
    status = int(str(code)) if str(code).isdecimal() else 0
    if 400 <= status < 600:
        return classify_status(status, payload, {})
    message, _, _ = error_fields(payload)
    return _broken(f"is an error: {message[:300]}")


def _content(content: object) -> tuple[str | None, str | None]:
    """Text and reasoning of a message's content, which some vendors give in parts."""
    if content is None or isinstance(content, str):
        return content, None
    if not isinstance(content, list):
        return str(content), None
    text, thought = [], []
    for part in content:
        if isinstance(part, str):
            text.append(part)
        elif isinstance(part, dict) and part.get("type") == "thinking":
            thought.append(_content(part.get("thinking"))[0] or "")
        elif isinstance(part, dict):
            text.append(str(part.get("text") or ""))
    return "".join(text), "".join(thought) or None


def _logprobs(logprobs: object) -> tuple[Mapping[str, Any], ...] | None:
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    tokens = [token for token in _list(content) if isinstance(token, dict)]
    if not tokens:
        return None
    return tuple(
        {
            "token": str(token.get("token", "")),
            "logprob": _number(token.get("logprob")),
            "top": {
                str(other.get("token", "")): _number(other.get("logprob"))
                for other in _list(token.get("top_logprobs"))
                if isinstance(other, dict)
            },
        }
        for token in tokens
    )


def _usage(usage: object, prompt_length: int, text_length: int) -> Usage:
    if not isinstance(usage, dict) or not isinstance(usage.get("prompt_tokens"), int):
        return Usage(estimated_tokens(prompt_length), estimated_tokens(text_length), estimated=True)
    spent, read = usage.get("completion_tokens_details"), usage.get("prompt_tokens_details")
    cached = read.get("cached_tokens") if isinstance(read, dict) else None
    return Usage(
        prompt_tokens=usage["prompt_tokens"],
        completion_tokens=int(_number(usage.get("completion_tokens"))),
        reasoning_tokens=(
            int(_number(spent.get("reasoning_tokens"))) if isinstance(spent, dict) else 0
        ),
        cached_tokens=int(_number(cached or usage.get("prompt_cache_hit_tokens"))),
    )


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else 0.0
