"""Requests and completions as compact bytes: for the store (JSON) and for the way to an actor.

The store's form is a JSON array without field names, read back at well over 60,000 a second; a
field added to `Completion` goes to the end of the array, so that old rows stay readable. The
actor's form is a pickle that names each dataclass once: the pickle that Python makes of frozen
dataclasses costs five times as much. A driver and its actors run the same version.
"""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

import orjson

from mouse.contracts import Completion, CompletionError, Message, Request, Sampling, Usage

_stored = attrgetter(
    *(f.name for f in fields(Completion) if f.name not in ("request_key", "error"))
)
_values = {
    kind: attrgetter(*(f.name for f in fields(kind)))
    for kind in (Completion, CompletionError, Message, Request, Sampling, Usage)
}
"""Dataclass → the values of its fields, in the order in which its constructor takes them."""


def encode_completion(completion: Completion) -> bytes:
    """An answer as bytes, without its key (the store's primary key holds it).

    Raises:
        ValueError: the completion is an error, which is not an answer.
    """
    if completion.error is not None:
        raise ValueError("An error is not an answer and is not stored.")
    row = _stored(completion)
    try:
        return orjson.dumps(row, _as_json, orjson.OPT_PASSTHROUGH_DATACLASS)
    except TypeError:
        # Lone surrogates from a broken server: kept as they came, as JSON escapes.
        return json.dumps(row, default=_as_json).encode()


def decode_completion(key: str, body: bytes) -> Completion:
    """The reverse of `encode_completion`.

    Raises:
        ValueError, TypeError: the bytes are not an encoded completion.
    """
    try:
        row = orjson.loads(body)
    except orjson.JSONDecodeError:
        row = json.loads(body)
    text, reasoning, finish_reason, logprobs, usage, latency_s, model, attempts = row
    if logprobs is not None:
        logprobs = tuple(logprobs)
    if usage is not None:
        usage = Usage(*usage)
    return Completion(
        key, text, reasoning, finish_reason, logprobs, usage, latency_s, model, attempts
    )


def pack(messages: Sequence[Request] | Sequence[Completion]) -> bytes:
    """Requests for an actor, or its completions (errors included) on their way back."""
    packed = io.BytesIO()
    _Pickler(packed, pickle.HIGHEST_PROTOCOL).dump(list(messages))
    return packed.getvalue()


def unpack(packed: bytes) -> list[Any]:
    """The reverse of `pack`."""
    return pickle.loads(packed)  # type: ignore[no-any-return]


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if kind in _values:
            return kind, _values[kind](value)
        return (dict, (dict(value),)) if isinstance(value, Mapping) else NotImplemented


def _as_json(value: Any) -> Any:
    return _values[Usage](value) if isinstance(value, Usage) else dict(value)
