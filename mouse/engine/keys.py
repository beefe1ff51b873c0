"""The key under which an answer is stored: SHA-256 of everything that decides what is answered.

That is the model's identity, the messages as rendered, the sampling parameters sent, the
constraint on the decoder and the repeat index; never a secret, the concurrency, a price or a
path. Two requests share a key exactly when one answer may stand for both.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import orjson

from mouse.contracts import Request, Sampling


def request_key(identity: Mapping[str, Any], request: Request) -> str:
    """The 64 hexadecimal digits that name `request` as asked of the model `identity`.

    The order of keys in `identity` does not matter; the order of properties in `json_schema`
    does, because a constrained decoder writes them in that order. An integer temperature equals
    the same float.

    Raises:
        ValueError: a NaN or infinite number, a key that is not a string, or a value JSON lacks.
    """
    return key_function(identity)(request)


def with_key(request: Request, identity: Mapping[str, Any]) -> Request:
    """`request` with its `key` filled in; raises as `request_key` does."""
    return replace(request, key=request_key(identity, request))


def key_function(identity: Mapping[str, Any], *, by_item: bool = False) -> Callable[[Request], str]:
    """`request_key` for one model, with the identity rendered once (about 5 µs a request).

    `by_item`: the item, task and variant go into the key as well, for a backend whose answer
    depends on them and not on the prompt alone (`BackendSpec.cacheable` is False).
    """
    prefix = _canonical(identity, "identity")
    fragment = orjson.Fragment(prefix)

    def key(request: Request) -> str:
        document: dict[str, Any] = {
            "identity": fragment,
            "messages": [(message.role, message.content) for message in request.messages],
            "repeat": request.repeat,
            "sampling": _sent(request.sampling),
        }
        if request.choices:
            document["choices"] = request.choices
        if request.json_schema is not None:
            document["json_schema"] = _schema(request.json_schema)
        if by_item:
            document["item"] = (request.item_id, request.task, request.variant)
        try:
            rendered = orjson.dumps(document, option=orjson.OPT_SORT_KEYS)
        except TypeError:
            rendered = _with_surrogates(document, prefix)
        return hashlib.sha256(rendered).hexdigest()

    return key


def _sent(sampling: Sampling) -> dict[str, float | int]:
    """The parameters that are sent; None means the server's own default and is left out."""
    sent: dict[str, float | int] = {
        "temperature": _finite(sampling.temperature, "temperature"),
        "max_tokens": sampling.max_tokens,
    }
    if sampling.top_p is not None:
        sent["top_p"] = _finite(sampling.top_p, "top_p")
    if sampling.seed is not None:
        sent["seed"] = sampling.seed
    if sampling.logprobs is not None:
        sent["logprobs"] = sampling.logprobs
    return sent


def _finite(value: float, name: str) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{name} is {value}, which has no place in a request key.")
    return value + 0.0  # 0 and -0.0 become 0.0


def _canonical(value: Mapping[str, Any], where: str) -> bytes:
    _refuse_nan(value, where)
    try:
        return orjson.dumps(_plain(value), option=orjson.OPT_SORT_KEYS)
    except TypeError as error:
        raise ValueError(f"{where} cannot be written as JSON: {error}.") from error


def _schema(schema: Mapping[str, Any]) -> str:
    _refuse_nan(schema, "json_schema")
    try:
        return orjson.dumps(_plain(schema)).decode()
    except TypeError as error:
        raise ValueError(f"json_schema cannot be written as JSON: {error}.") from error


def _plain(value: Any) -> Any:
    """Mappings of other kinds (MappingProxyType, DictConfig) as dicts; orjson knows only those."""
    if isinstance(value, Mapping):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value


def _refuse_nan(value: Any, where: str) -> None:
    """orjson writes NaN as null, under which two different settings would share a key."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where} is {value}, which has no place in a request key.")
    members: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, Mapping):
        members = value.items()
    elif isinstance(value, list | tuple):
        members = enumerate(value)
    for name, member in members:
        _refuse_nan(member, f"{where}.{name}")


def _with_surrogates(document: dict[str, Any], identity: bytes) -> bytes:
    """The same document in ASCII: orjson refuses the lone surrogates that broken input holds."""
    try:
        return json.dumps(
            {**document, "identity": json.loads(identity)}, sort_keys=True, allow_nan=False
        ).encode()
    except TypeError as error:
        raise ValueError(f"The request cannot be written as JSON: {error}.") from error
