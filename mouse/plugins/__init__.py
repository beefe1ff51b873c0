"""What comes from outside the package: installed plug-ins and a user's own Python files.

A plug-in adds tasks, metrics, backends, judges or report tables. An installed package names them as
entry points of the groups `mouse.tasks`, `mouse.metrics`, `mouse.backends`, `mouse.judges` and
`mouse.tables`. A file is named in the environment variable `MOUSE_PLUGINS` (several are separated as
in `PATH`) and holds lists of the names `TASKS`, `METRICS`, `BACKENDS`, `JUDGES`, `TABLES`. Ray's
workers inherit the variable.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from mouse.errors import UserError

Kind = Literal["tasks", "metrics", "backends", "judges", "tables"]

VARIABLE = "MOUSE_PLUGINS"


def plugin_variables() -> dict[str, str]:
    """The environment by which another process finds the same plug-in files."""
    return {VARIABLE: os.environ[VARIABLE]} if VARIABLE in os.environ else {}


def plugged_in(kind: Kind) -> tuple[Any, ...]:
    """What plug-ins of this kind offer, installed ones first. Raises `UserError` for a broken one."""
    return _plugged_in(kind, os.environ.get(VARIABLE, ""))


@cache
def _plugged_in(kind: Kind, files: str) -> tuple[Any, ...]:
    found: list[Any] = []
    for entry in entry_points(group=f"mouse.{kind}"):
        try:
            found.append(entry.load())
        except Exception as error:
            raise UserError(
                f"plug-in {entry.name} = {entry.value} cannot be loaded: "
                f"{type(error).__name__}: {error}"
            ) from error
    for name in filter(None, files.split(os.pathsep)):
        offered = getattr(_module(name), kind.upper(), ())
        if not isinstance(offered, (list, tuple)):
            raise UserError(f"{name}: {kind.upper()} must be a list, not {offered!r}")
        found.extend(offered)
    return tuple(found)


def import_module(name: str) -> ModuleType:
    """The module of that name, a plug-in file's too (`__name__` in it); in workers as well."""
    return importlib.import_module(name)


def _module(name: str) -> ModuleType:
    """The module of a plug-in file."""
    if not Path(name).expanduser().is_file():
        raise UserError(f"{VARIABLE}: there is no file {name}")
    try:
        return importlib.import_module(_module_name(name))
    except Exception as error:
        raise UserError(
            f"plug-in {name} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


def _module_name(name: str) -> str:
    """The name under which a plug-in file is imported; no other file has it."""
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"mouse_plugin_{Path(name).stem}_{digest}"


class _PluginFinder(MetaPathFinder):
    """Lets every process import plug-in files by name: workers unpickle what is defined there."""

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        if fullname.startswith("mouse_plugin_"):
            for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
                if _module_name(name) == fullname:
                    loader = SourceFileLoader(fullname, str(Path(name).expanduser()))
                    return importlib.util.spec_from_loader(fullname, loader)
        return None


sys.meta_path.append(_PluginFinder())
