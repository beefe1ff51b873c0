"""Makes the engine that a configuration asks for, with the store and the budget it works under."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from mouse.engine.batch_engine import BatchEngine
from mouse.engine.config import EngineConfig, EngineKind, EngineMode, StoreMode
from mouse.engine.dispatch import Engine, Prepare
from mouse.engine.inline import InlineEngine
from mouse.engine.pool import Admit
from mouse.engine.ray_engine import RayEngine
from mouse.engine.store import CompletionStore

STORE_FILE = "completions.sqlite"


@contextmanager
def open_engine(
    config: EngineConfig,
    mode: StoreMode,
    folder: Path,
    *,
    admit: Admit | None = None,
    prepare: Prepare | None = None,
) -> Iterator[Engine]:
    """The engine of one evaluation; leaving it ends its workers, closes the store, keeps Ray.

    `folder`: where the store and the journal of batches lie; made where it is missing.
    """
    with ExitStack() as stack:
        store = None
        if mode is not StoreMode.off:
            store = stack.enter_context(CompletionStore(folder / STORE_FILE, mode))
        engine: Engine
        if config.mode is EngineMode.batch:
            engine = BatchEngine(
                folder, poll_s=config.poll_s, store=store, admit=admit, prepare=prepare
            )
        elif config.kind is EngineKind.inline:
            engine = InlineEngine(store=store, admit=admit, prepare=prepare)
        else:
            engine = RayEngine(
                store=store,
                admit=admit,
                prepare=prepare,
                address=config.address,
                num_cpus=config.num_cpus,
            )
        yield stack.enter_context(engine)
