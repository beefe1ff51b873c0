"""Makes the schema known to Hydra, and finds the options that `conf/` has."""

from __future__ import annotations

from pathlib import Path

from mouse.config.schema import RunConfig
from mouse.corpus.resources import home, shipped_path
from mouse.models.registry import backends

BACKEND_GROUP = "model/backend"
"""Hydra group of the backends' dataclasses, which the defaults list of a model's YAML names."""


def conf_dir() -> Path:
    """The folder of Hydra configs."""
    return shipped_path("conf")


def options(group: str) -> list[str]:
    """Names that `group=` accepts, sorted."""
    if group == BACKEND_GROUP:
        return sorted(backends())
    return sorted(path.stem for path in (conf_dir() / group).glob("*.yaml"))


def help_text() -> str:
    """What `--help` says: the template of `conf/config.yaml` with every group and its options.

    Hydra's own help takes more than a second, because it copies all schemas for each of its groups.
    """
    from omegaconf import OmegaConf

    groups = [folder.name for folder in conf_dir().iterdir() if folder.is_dir()]
    listed = (f"{group}: {', '.join(options(group))}" for group in sorted([*groups, BACKEND_GROUP]))
    template = str(OmegaConf.load(conf_dir() / "config.yaml").hydra.help.template)
    return template.replace("$APP_CONFIG_GROUPS", "\n".join(listed) + "\n")


def register() -> None:
    """Make the schema, every backend's options and the resolver `mouse_home` known to Hydra.

    May be called twice.
    """
    from hydra.core.config_store import ConfigStore
    from omegaconf import OmegaConf

    store = ConfigStore.instance()
    store.store(name="mouse_schema", node=RunConfig)
    for name, config in backends().items():
        store.store(group=BACKEND_GROUP, name=name, node=config)
    OmegaConf.register_new_resolver("mouse_home", lambda: str(home()), replace=True)
