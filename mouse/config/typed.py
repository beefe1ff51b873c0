"""Values as people type them on a command line, and the mappings that typed entries make up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?", re.ASCII)
_WORDS = {"true": True, "false": False, "null": None}


def read_typed(text: str) -> Any:
    """The value that a text stands for: a list or mapping in brackets, a number, true, false, null.

    Anything else is the text itself; `off`, `no`, dates and `007` are no values of another kind,
    as they are in YAML. Keys of a mapping are always text. The blank after a colon may be left out.
    """
    bare = text.strip()
    if bare[:1] not in ("[", "{", '"', "'"):
        return _scalar(bare)
    import yaml

    try:
        return _values(yaml.load(bare, Loader=yaml.BaseLoader))
    except yaml.YAMLError:
        return bare


def typed_mapping(kind: str, entries: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """One mapping of (key, value) entries, in their order; an empty key gives a whole mapping.

    `kind` is `labels`, whose keys may be `FIELD.WORD`, or another mapping of a data set's, whose
    keys are headers and may have dots of their own. Raises `ValueError` where a whole is none.
    """
    found: dict[str, Any] = {}
    for key, value in entries:
        if key == "":
            if not isinstance(value, dict):
                raise ValueError(f"{value}: expected a mapping such as {{key: value}}")
            found = merged(found, value)
            continue
        name, dot, word = key.partition(".") if kind == "labels" else (key, "", "")
        found = merged(found, {name: {word: value} if dot else value})
    return found


def merged(first: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    """Both mappings in one, and mappings within them; where both have a key, `then` holds."""
    both = dict(first)
    for key, value in then.items():
        before = both.get(key)
        both[key] = (
            {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
        )
    return both


def _scalar(text: str) -> Any:
    number = _NUMBER.fullmatch(text)
    if number:
        return float(text) if number[1] else int(text)
    return _WORDS.get(text.lower(), text)


def _values(node: Any) -> Any:
    """A node of text throughout, as YAML's base loader gives it, with values of their kinds."""
    if isinstance(node, dict):
        found = {}
        for key, value in node.items():
            if value == "" and isinstance(key, str) and ":" in key:
                key, _, value = key.rpartition(":")  # `{冒犯:1}` is a key alone to YAML
            found[str(key)] = _values(value)
        return found
    if isinstance(node, list):
        return [_values(part) for part in node]
    return _scalar(node)
