"""Makes the engine that a configuration asks for, with the store and the budget it works under."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from mouse.engine.store import CompletionStore

if TYPE_CHECKING:
    from mouse.config.schema import RunConfig
    from mouse.engine.dispatch import Engine, Prepare
    from mouse.engine.pool import Admit

STORE_FILE = "completions.sqlite"


@contextmanager
def open_engine(
    config: RunConfig, *, admit: Admit | None = None, prepare: Prepare | None = None
) -> Iterator[Engine]:
    """The engine of one evaluation; leaving it ends its workers, closes the store, keeps Ray."""
    from mouse.tracking.home import home

    with ExitStack() as stack:
        store = None
        if config.store.value != "off":
            folder = home()
            folder.mkdir(parents=True, exist_ok=True)
            store = stack.enter_context(CompletionStore(folder / STORE_FILE, config.store.value))
        engine: Engine
        if config.engine.mode.value == "batch":
            from mouse.engine.batch_engine import BatchEngine

            engine = BatchEngine(
                home(), poll_s=config.engine.poll_s, store=store, admit=admit, prepare=prepare
            )
        elif config.engine.kind.value == "inline":
            from mouse.engine.inline import InlineEngine

            engine = InlineEngine(store=store, admit=admit, prepare=prepare)
        else:
            from mouse.engine.ray_engine import RayEngine

            engine = RayEngine(
                store=store,
                admit=admit,
                prepare=prepare,
                address=config.engine.address,
                num_cpus=config.engine.num_cpus,
            )
        yield stack.enter_context(engine)
