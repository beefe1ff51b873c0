"""Takes secrets out of everything that is written to the tracker.

Configurations hold the name of an environment variable, never its value; this is the second
line, for what users and error messages put elsewhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache

MASK = "***"

_SECRET_NAME = re.compile(r"(?:^|_)(?:key|token|secret|password|passwd|credentials?)$", re.I)
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


def scrub(text: str, environment: Mapping[str, str] | None = None) -> str:
    """`text` with every secret replaced by `***`.

    Found are: values of environment variables whose names end in KEY, TOKEN, SECRET, PASSWORD or
    CREDENTIALS; `api_key=…` and its like; strings shaped like known keys; user:password in URLs.
    """
    for value in _values(environment):
        text = text.replace(value, MASK)
    text = _IN_URL.sub(MASK, text)
    text = _SHAPED.sub(MASK, text)
    return _ASSIGNED.sub(lambda found: found.group(1) + MASK, text)


def _values(environment: Mapping[str, str] | None) -> tuple[str, ...]:
    if environment is not None:
        return _secret_values(tuple(environment.items()))
    while True:
        try:
            return _secret_values(tuple(os.environ.items()))
        except (KeyError, RuntimeError):
            # Another thread (mlflow's telemetry, Ray) set or removed a variable meanwhile.
            continue


@cache
def _secret_values(items: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    found = {
        value for name, value in items if _SECRET_NAME.search(name) and len(value) >= _SHORTEST
    }
    # Longest first, so that a secret within another does not leave the other's rest behind.
    return tuple(sorted(found, key=lambda value: (-len(value), value)))
