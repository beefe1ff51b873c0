"""Writes docs/configuration.md: every option of `conf/`, from the docstrings of the schema.

python scripts/config_reference.py          write the page
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import typing
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from mouse.config.conf import BACKEND_GROUP, conf_dir
from mouse.config.schema import RunConfig
from mouse.models.config import ModelConfig
from mouse.models.registry import BUILT_IN

PAGE = Path(__file__).resolve().parent.parent / "docs" / "configuration.md"
HEAD = """# Configuration

Every option of `python -m mouse.run`, to be given as `key=value`. This page is written by
`scripts/config_reference.py` from the schema's docstrings. `python -m mouse.run --help` lists the
files of `conf/` that a group offers, `--cfg job` shows what a command line comes to.
"""


@dataclasses.dataclass(frozen=True)
class Option:
    """One line of the page."""

    key: str
    type: str
    default: str
    meaning: str


def options(
    config: type, prefix: str, *, without: frozenset[str] = frozenset()
) -> Iterator[Option]:
    """The options of a dataclass; those of nested ones with dots."""
    hints = typing.get_type_hints(config)
    for field in dataclasses.fields(config):
        if field.name in without:
            continue
        kind = hints[field.name]
        key = f"{prefix}{field.name}"
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            yield from options(kind, f"{key}.")
        else:
            meaning = docstrings(config).get(field.name, "")
            yield Option(
                key,
                shown_type(kind),
                shown_default(field),
                " ".join(meaning.replace("None", "null").split()),
            )


@cache
def docstrings(config: type) -> dict[str, str]:
    """Field → the string below it, in the class or the nearest of its bases that has one."""
    found: dict[str, str] = {}
    for cls in reversed(config.__mro__):
        if not dataclasses.is_dataclass(cls):
            continue
        tree = ast.parse(inspect.getsource(cls))
        definition = tree.body[0]
        assert isinstance(definition, ast.ClassDef)
        for field, below in zip(definition.body, definition.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
            ):
                found[field.target.id] = str(below.value.value)
    return found


def shown_type(kind: Any) -> str:
    """`number or null`, `off, on, default`, `list of text` …"""
    if kind is Any:
        return "any"
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(f"`{member.value}`" for member in kind)
    if isinstance(kind, type) and issubclass(kind, ModelConfig):
        return "a model"
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        return f"list of {shown_type(inner[0])}"
    if origin is dict:
        return f"mapping to {shown_type(inner[1])}"
    if inner:
        return " or ".join(shown_type(one) for one in inner)
    names = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    return names.get(kind, "null")


def shown_default(field: dataclasses.Field[Any]) -> str:
    """The default as it is written on the command line; empty where a value must be given."""
    if field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
    else:
        value = field.default
    if value == "???" or value is dataclasses.MISSING:
        return ""
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool):
        return f"`{'null' if value is None else str(value).lower()}`"
    if isinstance(value, list):
        return f"`[{', '.join(map(str, value))}]`"
    if isinstance(value, dict):
        return f"`{{{', '.join(f'{key}: {entry}' for key, entry in value.items())}}}`"
    return f"`{value}`"


def sections() -> Iterator[tuple[str, str, list[Option]]]:
    """(title, sentence, options) of each part of the page."""
    hints = typing.get_type_hints(RunConfig)
    docs = docstrings(RunConfig)
    own, groups = [], []
    for field in dataclasses.fields(RunConfig):
        (groups if dataclasses.is_dataclass(hints[field.name]) else own).append(field)
    plain = frozenset(field.name for field in groups)
    yield "The run", inspect.getdoc(RunConfig) or "", list(options(RunConfig, "", without=plain))
    for field in groups:
        config = hints[field.name]
        chosen = (
            " Chosen with " + f"`{field.name}=NAME`." if (conf_dir() / field.name).is_dir() else ""
        )
        title = f"`{field.name}`"
        yield title, docs[field.name] + chosen, list(options(config, f"{field.name}."))
        if config is ModelConfig:
            common = frozenset(one.name for one in dataclasses.fields(ModelConfig))
            for backend in BUILT_IN:
                more = list(options(backend, "model.", without=common))
                about = (inspect.getdoc(backend) or "").split("\n\n")[0]
                begins = f"A YAML file of such a model begins with `defaults: [{BACKEND_GROUP.split('/')[1]}@_here_: {backend.backend}]`."
                yield f"`model` of the backend `{backend.backend}`", f"{about} {begins}", more


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for title, sentence, listed in sections():
        parts.append(f"\n## {title}\n\n{' '.join(sentence.split())}\n")
        if listed:
            parts.append("\n| key | type | default | meaning |\n|---|---|---|---|\n")
            parts += [
                f"| `{one.key}` | {one.type} | {one.default} | {one.meaning.replace('|', chr(92) + '|')} |\n"
                for one in listed
            ]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
