"""One attempt: bytes out, and a completion or the reason why there is none. Asks exactly once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson

from mouse.contracts import Completion, Request
from mouse.models.api.parse import likeliest_choice, parse_completion
from mouse.models.api.retry import Failure, classify_status
from mouse.models.api.transport import Reply, Transport, TransportError
from mouse.text.redaction import redact_value


async def attempt(
    transport: Transport,
    sent: bytes,
    request: Request,
    *,
    by_logprob: bool,
    secret: str,
    clock: Callable[[], float],
    number: int = 1,
    prompt_length: int = 0,
) -> Completion | Failure:
    """Send the body and read the reply. `number` counts the attempts; `secret` is kept out of
    messages; `by_logprob` takes the likeliest of `request.choices` for the answer."""
    started = clock()
    try:
        reply = await transport.post(sent)
    except TransportError as error:
        return Failure(error.kind, redact_value(str(error), secret), retry=True)
    # Whatever a server says with the key in it, an answer included, goes on without.
    reply = replace(reply, body=redact_value(reply.body, secret))
    result: Completion | Failure
    if reply.status != 200:
        result = classify_status(reply.status, _loads(reply), reply.headers)
    else:
        result = parse_completion(
            _loads(reply),
            request_key=request.key,
            attempts=number,
            latency_s=clock() - started,
            prompt_length=prompt_length,
        )
    if isinstance(result, Failure):
        return replace(result, message=redact_value(result.message, secret))
    return chosen(result, request) if by_logprob else result


def chosen(result: Completion, request: Request) -> Completion | Failure:
    """`result` with the likeliest of the request's choices for its text."""
    if result.logprobs is None:
        return Failure(
            "bad_request",
            "The server gave no log-probabilities, which model.structured=logprobs needs: use "
            "another model.structured, or task.decoding=free.",
            200,
            fatal=True,
        )
    best = likeliest_choice(result.logprobs, request.choices)
    if best is None:
        return result
    label, scores = best
    token = {"token": label, "logprob": scores[label], "top": scores}
    return replace(result, text=label, finish_reason="stop", logprobs=(token,))


def _loads(reply: Reply) -> Any:
    try:
        return orjson.loads(reply.body)
    except orjson.JSONDecodeError:
        return None if reply.status == 200 else reply.body[:300].decode("utf-8", "replace")
