"""Any server that speaks OpenAI's chat completions: its configuration, checked in the driver.

The backend itself, which runs in a worker, is `mouse.models.api.backend`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from urllib.parse import urlsplit

from mouse.errors import UserError
from mouse.models.api.config import OpenAIChatConfig
from mouse.models.api.probe import probe
from mouse.models.base import BackendContext, BackendSpec

__all__ = ["TARGET", "probe", "spec"]

TARGET = "mouse.models.api.backend:OpenAIChatBackend"

CHUNK = 8
"""Requests an actor call: the call's own 0.3 ms is spread, and a chunk that waits for one slow
answer keeps few others from the store."""


def spec(config: OpenAIChatConfig, context: BackendContext) -> BackendSpec:
    """Find the server's address, see that the key is there; raises `UserError`. No network."""
    if not config.id:
        raise UserError(
            f"Model {config.name} has no id: set model.id to the vendor's name of the model."
        )
    base_url = _base_url(config)
    if config.api_key_env and not os.environ.get(config.api_key_env):
        raise UserError(
            f"Model {config.name} needs an API key: set the environment variable "
            f"{config.api_key_env} (a .env file in the working directory will do)."
        )
    share = config.in_flight_per_actor
    return BackendSpec(
        target=TARGET,
        options={"config": replace(config, base_url=base_url, base_url_env=None)},
        # Names of parameters, limits and transport do not change an answer; what is sent does.
        identity={
            "backend": "openai_chat",
            "id": config.id,
            "revision": config.revision,
            "host": urlsplit(base_url).netloc.rpartition("@")[2],
            "thinking": config.thinking.value,
            "params": {
                key: value
                for key, value in config.params.items()
                if key not in ("temperature", "max_tokens")
            },
            "drop_params": sorted(config.drop_params),
            "extra_body": config.request_extras(),
            "structured": config.structured.value,
        },
        num_cpus=0.5,
        replicas=config.actors,
        # Twice the window, so that a chunk waiting for its last answer leaves no place empty.
        max_concurrency=max(2, -(-2 * share // CHUNK)),
        chunk_size=min(CHUNK, share),
    )


def _base_url(config: OpenAIChatConfig) -> str:
    variable = config.base_url_env
    url = (os.environ.get(variable) if variable else None) or config.base_url
    parts = urlsplit(url or "")
    if not url or parts.scheme not in ("http", "https") or not parts.netloc:
        raise UserError(
            f"Model {config.name} has base_url {url!r}, which is no URL such as https://host/v1: "
            "set model.base_url."
        )
    return url
