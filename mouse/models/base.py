"""What a backend is: one file that turns requests into completions, and says who it is.

A backend module defines

    def spec(model: Mapping[str, Any], context: BackendContext) -> BackendSpec

which runs in the driver, checks the configuration (`UserError` on a mistake) and imports nothing
heavy; and a class with the methods of `Backend`, which is built inside a worker from
`BackendSpec.target` and `BackendSpec.options`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mouse.contracts import Completion, Request


@dataclass(frozen=True)
class BackendContext:
    """What a backend may know of the run besides its own configuration.

    `label_counts`: gold labels by `task` or `task/variant` (what a majority baseline is fitted
    on). `asked`: (item_id, task, variant) of every request of the run. `seed`: the run's.
    """

    label_counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    asked: frozenset[tuple[str, str, str]] = frozenset()
    seed: int = 0


@dataclass(frozen=True)
class BackendSpec:
    """How to build a backend in a worker, and what it needs there."""

    target: str
    """`module:Class`, imported in the worker."""
    options: Mapping[str, Any]
    """Keyword arguments of the class; plain picklable data, no secret (the *name* of one)."""
    identity: Mapping[str, Any]
    """Goes into every request key: backend, model id, revision or hash, base URL host."""
    cacheable: bool = True
    """False where an answer depends on more than key (replay: on the item's id)."""
    num_cpus: float = 1
    num_gpus: float = 0
    replicas: int = 1
    """Workers; 0: as many as the cluster's GPUs allow, which only the engine knows."""
    max_concurrency: int = 1
    """Chunks one actor works on at once."""
    chunk_size: int = 32
    max_chunk_attempts: int = 3
    """How often a chunk may be lost with its actor before its requests are asked one by one."""

    def build(self) -> Backend:
        """Import the target and construct the backend; called in the worker."""
        module, _, name = self.target.partition(":")
        return getattr(importlib.import_module(module), name)(**self.options)


def thinking_and_body(model: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A model's thinking mode (`off`, `on`, `default`), and `extra_body` with that mode's switch."""
    thinking = str(getattr(model.get("thinking"), "value", model.get("thinking") or "off"))
    switch = {"off": "thinking_off_body", "on": "thinking_extra_body"}.get(thinking, "")
    return thinking, {**(model.get("extra_body") or {}), **(model.get(switch) or {})}


class Backend(Protocol):
    """Answers requests. Never raises for a request's fate: that is `Completion.error`."""

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        """One completion a request, in any order; `request_key` says whose it is."""
        ...

    def close(self) -> None:
        """Release what the backend holds."""
        ...
