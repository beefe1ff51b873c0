"""The command line as users write it, turned into what Hydra's override grammar accepts.

Owns some conveniences and one refusal: `task=tr,td` is one run of two tasks (a comma means a sweep
only under `-m`), `path=` is short for `data.path=`, values that Hydra's grammar cannot read are
quoted and keys of open mappings need no `+`; and a secret on the command line is
refused, because shells, process lists and trackers keep command lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from mouse.config.schema import OPEN_MAPPINGS, TYPED
from mouse.config.typed import read_typed, typed_mapping
from mouse.errors import UserError
from mouse.text.redaction import holds_secret


def is_multirun(arguments: Sequence[str]) -> bool:
    return any(argument in ("-m", "--multirun") for argument in arguments)


def refuse_secrets(arguments: Sequence[str]) -> None:
    """Raise `UserError` where an argument holds a key instead of the name of a variable."""
    for argument in arguments:
        if holds_secret(argument):
            raise UserError(
                f"a secret on the command line ({argument.partition('=')[0]}=…) is refused, because process lists and "
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
    return _for_hydra(rewritten, sweep)


_PLAIN = re.compile(r"[\w./@%+-]*", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_OPEN = re.compile(rf"\+{{0,2}}data\.({'|'.join(OPEN_MAPPINGS)})(?:\.(.+))?", re.DOTALL)
"""Keys in mappings without a fixed set of them, which are added without Hydra's `+`."""


class _Entries:
    """Entries of open mappings whose keys or values Hydra's grammar does not have.

    They travel as JSON text under one key of their mapping, which `DataConfig` unfolds; under `-m`
    each combination of their values is one text of a sweep.
    """

    def __init__(self) -> None:
        self._given: dict[str, list[tuple[str, list[Any]]]] = {}

    def add(self, mapping: str, key: str, values: list[Any]) -> None:
        self._given.setdefault(mapping, []).append((key, values))

    def overrides(self) -> Iterator[str]:
        for mapping, entries in self._given.items():
            keys = [key for key, _ in entries]
            texts = []
            for values in product(*(values for _, values in entries)):
                try:
                    whole = typed_mapping(mapping, zip(keys, values, strict=True))
                except ValueError as error:
                    raise UserError(f"data.{mapping}={error}") from error
                # "${" would be an interpolation, even within quotes.
                text = json.dumps(whole, ensure_ascii=False).replace("${", "\\u0024{")
                texts.append(quoted(text))
            yield f"++data.{mapping}.{TYPED}={','.join(texts)}"


def _for_hydra(arguments: Sequence[str], sweep: bool) -> list[str]:
    """Overrides that Hydra's grammar takes: values in Chinese, with brackets or quotes, as typed.

    A value that the grammar reads stays what it means to it (lists, numbers, sweeps under `-m`).
    """
    entries = _Entries()
    kept: list[str] = []
    for argument in arguments:
        key, equals, value = argument.partition("=")
        opened = _OPEN.fullmatch(key)
        if not equals or argument.startswith("-"):
            kept.append(argument)
        elif opened:
            kept += _open_override(opened[1], opened[2] or "", value, sweep, entries)
        elif _PLAIN.fullmatch(value) or _parsed(value):
            kept.append(argument)
        elif key == "data.path" and isinstance(read_typed(value), list):
            kept.append(f"{key}=[{','.join(quoted(str(one)) for one in read_typed(value))}]")
        else:
            kept.append(f"{key}={','.join(map(quoted, _parts(value, sweep)))}")
    return [*kept, *entries.overrides()]


def _open_override(
    mapping: str, key: str, value: str, sweep: bool, entries: _Entries
) -> Iterator[str]:
    """The override of an entry (or, without a key, of the whole), or none: it is in `entries`."""
    steps = key.split(".", 1) if mapping == "labels" else [key]
    named = f"++data.{mapping}.{key}" if key else f"++data.{mapping}"
    if key and not all(_WORD.fullmatch(step) for step in steps):
        entries.add(mapping, key, [read_typed(part) for part in _parts(value, sweep)])
    elif key and mapping == "columns":
        # A header is text, also where it is spelt like a number, a list or null.
        parsed = _parsed(value)
        swept = parsed is not None and parsed.is_sweep_override()
        escaped = "\\" in value and value[:1] not in ("'", '"')
        if parsed is None or escaped or "${" in value or (swept and not sweep):
            as_typed = False
        else:
            values = parsed.sweep_iterator() if swept else [parsed.value()]
            as_typed = all(isinstance(one, str) for one in values)
        shown = value if as_typed else ",".join(map(quoted, _parts(value, sweep)))
        yield f"{named}={shown.replace('${', chr(92) + '${')}"
    elif (parsed := _parsed(value)) and not _has_null_key(parsed.value()):
        yield f"{named}={value}"
    else:
        entries.add(mapping, key, [read_typed(part) for part in _parts(value, sweep)])


def _has_null_key(value: Any) -> bool:
    """Whether a mapping has the word `null` as a key, which OmegaConf has no place for."""
    return isinstance(value, dict) and any(
        key is None or _has_null_key(value[key]) for key in value
    )


def _parts(value: str, sweep: bool) -> list[str]:
    """The values of a sweep: commas part them under `-m`, but within brackets and quotes."""
    return value.split(",") if sweep and not set(value) & set("{}[]()\"'") else [value]


def _parsed(value: str) -> Any:
    """What Hydra's grammar makes of a value; None where it cannot read it."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        return OverridesParser.create().parse_override(f"x={value}")
    except HydraException:
        return None


def quoted(value: str) -> str:
    """A value as a quoted string of Hydra's grammar, which means exactly this text."""
    text = re.sub(r"(\\*)'", r"\1\1\\'", value)
    ending = re.search(r"\\+$", text)
    return f"'{text}{ending[0] if ending else ''}'"
