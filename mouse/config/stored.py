"""A configuration as a run's manifest has it, read again; one of an earlier version too.

Earlier versions had one dataclass for all backends, so that a stored model has options which its
backend does not read; those are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from mouse.config.conf import BACKEND_GROUP
from mouse.config.schema import RunConfig
from mouse.models.config import ModelConfig
from mouse.models.registry import backends, find_backend


def run_config(stored: Mapping[str, Any]) -> RunConfig:
    """The configuration; raises OmegaConf's errors where it does not fit this version's schema."""
    from omegaconf import OmegaConf

    config = own_options(stored)
    schema = OmegaConf.structured(RunConfig)
    if "model" in config:
        schema.model = _schema(config["model"])
    judge = config.get("judge", {})
    if judge.get("model"):
        schema.judge.model = _schema(judge["model"])
    for name, member in judge.get("members", {}).items():
        schema.judge.members[name] = _schema(member)
    found = OmegaConf.to_object(OmegaConf.merge(schema, OmegaConf.create(config)))
    assert isinstance(found, RunConfig)
    return found


def defaults_list(group: str, stored: Mapping[str, Any]) -> list[dict[str, str]]:
    """The defaults list of a group's YAML file: the backends of the models in it."""
    if group == "model" and "backend" in stored:
        return [{f"/{BACKEND_GROUP}@_here_": stored["backend"]}]
    if group != "judge":
        return []
    models = {f"members.{name}": member for name, member in stored.get("members", {}).items()}
    if stored.get("model"):
        models["model"] = stored["model"]
    return [{f"/{BACKEND_GROUP}@{place}": model["backend"]} for place, model in models.items()]


def own_options(stored: Mapping[str, Any]) -> dict[str, Any]:
    """`stored` with each model's options reduced to those of its backend."""
    config = dict(stored)
    if config.get("model"):
        config["model"] = _own(config["model"])
    if config.get("judge"):
        judge = config["judge"] = dict(config["judge"])
        if judge.get("model"):
            judge["model"] = _own(judge["model"])
        judge["members"] = {name: _own(one) for name, one in judge.get("members", {}).items()}
    return config


def _own(model: Mapping[str, Any]) -> dict[str, Any]:
    if "backend" not in model:
        return dict(model)
    own = _names(find_backend(model["backend"]))
    others = set().union(*map(_names, backends().values())) - own
    return {key: value for key, value in model.items() if key not in others}


def _names(config: type) -> set[str]:
    return {field.name for field in fields(config)}


def _schema(model: Mapping[str, Any]) -> Any:
    return find_backend(model["backend"]) if "backend" in model else ModelConfig
