"""Finds the backend that a model's configuration names, among mouse's own and installed plug-ins.

A plug-in is an entry point of the group `mouse.backends` that names a `BackendType`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from mouse.contracts import Request
from mouse.errors import UserError
from mouse.models import baseline, lexicon, replay
from mouse.models.api import openai_chat
from mouse.models.base import BackendContext, BackendSpec, BackendType
from mouse.models.config import ModelConfig
from mouse.models.vllm import engine

ENTRY_POINTS = "mouse.backends"
BUILT_IN = (
    lexicon.BACKEND,
    baseline.BACKEND,
    replay.BACKEND,
    openai_chat.BACKEND,
    engine.BACKEND,
)


@cache
def backends() -> Mapping[str, BackendType]:
    """Every backend by its name. Raises `UserError` for a plug-in that is none."""
    found = {backend.name: backend for backend in BUILT_IN}
    for point in entry_points(group=ENTRY_POINTS):
        try:
            backend = point.load()
        except Exception as error:
            raise UserError(
                f"the backend {point.name} ({point.value}) cannot be loaded: {error}"
            ) from error
        if not isinstance(backend, BackendType):
            raise UserError(
                f"the backend {point.name} ({point.value}) is no mouse.models.base.BackendType"
            )
        if backend.name in found:
            raise UserError(
                f"the backend {point.name} ({point.value}) is named {backend.name}, as another is"
            )
        found[backend.name] = backend
    return found


def find_backend(name: str) -> BackendType:
    """The backend of that name; raises `UserError` with the names known."""
    try:
        return backends()[name]
    except KeyError:
        raise UserError(
            f"model.backend={name}: there is no such backend; known are "
            f"{', '.join(sorted(backends()))}."
        ) from None


def make_spec(model: ModelConfig, context: BackendContext) -> BackendSpec:
    """How to build this model's backend. Raises `UserError` if it cannot be used as configured."""
    backend = find_backend(model.backend)
    if not isinstance(model, backend.config):
        raise UserError(
            f"model.backend={model.backend} does not go with the other options of model "
            f"{model.name}: its YAML begins with `defaults: [backend@_here_: {model.backend}]`."
        )
    model.check()
    return backend.spec(model, context)


class Prober:
    """The `prepare` of an engine: lets each backend try its first request before the rest."""

    def __init__(self) -> None:
        self.reports: dict[str, dict[str, Any]] = {}
        """Pool → what its probe found, for the manifest."""

    def prepare(self, pool: str, spec: BackendSpec, request: Request) -> BackendSpec:
        """The spec to build. Raises `UserError` where the probe shows that the run cannot be."""
        probe = find_backend(spec.identity["backend"]).probe
        if probe is None:
            return spec
        adapted, report = probe(spec, request)
        self.reports[pool] = asdict(report)
        for sentence in (*report.changes, report.problem):
            if sentence:
                print(f"{pool}: {sentence}", file=sys.stderr)
        return adapted
