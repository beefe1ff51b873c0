"""Requests and completions as compact bytes: for the store (JSON) and for the way to an actor.

The store's form is a JSON array without field names, read back at well over 60,000 a second; a
field added to `Completion` goes to the end of the array, so that old rows stay readable. The
actor's form is a pickle of plain tuples: pickling the frozen dataclasses themselves costs five
times as much, and a driver and its actors run the same version.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from typing import Any

import orjson

from mouse.contracts import (
    Completion,
    CompletionError,
    Message,
    Request,
    Sampling,
    Usage,
)


def encode_completion(completion: Completion) -> bytes:
    """An answer as bytes, without its key (the store's primary key holds it).

    Raises:
        ValueError: the completion is an error, which is not an answer.
    """
    if completion.error is not None:
        raise ValueError("An error is not an answer and is not stored.")
    usage = completion.usage
    body = [
        completion.text,
        completion.reasoning,
        completion.finish_reason,
        completion.logprobs,
        usage and _usage_row(usage),
        completion.latency_s,
        completion.model_reported,
        completion.attempts,
    ]
    try:
        return orjson.dumps(body)
    except TypeError:
        # Lone surrogates from a broken server: kept as they came, as JSON escapes.
        return json.dumps(body, default=dict).encode()


def decode_completion(key: str, body: bytes) -> Completion:
    """The reverse of `encode_completion`.

    Raises:
        ValueError, TypeError: the bytes are not an encoded completion.
    """
    try:
        row = orjson.loads(body)
    except orjson.JSONDecodeError:
        row = json.loads(body)
    text, reasoning, finish_reason, logprobs, usage, latency_s, model_reported, attempts = row
    return Completion(
        key,
        text,
        reasoning,
        finish_reason,
        tuple(logprobs) if logprobs is not None else None,
        Usage(*usage) if usage is not None else None,
        latency_s,
        model_reported,
        attempts,
    )


def pack_requests(requests: Sequence[Request]) -> bytes:
    """Requests for an actor."""
    return pickle.dumps(
        [
            (
                request.key,
                request.item_id,
                request.task,
                request.variant,
                request.repeat,
                [(message.role, message.content) for message in request.messages],
                _sampling_row(request.sampling),
                request.choices,
                None if request.json_schema is None else dict(request.json_schema),
                request.steps,
                dict(request.payload),
            )
            for request in requests
        ],
        protocol=pickle.HIGHEST_PROTOCOL,
    )


def unpack_requests(data: bytes) -> list[Request]:
    """The reverse of `pack_requests`."""
    return [
        Request(
            key,
            item_id,
            task,
            variant,
            repeat,
            tuple(Message(role, content) for role, content in messages),
            Sampling(*sampling),
            choices,
            json_schema,
            steps,
            payload,
        )
        for (
            key,
            item_id,
            task,
            variant,
            repeat,
            messages,
            sampling,
            choices,
            json_schema,
            steps,
            payload,
        ) in pickle.loads(data)
    ]


def pack_completions(completions: Sequence[Completion]) -> bytes:
    """Completions, errors included, on their way back from an actor."""
    return pickle.dumps(
        [
            (
                c.request_key,
                c.text,
                c.reasoning,
                c.finish_reason,
                c.logprobs,
                c.usage and _usage_row(c.usage),
                c.latency_s,
                c.model_reported,
                c.attempts,
                c.error and (c.error.kind, c.error.message, c.error.status, c.error.fatal),
            )
            for c in completions
        ],
        protocol=pickle.HIGHEST_PROTOCOL,
    )


def unpack_completions(data: bytes) -> list[Completion]:
    """The reverse of `pack_completions`."""
    return [
        Completion(
            key,
            text,
            reasoning,
            finish_reason,
            logprobs,
            Usage(*usage) if usage is not None else None,
            latency_s,
            model_reported,
            attempts,
            CompletionError(*error) if error is not None else None,
        )
        for (
            key,
            text,
            reasoning,
            finish_reason,
            logprobs,
            usage,
            latency_s,
            model_reported,
            attempts,
            error,
        ) in pickle.loads(data)
    ]


def _usage_row(usage: Usage) -> tuple[Any, ...]:
    return (
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.reasoning_tokens,
        usage.cached_tokens,
        usage.estimated,
    )


def _sampling_row(sampling: Sampling) -> tuple[Any, ...]:
    return (
        sampling.temperature,
        sampling.max_tokens,
        sampling.top_p,
        sampling.seed,
        sampling.logprobs,
    )
