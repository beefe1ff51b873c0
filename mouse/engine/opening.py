"""Makes the engine that a configuration asks for, with the store and the budget it works under."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mouse.engine.store import CompletionStore

if TYPE_CHECKING:
    from mouse.config import RunConfig
    from mouse.engine.dispatch import Engine
    from mouse.engine.pool import Admit

STORE_FILE = "completions.sqlite"


def open_engine(config: RunConfig, *, admit: Admit | None = None) -> Engine:
    """The engine of one evaluation; closing it ends its workers and leaves Ray running."""
    from mouse.tracking.home import home

    store = None
    if config.store.value != "off":
        folder = home()
        folder.mkdir(parents=True, exist_ok=True)
        store = CompletionStore(folder / STORE_FILE, config.store.value)
    if config.engine.kind.value == "inline":
        from mouse.engine.inline import InlineEngine

        return InlineEngine(store=store, admit=admit)
    from mouse.engine.ray_engine import RayEngine

    return RayEngine(
        store=store,
        admit=admit,
        address=config.engine.address,
        num_cpus=config.engine.num_cpus,
    )
