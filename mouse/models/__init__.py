"""Backends: one file each, found by the name that a model's configuration gives."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from dataclasses import asdict
from enum import Enum
from typing import TYPE_CHECKING, Any

from mouse.contracts import Request
from mouse.errors import UserError
from mouse.models.base import BackendContext, BackendSpec

if TYPE_CHECKING:
    from mouse.config import ModelConfig


def plain(model: ModelConfig) -> dict[str, Any]:
    """A model's configuration as plain data, enums by their values."""
    return asdict(
        model,
        dict_factory=lambda pairs: {
            key: value.value if isinstance(value, Enum) else value for key, value in pairs
        },
    )


class Prober:
    """The `prepare` of an engine: lets each backend try its first request before the rest.

    A backend module may define `probe(spec, request) -> (spec, report)`; `reports` keeps what each
    pool's said, for the manifest.
    """

    def __init__(self) -> None:
        self.reports: dict[str, dict[str, Any]] = {}

    def prepare(self, pool: str, spec: BackendSpec, request: Request) -> BackendSpec:
        """The spec to build. Raises `UserError` where the probe shows that the run cannot be."""
        module = importlib.import_module(f"mouse.models.{spec.identity.get('backend', 'base')}")
        probe = getattr(module, "probe", None)
        if probe is None:
            return spec
        adapted, report = probe(spec, request)
        self.reports[pool] = report.as_dict()
        for said in (*report.changes, report.problem):
            if said:
                print(f"{pool}: {said}", file=sys.stderr)
        changed: BackendSpec = adapted
        return changed


def make_spec(model: ModelConfig, context: BackendContext) -> BackendSpec:
    """How to build this model's backend. Raises `UserError` if it cannot be used as configured."""
    module = f"mouse.models.{model.backend.value}"
    if importlib.util.find_spec(module) is None:
        raise UserError(
            f"model {model.name!r} needs the backend {model.backend.value!r}, which this version "
            "of mouse does not have yet: choose model=lexicon, majority, stratified, uniform or "
            "replay."
        )
    spec: BackendSpec = importlib.import_module(module).spec(plain(model), context)
    return spec
