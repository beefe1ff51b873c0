"""Takes secrets out of everything that is stored, logged or shown.

Configurations hold the name of an environment variable, never its value; this is the second
line, for what users, servers and error messages put elsewhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, AnyStr

MASK = "***"

_VARIABLE = re.compile(r"(?:^|_)(?:key|token|secret|password|passwd|credentials?)$", re.I)
_OPTION = re.compile(r"(?:^|[._+-])(?:api[_-]?key|token|secret|password|authorization)$", re.I)
_ASSIGNED = re.compile(
    r"(?i)((?:api[_-]?key|access[_-]?token|auth[_-]?token|secret|password|authorization)"
    r"[\"']?\s*[=:]\s*[\"']?)(?!\*\*\*)(?:(?:bearer|basic)\s+)?([^\s\"',}\]]+)"
)
_SHAPED = re.compile(
    r"\b(?:(?:sk|pk|hf|ghp|gho|key)[-_][A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{16}|Bearer\s+[\w.~+/-]{12,}=*)"
)
_IN_URL = re.compile(r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)")
_SHORTEST = 8
"""A value of the environment shorter than this is not searched for: `1` is everywhere."""


def redact(text: str) -> str:
    """`text` with every secret replaced by `***`.

    Found are: values of environment variables whose names end in KEY, TOKEN, SECRET, PASSWORD or
    CREDENTIALS; `api_key=…` and its like; strings shaped like known keys; user:password in URLs.
    """
    for value in _values():
        text = text.replace(value, MASK)
    text = _IN_URL.sub(MASK, text)
    text = _SHAPED.sub(MASK, text)
    return _ASSIGNED.sub(lambda found: found.group(1) + MASK, text)


def redact_value(content: AnyStr, secret: str, name: str = "key") -> AnyStr:
    """Text or bytes with one known secret replaced by `[name]`; an empty secret is in nothing."""
    if not secret:
        return content
    if isinstance(content, bytes):
        return content.replace(secret.encode(), f"[{name}]".encode())
    return content.replace(secret, f"[{name}]")


def redact_options(text: str, options: Any) -> str:
    """`text` with the value of every variable of `named_variables` replaced by its `[NAME]`."""
    for variable, secret in named_variables(options).items():
        text = redact_value(text, secret, variable)
    return text


def named_variables(options: Any) -> dict[str, str]:
    """The environment variables that options called `…_env` name, as far as they are set.

    Options hold the names of secrets and never their values; nested options are looked through.
    """
    found: dict[str, str] = {}
    if is_dataclass(options):
        options = vars(options)
    if isinstance(options, Mapping):
        for option, value in options.items():
            if isinstance(value, str) and str(option).endswith("_env"):
                if os.environ.get(value):
                    found[value] = os.environ[value]
            else:
                found |= named_variables(value)
    elif isinstance(options, list | tuple):
        for value in options:
            found |= named_variables(value)
    return found


def holds_secret(argument: str) -> bool:
    """Whether an argument `key=value` sets a secret, or anything in it is shaped like one."""
    key, _, value = argument.partition("=")
    return bool(value and _OPTION.search(key)) or _SHAPED.search(argument) is not None


def _values() -> tuple[str, ...]:
    while True:
        try:
            return _secret_values(tuple(os.environ.items()))
        except (KeyError, RuntimeError):
            # Another thread (mlflow's telemetry, Ray) set or removed a variable meanwhile.
            continue


@cache
def _secret_values(items: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    found = {value for name, value in items if _VARIABLE.search(name) and len(value) >= _SHORTEST}
    # Longest first, so that a secret within another does not leave the other's rest behind.
    return tuple(sorted(found, key=lambda value: (-len(value), value)))
