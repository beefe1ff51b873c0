"""The key under which an answer is stored: SHA-256 of everything that decides what is answered.

That is the model's identity, the messages as rendered, the sampling parameters sent, the
constraint on the decoder and the repeat index; never a secret, the concurrency, a price or a
path. Two requests share a key exactly when one answer may stand for both.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from mouse.contracts import Request, Sampling


def key_function(identity: Mapping[str, Any], *, by_item: bool = False) -> Callable[[Request], str]:
    """A function from a request to the 64 hexadecimal digits that name it as asked of one model.

    The identity is rendered once (about 5 µs a request). The order of its keys does not matter;
    the order of properties in `json_schema` does, because a constrained decoder writes them in
    that order. An integer temperature equals the same float. `by_item`: the item, task and variant
    go into the key as well, for a backend whose answer depends on them and not on the prompt alone
    (`BackendSpec.cacheable` is False).

    Raises (the function too):
        ValueError: a NaN or infinite number, a key that is not a string, or a value JSON lacks.
    """
    prefix = _json(identity, "identity", orjson.OPT_SORT_KEYS)
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
            document["json_schema"] = _json(request.json_schema, "json_schema").decode()
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


def _json(value: Mapping[str, Any], where: str, option: int = 0) -> bytes:
    try:
        return orjson.dumps(_plain(value, where), option=option)
    except TypeError as error:
        raise ValueError(f"{where} cannot be written as JSON: {error}.") from error


def _plain(value: Any, where: str) -> Any:
    """Mappings of any kind (MappingProxyType, DictConfig) as dicts, since orjson knows only those.

    NaN is refused: orjson writes it as null, so that two different settings would share a key.
    """
    if isinstance(value, float):
        _finite(value, where)
    if isinstance(value, Mapping):
        return {key: _plain(member, f"{where}.{key}") for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member, f"{where}.{index}") for index, member in enumerate(value)]
    return value


def _with_surrogates(document: dict[str, Any], identity: bytes) -> bytes:
    """The same document in ASCII: orjson refuses the lone surrogates that broken input holds."""
    try:
        return json.dumps(
            {**document, "identity": json.loads(identity)}, sort_keys=True, allow_nan=False
        ).encode()
    except TypeError as error:
        raise ValueError(f"The request cannot be written as JSON: {error}.") from error
