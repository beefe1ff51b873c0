"""Makes a report's values such that JSON can hold them."""

from __future__ import annotations

from typing import Any


def without_nan(value: Any) -> Any:
    """The same value with None for NaN and lists for tuples, however deep they stand."""
    if isinstance(value, dict):
        return {key: without_nan(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(part) for part in value]
    return None if isinstance(value, float) and value != value else value
