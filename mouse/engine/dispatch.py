"""The engine: requests go in, completions stream out, the store is asked before any model.

`Engine` keeps the order of business (store, duplicates, bounded window, losses, stopping); its
subclasses only carry chunks: `InlineEngine` in this process, `RayEngine` to actors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from mouse.contracts import Completion, CompletionError, Request
from mouse.engine.pool import Admit, Chunk, Pool, Result, cancelled
from mouse.engine.stats import EngineStats
from mouse.engine.store import CompletionStore
from mouse.models.base import BackendSpec

Prepare = Callable[[str, BackendSpec, Request], BackendSpec]

_PULL = 512
"""Requests taken from a source at once: one query of the store."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A chunk that came back: with its completions, or lost with its actor for `lost`."""

    pool: str
    chunk: Chunk
    completions: Sequence[Completion] = field(default=())
    lost: str = ""


class Engine(ABC):
    """Answers requests of one or more models, each with its own pool of workers.

    `store`: where answers are looked up and kept; None keeps nothing. `admit(pool, request)` is
    asked before a request is sent (not for stored answers and duplicates); a `CompletionError`
    from it becomes that request's fate: how a budget ends a run. `prepare(pool, spec, request)`
    is asked once a pool, before its workers start, with the first request that must be sent; the
    spec it returns is the one that is built: how an API is probed.
    """

    def __init__(
        self,
        *,
        store: CompletionStore | None = None,
        admit: Admit | None = None,
        prepare: Prepare | None = None,
    ) -> None:
        self._store = store
        self._admit = admit
        self._prepare = prepare
        self.observers: list[Callable[[Arrival], None]] = []
        """Told of every chunk that came back, once its answers are stored; must not block."""
        self._pools: dict[str, Pool] = {}

    def open(self, name: str, spec: BackendSpec) -> None:
        """Make a pool for one model.

        Resources are checked now; workers start with the first request that the store cannot
        answer, so that repeating a finished run loads no model (`warm` starts them at once).

        Raises:
            UserError: the resources asked for are not there.
        """
        if name in self._pools:
            raise ValueError(f"The pool {name!r} is open already.")
        pool = Pool(name, spec, self._store, self._admit)
        self._check_resources(pool)
        self._pools[name] = pool

    def warm(self, name: str) -> None:
        """Start the workers of a pool now, without waiting for them."""
        self._start(self._pools[name])

    def submit(self, pool: str, requests: Iterable[Request]) -> None:
        """Queue requests; a lazy iterable is read as `results()` needs it, never as a whole."""
        self._pools[pool].submit(requests)

    def results(self) -> Iterator[Result]:
        """(pool, request with its key, completion) for everything submitted, in any order.

        More may be submitted, to any pool, between two results. Answers are in the store before
        they are handed out. Where the iteration is broken off (Ctrl-C included), the answers
        that have arrived by then are stored first.

        Raises:
            UserError: a backend could not be started, or the store cannot be written.
        """
        try:
            while True:
                for pool in self._pools.values():
                    self._fill(pool)
                handed_out = False
                for pool in self._pools.values():
                    while pool.ready:
                        handed_out = True
                        yield pool.ready.popleft()
                if handed_out:
                    continue
                if not any(pool.busy for pool in self._pools.values()):
                    return
                self._settle(self._wait())
        except BaseException:
            self.salvage()
            raise

    def salvage(self) -> None:
        """Store the answers that have arrived and were not taken; waits for nothing."""
        self._settle(self._arrived())

    def stop(self, pool: str, reason: str) -> None:
        """Let what is out come back, fail the rest of the pool as `cancelled` for `reason`."""
        self._pools[pool].stop(cancelled(reason))

    @property
    def stats(self) -> EngineStats:
        """The counts of all pools together, as of now."""
        return sum((pool.stats for pool in self._pools.values()), EngineStats())

    def stats_of(self, pool: str) -> EngineStats:
        """The counts of one pool, as of now."""
        return self._pools[pool].stats + EngineStats()

    def stopped(self, pool: str) -> CompletionError | None:
        """Why a pool was stopped, or None."""
        return self._pools[pool].stopped

    @abstractmethod
    def describe(self, pool: str) -> Mapping[str, Any]:
        """What the pool's backend says of itself; empty where no worker was started."""

    @abstractmethod
    def close(self) -> None:
        """Salvage, then end all workers. Closing twice does nothing."""

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _fill(self, pool: Pool) -> None:
        """Send what the workers have room for, and take from the sources what that needs."""
        while True:
            if pool.backlog or pool.next_is_alone:
                self._prepare_once(pool)
                self._start(pool)
            while self._has_room(pool, alone=pool.next_is_alone):
                share = -(-pool.backlog // max(1, pool.spec.replicas))
                chunk = pool.next_chunk(share)
                if chunk is None:
                    break
                self._send(pool, chunk)
            # One chunk a worker beyond the window is enough to never keep a worker waiting;
            # results wait in `ready` no longer than one pull.
            wanted = pool.spec.chunk_size * pool.spec.replicas
            if pool.backlog >= wanted or len(pool.ready) >= _PULL or not pool.pull(_PULL):
                return

    def _prepare_once(self, pool: Pool) -> None:
        if self._prepare is not None and not pool.prepared:
            pool.prepared = True
            pool.spec = self._prepare(pool.name, pool.spec, pool.first_to_send)

    def _settle(self, arrivals: Sequence[Arrival]) -> None:
        """Commit all answers in one go, then hand them on; in that order, so none is lost."""
        for name in {arrival.pool for arrival in arrivals}:
            if self._store is not None and self._pools[name].spec.cacheable:
                self._store.put_many(
                    completion
                    for arrival in arrivals
                    if arrival.pool == name
                    for completion in arrival.completions
                )
        for arrival in arrivals:
            for observe in self.observers:
                observe(arrival)
            self._taken(arrival)
            pool = self._pools[arrival.pool]
            if arrival.lost:
                pool.lose(arrival.chunk, arrival.lost)
            else:
                pool.settle(arrival.chunk, arrival.completions)

    @abstractmethod
    def _check_resources(self, pool: Pool) -> None:
        """Raise UserError where the pool's workers can never run."""

    @abstractmethod
    def _start(self, pool: Pool) -> None:
        """Start the pool's workers if they are not; called often."""

    @abstractmethod
    def _has_room(self, pool: Pool, *, alone: bool) -> bool:
        """Whether a chunk can be sent now; `alone`: whether a worker is idle for it."""

    @abstractmethod
    def _send(self, pool: Pool, chunk: Chunk) -> None:
        """Hand a chunk to a worker; called only where `_has_room` says so."""

    @abstractmethod
    def _wait(self) -> list[Arrival]:
        """Block until something has come back (or a worker is ready), and return what has."""

    @abstractmethod
    def _arrived(self) -> list[Arrival]:
        """What has come back, without waiting."""

    @abstractmethod
    def _taken(self, arrival: Arrival) -> None:
        """The arrival's answers are in the store: it need not be returned again."""
