"""Backends: one file each, found by the name that a model's configuration gives."""

from __future__ import annotations

import importlib
import sys
from dataclasses import asdict
from enum import Enum
from typing import TYPE_CHECKING, Any

from mouse.contracts import Request
from mouse.models.base import BackendContext, BackendSpec

if TYPE_CHECKING:
    from mouse.config.schema import ModelConfig


def plain(model: ModelConfig) -> dict[str, Any]:
    """A model's configuration as plain data, enums by their values."""
    return asdict(
        model,
        dict_factory=lambda pairs: {
            key: value.value if isinstance(value, Enum) else value for key, value in pairs
        },
    )


MODULES = {
    "lexicon": "mouse.models.lexicon",
    "baseline": "mouse.models.baseline",
    "replay": "mouse.models.replay",
    "openai_chat": "mouse.models.api.openai_chat",
    "vllm_engine": "mouse.models.vllm.engine",
}
"""Backend → its module."""


class Prober:
    """The `prepare` of an engine: lets each backend try its first request before the rest.

    A backend module may define `probe(spec, request) -> (spec, report)`; `reports` keeps what each
    pool's said, for the manifest.
    """

    def __init__(self) -> None:
        self.reports: dict[str, dict[str, Any]] = {}

    def prepare(self, pool: str, spec: BackendSpec, request: Request) -> BackendSpec:
        """The spec to build. Raises `UserError` where the probe shows that the run cannot be."""
        module = importlib.import_module(MODULES[spec.identity["backend"]])
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
    module = MODULES[model.backend.value]
    spec: BackendSpec = importlib.import_module(module).spec(plain(model), context)
    return spec
