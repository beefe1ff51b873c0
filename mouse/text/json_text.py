"""Values and strings such that JSON and UTF-8 can hold them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any


def finite(value: Any) -> Any:
    """The same value with None for NaN (pandas' missing cells) and infinities, lists for tuples."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite(entry) for entry in value]
    return value


def to_json(value: Any, indent: int | None = None) -> str:
    """JSON proper: NaN and infinities, which JSON lacks, become null; Chinese stays readable."""
    return json.dumps(finite(value), ensure_ascii=False, allow_nan=False, indent=indent)


def to_jsonl(rows: Iterable[Any]) -> str:
    """The rows as JSON, one a line."""
    return "".join(to_json(row) + "\n" for row in rows)


def utf8(text: str | None) -> str | None:
    r"""`text` with lone surrogates, which a model's JSON can hold, written out as `\udXXX`."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
