"""Any server that speaks OpenAI's chat completions: its configuration, checked in the driver.

The backend itself, which runs in a worker, is `mouse.models.api.backend`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from mouse.errors import UserError
from mouse.models.api.backend import OpenAIChatBackend
from mouse.models.api.body import STRUCTURED
from mouse.models.api.probe import ProbeReport, probe
from mouse.models.api.transport import TRANSPORTS
from mouse.models.base import BackendContext, BackendSpec, thinking_and_body

__all__ = ["OpenAIChatBackend", "ProbeReport", "probe", "spec"]

CHUNK = 8
"""Requests an actor call: the call's own 0.3 ms is spread, and a chunk that waits for one slow
answer keeps few others from the store."""


def spec(model: Mapping[str, Any], context: BackendContext) -> BackendSpec:
    """Check a model's configuration; raises `UserError`. No network, nothing heavy imported."""
    name = str(model.get("name") or model.get("id") or "this model")
    if not model.get("id"):
        raise UserError(f"Model {name} has no id: set model.id to the vendor's name of the model.")
    base_url = _base_url(model, name)
    key_env = model.get("api_key_env")
    if key_env and not os.environ.get(key_env):
        raise UserError(
            f"Model {name} needs an API key: set the environment variable {key_env} "
            "(a .env file in the working directory will do)."
        )
    structured = str(model.get("structured") or "json_schema")
    if structured not in STRUCTURED:
        raise UserError(f"model.structured={structured} is not known: {', '.join(STRUCTURED)}.")
    transport = str(model.get("transport") or TRANSPORTS[0])
    if transport not in TRANSPORTS:
        raise UserError(f"model.transport={transport} is not known: {', '.join(TRANSPORTS)}.")
    limits = model.get("limits") or {}
    retries = model.get("retries") or {}
    actors = int(model.get("actors") or 1)
    in_flight = int(limits.get("max_in_flight") or 64)
    if actors < 1 or in_flight < actors:
        raise UserError(
            f"model.limits.max_in_flight={in_flight} must be at least model.actors={actors}, "
            "and both at least 1."
        )
    thinking, extra_body = thinking_and_body(model)
    params = dict(model.get("params") or {})
    drop_params = tuple(str(name) for name in model.get("drop_params") or ())
    dialect = {
        "model": str(model["id"]),
        "token_param": str(model.get("token_param") or "max_tokens"),
        "drop_params": drop_params,
        "params": params,
        "extra_body": extra_body,
        "structured": structured,
    }
    share = -(-in_flight // actors)
    return BackendSpec(
        target="mouse.models.api.openai_chat:OpenAIChatBackend",
        options={
            "name": name,
            "dialect": dialect,
            "base_url": base_url,
            "api_key_env": key_env,
            "extra_headers": dict(model.get("extra_headers") or {}),
            "limits": {
                "requests_per_minute": limits.get("requests_per_minute"),
                "tokens_per_minute": limits.get("tokens_per_minute"),
                "max_in_flight": in_flight,
                "timeout_s": float(limits.get("timeout_s") or 120.0),
            },
            "retries": {
                "max_attempts": int(retries.get("max_attempts") or 6),
                "max_wait_s": float(retries.get("max_wait_s") or 60.0),
            },
            "adaptive": bool(model.get("adaptive", True)),
            "actors": actors,
            "transport": transport,
            "accept_changes": bool(model.get("accept_changes", False)),
        },
        # Names of parameters, limits and transport do not change an answer; what is sent does.
        identity={
            "backend": "openai_chat",
            "id": dialect["model"],
            "revision": model.get("revision"),
            "host": urlsplit(base_url).netloc.rpartition("@")[2],
            "thinking": thinking,
            "params": {
                key: value
                for key, value in params.items()
                if key not in ("temperature", "max_tokens")
            },
            "drop_params": sorted(drop_params),
            "extra_body": extra_body,
            "structured": structured,
        },
        num_cpus=0.5,
        replicas=actors,
        # Twice the window, so that a chunk waiting for its last answer leaves no place empty.
        max_concurrency=max(2, -(-2 * share // CHUNK)),
        chunk_size=min(CHUNK, share),
    )


def _base_url(model: Mapping[str, Any], name: str) -> str:
    variable = model.get("base_url_env")
    url = (os.environ.get(variable) if variable else None) or model.get("base_url")
    parts = urlsplit(str(url or ""))
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UserError(
            f"Model {name} has base_url {url!r}, which is no URL such as https://host/v1: "
            "set model.base_url."
        )
    return str(url)
