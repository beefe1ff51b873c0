"""Typed configurations of models from plain values, as Hydra makes them."""

from __future__ import annotations

from typing import Any

from omegaconf import OmegaConf

from mouse.models.api.config import OpenAIChatConfig
from mouse.models.base import BackendContext, BackendSpec
from mouse.models.config import ModelConfig
from mouse.models.registry import make_spec


def configured(kind: type[ModelConfig], **values: Any) -> Any:
    """A configuration of that kind; strings become enums, mappings dataclasses."""
    schema = OmegaConf.structured(kind)
    return OmegaConf.to_object(OmegaConf.merge(schema, {"name": "m", **values}))


def spec_of(
    kind: type[ModelConfig], context: BackendContext | None = None, **values: Any
) -> BackendSpec:
    """The checked specification of such a configuration."""
    return make_spec(configured(kind, **values), context or BackendContext())


def api_config(**values: Any) -> OpenAIChatConfig:
    config: OpenAIChatConfig = configured(OpenAIChatConfig, **values)
    return config
