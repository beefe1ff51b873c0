"""The engine: requests go in, completions stream out, the store is asked before any model.

`Engine` keeps the order of business (store, duplicates, bounded window, losses, stopping); its
subclasses only carry chunks: `InlineEngine` in this process, `RayEngine` to actors, `BatchEngine`
to a provider's batch endpoint.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from mouse.contracts import Completion, Request
from mouse.engine.pool import Admit, Chunk, Pool, Result
from mouse.engine.stats import EngineStats
from mouse.engine.store import CompletionStore
from mouse.models.base import BackendSpec

Prepare = Callable[[str, BackendSpec, Request], BackendSpec]

_PULL = 512
"""Requests taken from a source at once: one query of the store."""


@dataclass(frozen=True, slots=True, eq=False)
class Arrival:
    """A chunk that came back: with its completions, or lost with its actor for `lost`."""

    pool: str
    chunk: Chunk
    completions: Sequence[Completion] = field(default=())
    lost: str = ""
    acknowledge: Callable[[], None] = lambda: None
    """Called once the completions are stored."""


@dataclass(eq=False, kw_only=True)
class Engine(ABC):
    """Answers requests of one or more models, each with its own pool of workers.

    `store`: where answers are looked up and kept; None keeps nothing. `admit(pool, request)` is
    asked before a request is sent (not for stored answers and duplicates); a `CompletionError`
    from it becomes that request's fate: how a budget ends a run. `prepare(pool, spec, request)`
    is asked once a pool, before its workers start, with the first request that must be sent; the
    spec it returns is the one that is built: how an API is probed.
    """

    store: CompletionStore | None = None
    admit: Admit | None = None
    prepare: Prepare | None = None

    def __post_init__(self) -> None:
        self.observers: list[Callable[[Arrival], None]] = []
        """Told of every chunk that came back, once its answers are stored; must not block."""
        self._pools: dict[str, Pool] = {}
        # An arrival stays here until its answers are stored, so that an interrupt loses none.
        self._unacknowledged: list[Arrival] = []

    def open(self, name: str, spec: BackendSpec) -> None:
        """Make a pool for one model; raises `UserError` where its resources are not there.

        Workers start with the first request that the store cannot answer, so that repeating a
        finished run loads no model.
        """
        if name in self._pools:
            raise ValueError(f"The pool {name!r} is open already.")
        pool = Pool(name, spec, self.store, self.admit)
        self._check_resources(pool)
        self._pools[name] = pool

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
                self._wait()
                self._settle(self._unacknowledged)
        except BaseException:
            self.salvage()
            raise

    def salvage(self) -> None:
        """Store the answers that have arrived and are not stored yet; waits for nothing."""
        self._collect_finished()
        self._settle([arrival for arrival in self._unacknowledged if not arrival.lost])

    def stats_of(self, pool: str) -> EngineStats:
        """The counts of one pool, as of now."""
        return replace(self._pools[pool].stats)

    @abstractmethod
    def describe(self, pool: str) -> Mapping[str, Any]:
        """What the pool's backend says of itself; empty where no worker was started."""

    @abstractmethod
    def close(self) -> None:
        """Salvage, then end all workers. Closing twice does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _fill(self, pool: Pool) -> None:
        """Send what the workers have room for, and take from the sources what that needs."""
        while True:
            if pool.backlog or pool.next_is_isolated:
                self._prepare_once(pool)
                self._start(pool)
            while self._has_room(pool, isolated=pool.next_is_isolated):
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
        if self.prepare is not None and not pool.prepared:
            pool.prepared = True
            pool.spec = self.prepare(pool.name, pool.spec, pool.first_to_send)

    def _settle(self, arrivals: Sequence[Arrival]) -> None:
        """Commit all answers in one go, then hand them on; in that order, so none is lost."""
        arrivals = list(arrivals)
        for name in {arrival.pool for arrival in arrivals}:
            if self.store is not None and self._pools[name].spec.cacheable:
                self.store.put_many(
                    completion
                    for arrival in arrivals
                    if arrival.pool == name
                    for completion in arrival.completions
                )
        for arrival in arrivals:
            for observe in self.observers:
                observe(arrival)
            arrival.acknowledge()
            self._unacknowledged.remove(arrival)
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
    def _has_room(self, pool: Pool, *, isolated: bool) -> bool:
        """Whether a chunk can be sent now; `isolated`: whether a worker is idle for it."""

    @abstractmethod
    def _send(self, pool: Pool, chunk: Chunk) -> None:
        """Hand a chunk to a worker; called only where `_has_room` says so."""

    @abstractmethod
    def _wait(self) -> None:
        """Block until something has come back (or a worker is ready); add it to
        `_unacknowledged`."""

    def _collect_finished(self) -> None:  # noqa: B027 (nothing comes of itself but from Ray)
        """Add to `_unacknowledged` what has come back meanwhile, without waiting."""
