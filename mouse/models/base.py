"""What a backend is: one file that turns requests into completions, and says who it is.

Its module has
- a configuration: a dataclass derived from `ModelConfig`, by which the registry knows the backend;
- `spec(config, context) -> BackendSpec`, which runs in the driver, checks the configuration
  (`UserError` on a mistake) and imports nothing heavy;
- a class with the methods of `Backend`, which is built inside a worker;
- where there is something to try out, `probe(spec, request) -> (spec, ProbeReport)`, which asks
  once before the rest and may adapt the spec.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mouse.contracts import Completion, Request
from mouse.plugins import import_module


@dataclass(frozen=True)
class BackendContext:
    """What a backend may know of the run besides its own configuration."""

    label_counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Gold labels by `task` or `task/variant` (what a majority baseline is fitted on)."""
    asked: frozenset[tuple[str, str, str]] = frozenset()
    """(item_id, task, variant) of every request of the run."""
    seed: int = 0
    """The run's seed."""


@dataclass(frozen=True)
class BackendSpec:
    """How to build a backend in a worker, and what it needs there."""

    target: str
    """`module:Class`, imported in the worker."""
    options: Mapping[str, Any]
    """Keyword arguments of the class, `config` among them; picklable, no secret (the *name* of
    one)."""
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
        return getattr(import_module(module), name)(**self.options)


class Backend(Protocol):
    """Answers requests. Never raises for a request's fate: that is `Completion.error`."""

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        """One completion a request, in any order; `request_key` says whose it is."""
        ...

    def close(self) -> None:
        """Release what the backend holds."""
        ...


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """What the first small request of a backend found. Plain data, no secrets, for the manifest."""

    sent: Mapping[str, Any]
    """The body as the real requests will have it, without model and messages."""
    changes: list[str] = field(default_factory=list)
    """What was adapted, one sentence each."""
    problem: str = ""
    """Why the probe stayed inconclusive (an overloaded server); empty where it was answered."""
    model_reported: str | None = None
    """How the server names the model."""
    calls: int = 0
    """Small requests that were sent."""
