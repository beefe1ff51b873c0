"""The command line as users write it, turned into what Hydra's override grammar accepts.

Owns some conveniences and one refusal: `task=tr,td` is one run of two tasks (a comma means a sweep
only under `-m`), `path=` is short for `data.path=`, values that Hydra's grammar cannot read are
quoted and keys of open mappings need no `+`; and a secret on the command line is
refused, because shells, process lists and trackers keep command lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from mouse.errors import UserError

_SECRET_KEY = re.compile(r"(?:^|[._+-])(?:api[_-]?key|token|secret|password|authorization)$", re.I)
_SECRET_VALUE = re.compile(r"\b(?:sk|pk|hf|key)[-_][A-Za-z0-9_-]{16,}")


def is_multirun(arguments: Sequence[str]) -> bool:
    return any(argument in ("-m", "--multirun") for argument in arguments)


def refuse_secrets(arguments: Sequence[str]) -> None:
    """Raise `UserError` where an argument holds a key instead of the name of a variable."""
    for argument in arguments:
        key, _, value = argument.partition("=")
        if (_SECRET_KEY.search(key) and value) or _SECRET_VALUE.search(argument):
            raise UserError(
                f"a secret on the command line ({key}=…) is refused, because process lists and "
                "shell histories keep it: put the key in an environment variable or a .env file "
                "and name that variable with model.api_key_env=NAME. Treat the key as exposed."
            )


def rewrite(arguments: Sequence[str]) -> list[str]:
    """Arguments for Hydra. `task=tr,td` and `task=[tr,td]` become one run with two tasks."""
    refuse_secrets(arguments)
    sweep = is_multirun(arguments)
    rewritten: list[str] = []
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals:
            rewritten.append(argument)
        elif key == "task" and value.startswith("[") and value.endswith("]"):
            rewritten += ["task=all", f"task.names={value}"]
        elif key == "task" and "," in value and not sweep:
            rewritten += ["task=all", f"task.names=[{value}]"]
        elif key == "path":
            rewritten.append(f"data.path={value}")
        else:
            rewritten.append(argument)
    return _with_filters([_for_hydra(argument, sweep) for argument in rewritten])


_PLAIN = re.compile(r"[\w./@%+-]*", re.ASCII)
_OPEN = ("data.columns.", "data.labels.", "data.constants.", "data.where.")
"""Mappings without a fixed set of keys, to which a key is added without Hydra's `+`."""
_WORD = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*", re.ASCII)


def _for_hydra(argument: str, sweep: bool) -> str:
    """An override that Hydra's grammar takes: values in Chinese, with brackets or quotes, as typed.

    A value that the grammar reads stays what it means to it (lists, numbers, sweeps under `-m`).
    """
    key, equals, value = argument.partition("=")
    if not equals or argument.startswith("-"):
        return argument
    if f"{key}." in _OPEN and not _readable(f"x={value}"):
        # A mapping whose keys are no words to Hydra: each entry goes its own way.
        return _for_hydra(f"{key}.json={value}", sweep)
    if key.startswith(_OPEN):
        key = f"++{key}"
    if (_PLAIN.fullmatch(value) and not key.startswith("++")) or _readable(f"{_key(key)}={value}"):
        return f"{key}={value}"
    parts = value.split(",") if sweep and not set(value) & set("{}[]()\"'") else [value]
    return f"{key}=" + ",".join(p if _PLAIN.fullmatch(p) else quoted(p) for p in parts)


def _key(key: str) -> str:
    return key if key.startswith("++") and _WORD.fullmatch(key[2:]) else "x"


def _readable(override: str) -> bool:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        OverridesParser.create().parse_override(override)
    except HydraException:
        return False
    return True


def quoted(value: str) -> str:
    """A value as a quoted string of Hydra's grammar, which means exactly this text."""
    text = re.sub(r"(\\*)'", r"\1\1\\'", value)
    ending = re.search(r"\\+$", text)
    return f"'{text}{ending[0] if ending else ''}'"


def _with_filters(arguments: Sequence[str]) -> list[str]:
    """`data.where.HEADER=value` for headers that are no word to Hydra, as one mapping.

    Hydra's keys are words of ASCII; such a header travels as JSON text instead.
    """
    start = "++data.where."
    odd = {
        argument.partition("=")[0].removeprefix(start): argument.partition("=")[2]
        for argument in arguments
        if argument.startswith(start) and not _WORD.fullmatch(argument.partition("=")[0][2:])
    }
    if not odd:
        return list(arguments)
    kept = [
        argument
        for argument in arguments
        if argument.partition("=")[0].removeprefix(start) not in odd
    ]
    plain = {header: _unquoted(value) for header, value in odd.items()}
    return [*kept, f"++data.where.json={quoted(json.dumps(plain, ensure_ascii=False))}"]


def _unquoted(value: str) -> str:
    return value[1:-1].replace("\\'", "'") if value[:1] == value[-1:] == "'" else value


def scrub(arguments: Sequence[str]) -> str:
    """The command line for a record, anything that looks like a secret replaced by `***`."""
    shown = []
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if equals and _SECRET_KEY.search(key):
            value = "***"
        shown.append(_SECRET_VALUE.sub("***", f"{key}{equals}{value}"))
    return " ".join(shown)
