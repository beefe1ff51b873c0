"""Makes the engine that a configuration asks for, with the store and the budget it works under."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
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
    make: Callable[..., Engine]
    if config.mode is EngineMode.batch:
        make = partial(BatchEngine, folder=folder, poll_s=config.poll_s)
    elif config.kind is EngineKind.inline:
        make = InlineEngine
    else:
        make = partial(RayEngine, address=config.address, num_cpus=config.num_cpus)
    with ExitStack() as stack:
        store = None
        if mode is not StoreMode.off:
            store = stack.enter_context(CompletionStore(folder / STORE_FILE, mode))
        yield stack.enter_context(make(store=store, admit=admit, prepare=prepare))
