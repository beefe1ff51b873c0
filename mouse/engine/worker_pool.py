"""The actors of one pool and what each holds: the driver's view, which Ray is not asked for."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import Any

from mouse.engine.pool import Chunk, Pool

log = logging.getLogger(__name__)

_PATIENCE_S = 30.0
"""After how long a warning says that an actor does not start."""


@dataclass(eq=False)
class Actor:
    """One actor, and what it has been given."""

    handle: Any
    created: float
    ready: bool = False
    chunks: int = 0
    isolated: bool = False
    """It holds a chunk that must have it to itself."""
    dead: bool = False


@dataclass(eq=False)
class WorkerPool:
    """The actors of one pool."""

    pool: Pool
    num_cpus: float
    """What each actor asks Ray for."""
    actors: list[Actor] = field(default_factory=list)
    started: bool = False
    was_ready: bool = False
    failed_starts: int = 0
    """Actors that died in a row while their backend was being built."""
    deaths_in_row: int = 0
    """Actors that died since the last chunk was answered."""
    warned: bool = False

    def least_loaded(self, *, isolated: bool) -> Actor | None:
        """The ready actor with the fewest chunks that has room for one more, if any.

        An actor holds one chunk more than it works on, so that it need not wait for the driver
        between two; with an isolated chunk it holds nothing else.
        """
        limit = 1 if isolated else self.pool.spec.max_concurrency + 1
        free = [
            actor
            for actor in self.actors
            if actor.ready and not actor.dead and not actor.isolated and actor.chunks < limit
        ]
        return min(free, key=lambda actor: actor.chunks, default=None)

    def warn_of_slow_start(self) -> None:
        """Say once that actors take long to start; Ray itself is silent about it."""
        waiting = [actor for actor in self.actors if not actor.ready]
        age = max((time.monotonic() - actor.created for actor in waiting), default=0.0)
        if age > _PATIENCE_S and not self.warned:
            self.warned = True
            log.warning(
                "«%s» still waits for %d worker(s) to start; the cluster may be busy, or the "
                "model is being loaded.",
                self.pool.name,
                len(waiting),
            )


@dataclass(frozen=True, slots=True)
class Pending:
    """What an object reference stands for: a chunk with an actor, or (None) an actor's start."""

    workers: WorkerPool
    actor: Actor
    chunk: Chunk | None


def cause_of(error: BaseException) -> str:
    """The part of a Ray exception that says why; its text runs over many lines."""
    text = " ".join(str(error).split())
    for marker in ("Worker exit detail:", "The actor is dead because"):
        _, found, rest = text.partition(marker)
        if found:
            text = rest.strip()
            break
    return text[:200]
