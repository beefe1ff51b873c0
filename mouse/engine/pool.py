"""One model's requests on their way: what is to be asked, what is out, who waits for which key.

Pure bookkeeping without transport or clock; `dispatch` moves chunks between a pool and actors.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from mouse.contracts import Completion, CompletionError, ErrorKind, Request
from mouse.engine.config import StoreMode
from mouse.engine.keys import key_function
from mouse.engine.stats import EngineStats
from mouse.engine.store import CompletionStore
from mouse.models.base import BackendSpec

ISOLATED_ATTEMPTS = 2
"""How often a request that has an actor to itself may lose it before it is failed; once may be
the machine's fault."""

HOLD: Literal["hold"] = "hold"
"""Said by `admit`: not now, ask again when something that is out has come back."""

Admit = Callable[[str, Request], CompletionError | Literal["hold"] | None]
Result = tuple[str, Request, Completion]


@dataclass(slots=True)
class Chunk:
    """Requests that travel together to one actor."""

    requests: list[Request]
    losses: int = 0
    """How often an actor died with it."""
    isolated: bool = False
    """True where it must have an actor to itself, so that a crash can be attributed to it."""


class Pool:
    """The requests of one model. Every request taken leaves through `ready` exactly once."""

    def __init__(
        self, name: str, spec: BackendSpec, store: CompletionStore | None, admit: Admit | None
    ) -> None:
        self.name = name
        self.spec = spec
        self.stats = EngineStats()
        self.prepared = False
        self.stopped: CompletionError | None = None
        self.ready: deque[Result] = deque()
        self._store = store if spec.cacheable else None
        self._remember = self._store is None or self._store.mode is not StoreMode.reuse
        self._admit = admit
        self._key = key_function(spec.identity, by_item=not spec.cacheable)
        self._sources: deque[Iterator[Request]] = deque()
        self._fresh: deque[Request] = deque()
        self._lost: deque[Chunk] = deque()
        self._poison_candidates: deque[Chunk] = deque()
        self._waiting: dict[str, list[Request]] = {}
        self._settled: dict[str, Completion] = {}

    def submit(self, requests: Iterable[Request]) -> None:
        """Append a source; it is read as needed and never held as a whole."""
        self._sources.append(iter(requests))

    @property
    def busy(self) -> bool:
        """Whether anything submitted has not come out of `ready` yet."""
        return bool(self._sources or self._waiting or self.ready)

    @property
    def backlog(self) -> int:
        """Requests to be asked that are not out, poison candidates left aside."""
        return len(self._fresh) + sum(len(chunk.requests) for chunk in self._lost)

    @property
    def first_to_send(self) -> Request:
        """The first fresh request that must be asked. Raises IndexError where there is none."""
        return self._fresh[0]

    @property
    def next_is_isolated(self) -> bool:
        """Whether all that is left to send are poison candidates, which want an idle worker each."""
        return bool(self._poison_candidates) and not self._lost and not self._fresh

    def pull(self, count: int) -> bool:
        """Take up to `count` requests from the sources; False where they held none."""
        taken: list[Request] = []
        while self._sources and len(taken) < count:
            try:
                request = next(self._sources[0])
            except StopIteration:
                self._sources.popleft()
                continue
            taken.append(replace(request, key=self._key(request)))
        if not taken:
            return False
        self.stats.requests += len(taken)
        stored = self._store.get_many([request.key for request in taken]) if self._store else {}
        for request in taken:
            self._place(request, stored.get(request.key))
        return True

    def _place(self, request: Request, stored: Completion | None) -> None:
        key = request.key
        if key in self._waiting:
            self.stats.duplicates += 1
            self._waiting[key].append(request)
        elif key in self._settled:
            self.stats.duplicates += 1
            self._finish(request, self._settled[key])
        elif stored is not None:
            self.stats.cache_hits += 1
            self._finish(request, stored)
        else:
            self._waiting[key] = [request]
            self._fresh.append(request)
            if self.stopped is not None:
                self._refuse(self._fresh.pop(), self.stopped)

    def next_chunk(self, share: int) -> Chunk | None:
        """The next to send: lost chunks, fresh ones of at most `share`, then poison candidates.

        These come last, so that a request which kills its actor delays no other.
        """
        if self._lost:
            chunk = self._lost.popleft()
            self.stats.asked_again += len(chunk.requests)
        elif self._fresh:
            admitted = self._admitted(min(self.spec.chunk_size, max(1, share)))
            if not admitted:
                return None
            return Chunk(admitted)
        elif self._poison_candidates:
            chunk = self._poison_candidates.popleft()
            self.stats.asked_again += len(chunk.requests)
        else:
            return None
        self.stats.in_flight += len(chunk.requests)
        return chunk

    def _admitted(self, size: int) -> list[Request]:
        """Up to `size` requests that may be sent now; refused ones are settled on the way."""
        admitted: list[Request] = []
        while self._fresh and len(admitted) < size:
            verdict = self._admit(self.name, self._fresh[0]) if self._admit else None
            if verdict == HOLD:
                break
            request = self._fresh.popleft()
            if verdict is None:
                admitted.append(request)
                # Counted one by one: the next verdict may depend on what is out already.
                self.stats.asked += 1
                self.stats.in_flight += 1
            else:
                self._refuse(request, verdict)
        return admitted

    def _refuse(self, request: Request, error: CompletionError) -> None:
        """Settle a request that was never sent."""
        self.stats.refused += 1
        self._abandon(request, error)

    def _abandon(self, request: Request, error: CompletionError) -> None:
        """Fail a request that is not out with an actor, for all who wait for its key."""
        completion = Completion(request.key, error=error, attempts=0)
        for waiting in self._waiting.pop(request.key, ()):
            self._finish(waiting, completion)

    def settle(self, chunk: Chunk, completions: Iterable[Completion]) -> None:
        """Hand the answers of a chunk to all who wait for them; a second call changes nothing."""
        fatal: CompletionError | None = None
        for completion in completions:
            waiting = self._waiting.pop(completion.request_key, None)
            if waiting is None:
                continue
            self.stats.in_flight -= 1
            self.stats.count_call(completion)
            if self._remember or completion.error is not None:
                self._settled[completion.request_key] = completion
            for request in waiting:
                self._finish(request, completion)
            if completion.error is not None and completion.error.fatal:
                fatal = completion.error
        if fatal is not None:
            self.stop(cancelled(fatal.message))

    def lose(self, chunk: Chunk, reason: str) -> None:
        """An actor died with this chunk: ask again, then one by one, then fail what kills it."""
        chunk.losses += 1
        if self.stopped is not None:
            self._fail(chunk, reason)
            return
        if chunk.isolated and chunk.losses >= ISOLATED_ATTEMPTS:
            self._fail(chunk, f"{reason} It happened {chunk.losses} times with this request alone.")
            return
        self.stats.in_flight -= len(chunk.requests)
        if chunk.isolated:
            self._poison_candidates.append(chunk)
        elif chunk.losses >= self.spec.max_chunk_attempts:
            self._poison_candidates.extend(
                Chunk([request], isolated=True) for request in chunk.requests
            )
        else:
            self._lost.appendleft(chunk)

    def stop(self, error: CompletionError) -> None:
        """Fail all that is not out with an actor, now and later; what the store holds still comes."""
        if self.stopped is None:
            self.stopped = error
        fresh, lost = list(self._fresh), [*self._lost, *self._poison_candidates]
        for queue in (self._fresh, self._lost, self._poison_candidates):
            queue.clear()
        for request in fresh:
            self._refuse(request, self.stopped)
        for chunk in lost:
            for request in chunk.requests:
                self._abandon(request, self.stopped)

    def _fail(self, chunk: Chunk, message: str) -> None:
        error = CompletionError("actor_died", message)
        self.settle(chunk, [Completion(request.key, error=error) for request in chunk.requests])

    def _finish(self, request: Request, completion: Completion) -> None:
        if completion.error is None:
            self.stats.answered += 1
        else:
            self.stats.failed += 1
        self.ready.append((self.name, request, completion))


def cancelled(reason: str, kind: ErrorKind = "cancelled") -> CompletionError:
    """The error of requests that were not sent because of what befell others."""
    return CompletionError(kind, f"Not asked, because the run was stopped: {reason}")
