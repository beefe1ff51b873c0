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
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from mouse.errors import UserError

Kind = Literal["tasks", "metrics", "backends", "judges", "tables"]

VARIABLE = "MOUSE_PLUGINS"


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


@cache
def _module(name: str) -> ModuleType:
    """The module of a plug-in file, under a name of its own so that it can be pickled."""
    path = Path(name).expanduser()
    if not path.is_file():
        raise UserError(f"{VARIABLE}: there is no file {name}")
    module_name = f"mouse_plugin_{path.stem}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise UserError(f"{VARIABLE}: {name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module_name]
        raise UserError(
            f"plug-in {name} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    return module
