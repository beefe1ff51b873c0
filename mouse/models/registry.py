"""Finds the backend that a model's configuration names: mouse's own, and those of plug-ins.

A backend is known by its configuration, a dataclass derived from `ModelConfig` whose field
`backend` holds its name; that class is what a plug-in (`mouse.plugins`) offers.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mouse.contracts import Request
from mouse.errors import UserError
from mouse.models.api.config import OpenAIChatConfig
from mouse.models.base import BackendContext, BackendSpec
from mouse.models.baseline import BaselineConfig
from mouse.models.config import ModelConfig
from mouse.models.lexicon import LexiconConfig
from mouse.models.replay import ReplayConfig
from mouse.models.vllm.config import VLLMConfig
from mouse.plugins import plugged_in

BUILT_IN: tuple[type[ModelConfig], ...] = (
    LexiconConfig,
    BaselineConfig,
    ReplayConfig,
    OpenAIChatConfig,
    VLLMConfig,
)


def backends() -> Mapping[str, type[ModelConfig]]:
    """Name → configuration of every backend.

    Raises `UserError` for a plug-in that is none or whose name is taken.
    """
    found = {config.backend: config for config in BUILT_IN}
    for config in plugged_in("backends"):
        if not (isinstance(config, type) and issubclass(config, ModelConfig)):
            raise UserError(
                f"plug-in: {config!r} is not a class derived from mouse.models.config.ModelConfig"
            )
        if config.backend in found:
            raise UserError(
                f"plug-in: there is a backend {config.backend!r} already; give another name"
            )
        found[config.backend] = config
    return found


def find_backend(name: str) -> type[ModelConfig]:
    """The configuration of the backend of that name; raises `UserError` with the names known."""
    try:
        return backends()[name]
    except KeyError:
        known = ", ".join(sorted(backends()))
        raise UserError(
            f"model.backend={name}: there is no such backend; known are {known}."
        ) from None


def make_spec(model: ModelConfig, context: BackendContext) -> BackendSpec:
    """How to build this model's backend. Raises `UserError` if it cannot be used as configured."""
    if not isinstance(model, find_backend(model.backend)):
        raise UserError(
            f"model.backend={model.backend} does not go with the other options of model "
            f"{model.name}: its YAML begins with `defaults: [backend@_here_: {model.backend}]`."
        )
    model.check()
    spec: BackendSpec = _implementation(type(model)).spec(model, context)
    return spec


class Prober:
    """The `prepare` of an engine: lets each backend try its first request before the rest."""

    def __init__(self) -> None:
        self.reports: dict[str, dict[str, Any]] = {}
        """Pool → what its probe found, for the manifest."""

    def prepare(self, pool: str, spec: BackendSpec, request: Request) -> BackendSpec:
        """The spec to build. Raises `UserError` where the probe shows that the run cannot be."""
        backend = _implementation(find_backend(spec.identity["backend"]))
        probe = getattr(backend, "probe", None)
        if probe is None:
            return spec
        adapted: BackendSpec
        adapted, report = probe(spec, request)
        self.reports[pool] = asdict(report)
        for sentence in (*report.changes, report.problem):
            if sentence:
                print(f"{pool}: {sentence}", file=sys.stderr)
        return adapted


def _implementation(config: type[ModelConfig]) -> Any:
    return importlib.import_module(config.implementation or config.__module__)
