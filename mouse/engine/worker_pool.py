"""The actors of one pool and what each holds: the driver's view, which Ray is not asked for."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import Any

from mouse.engine.placement import Placement
from mouse.engine.pool import Chunk, Pool

log = logging.getLogger(__name__)

_PATIENCE_S = 30.0
"""After how long an actor that does not start is spoken of."""


@dataclass(eq=False)
class Actor:
    """One actor, and what it has been given."""

    handle: Any
    created: float
    ready: bool = False
    chunks: int = 0
    alone: bool = False
    dead: bool = False


@dataclass(eq=False)
class Crew:
    """The actors of one pool."""

    pool: Pool
    placement: Placement
    actors: list[Actor] = field(default_factory=list)
    started: bool = False
    was_ready: bool = False
    start_deaths: int = 0
    deaths_in_row: int = 0
    warned: bool = False

    def roomiest(self, *, alone: bool) -> Actor | None:
        """The ready actor with the fewest chunks that has room for one more, if any.

        An actor holds one chunk more than it works on, so that it need not wait for the driver
        between two; with a suspect it holds nothing else.
        """
        limit = 1 if alone else self.pool.spec.max_concurrency + 1
        free = [
            actor
            for actor in self.actors
            if actor.ready and not actor.dead and not actor.alone and actor.chunks < limit
        ]
        return min(free, key=lambda actor: actor.chunks, default=None)

    def speak_of_waiting(self) -> None:
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
class Out:
    """What an object reference stands for: a chunk with an actor, or an actor's start."""

    crew: Crew
    actor: Actor
    chunk: Chunk | None


def why_of(error: BaseException) -> str:
    """The telling part of a Ray exception, whose text runs over many lines."""
    text = " ".join(str(error).split())
    for marker in ("Worker exit detail:", "The actor is dead because"):
        _, found, rest = text.partition(marker)
        if found:
            text = rest.strip()
            break
    return text[:200]
