"""How an engine is configured: `engine=…` and `store=…` on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class EngineKind(Enum):
    ray = "ray"
    inline = "inline"


class EngineMode(Enum):
    online = "online"
    batch = "batch"


class StoreMode(Enum):
    """What the store of completions is used for: see `mouse.engine.store.CompletionStore`."""

    off = "off"
    reuse = "reuse"
    refresh = "refresh"


@dataclass
class EngineConfig:
    """Where requests are answered."""

    kind: EngineKind = EngineKind.ray
    """`ray`: backends run in Ray actors. `inline`: in this process, for debugging."""
    mode: EngineMode = EngineMode.online
    """`batch`: an API's requests go to the provider's batch endpoint (cheaper, within a day)."""
    address: str | None = None
    """A running Ray cluster (`auto`, `host:port`, `ray://…`); None starts Ray on this machine."""
    num_cpus: int | None = None
    """CPUs that a Ray started here may hand out; None for all."""
    poll_s: float = 30.0
    """Seconds between two looks at a batch that is under way."""
