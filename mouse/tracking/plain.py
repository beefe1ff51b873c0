"""Configurations as plain data, as YAML, and flattened to what MLflow takes as parameters."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

MAX_PARAM = 6000
MAX_TAG = 8000
MAX_KEY = 250
_SHORTENED = " … (shortened; all of it in config/config.yaml)"
_FORBIDDEN = re.compile(r"[^\w\-. :/]")


def plain(value: Any) -> Any:
    """Dataclasses, enums, tuples and mappings as dicts, strings and lists."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(entry) for entry in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def to_yaml(config: Any) -> str:
    """A configuration as YAML that Hydra can read again; keys in the schema's order."""
    import yaml

    return yaml.safe_dump(plain(config), allow_unicode=True, sort_keys=False)


def flatten(config: Any) -> dict[str, str]:
    """`{"model.name": "lexicon", …}`: every leaf that says something, within MLflow's limits.

    What is unset (None, empty) is left out: the configuration file has it. Lists stay one value.
    """
    flat: dict[str, str] = {}

    def walk(prefix: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, entry in value.items():
                walk(f"{prefix}.{key}" if prefix else key, entry)
        elif value is not None and value != []:
            text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
            flat[name(prefix)] = shorten(text, MAX_PARAM)

    walk("", plain(config))
    return flat


def name(text: str) -> str:
    """`text` as a key that MLflow accepts: others than letters, digits and `_-. :/` become `_`."""
    return _FORBIDDEN.sub("_", text)[:MAX_KEY]


def shorten(text: str, limit: int) -> str:
    """`text` cut to `limit` characters with a remark where it was longer."""
    return text if len(text) <= limit else text[: limit - len(_SHORTENED)] + _SHORTENED
