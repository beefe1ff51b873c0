"""The engine on Ray actors: chunks go to actors, actors that die are replaced.

Restarting and asking again are done here and not by Ray (`max_restarts=0`,
`max_task_retries=0`), because only the driver knows which requests are still unanswered and
which of them may be what killed the actor.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mouse.contracts import Completion, CompletionError
from mouse.engine.codec import pack, unpack
from mouse.engine.dispatch import Arrival, Engine
from mouse.engine.inline import start_error
from mouse.engine.placement import check_placement, nodes_of, settle_replicas
from mouse.engine.pool import Chunk, Pool
from mouse.engine.ray_runtime import ensure_ray, node_failure
from mouse.engine.worker import StartReport, Worker
from mouse.engine.worker_pool import Actor, Pending, WorkerPool, cause_of
from mouse.plugins import plugin_variables
from mouse.text.redaction import named_variables

log = logging.getLogger(__name__)

MAX_FAILED_STARTS = 3
"""How often in a row the process of an actor may die while its backend is being built."""
MAX_DEATHS_IN_ROW = 20
"""How many actors of a pool may die with no chunk answered in between, before it is stopped."""
_POLL_S = 1.0
"""How long to wait for results before looking whether the Ray node is still alive."""
_CHECK_S = 5.0
"""How often to look while results come: actors outlive their node for a while."""
_CLOSE_S = 2.0
"""How long backends get to close before their actors are killed."""


@dataclass(eq=False, kw_only=True)
class RayEngine(Engine):
    """See `Engine`. `address` and `num_cpus` as in `ray_runtime.ensure_ray`."""

    address: str | None = None
    num_cpus: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        ensure_ray(self.address, self.num_cpus)
        self._workers: dict[str, WorkerPool] = {}
        self._pending: dict[Any, Pending] = {}
        self._checked = time.monotonic()

    def describe(self, pool: str) -> Mapping[str, Any]:
        import ray

        for actor in self._workers[pool].actors:
            if actor.ready and not actor.dead:
                try:
                    return dict(ray.get(actor.handle.describe.remote(), timeout=10))
                except ray.exceptions.RayError:
                    continue
        return {}

    def close(self) -> None:
        import ray

        if not ray.is_initialized():
            return
        try:
            self.salvage()
        finally:
            actors = [actor for workers in self._workers.values() for actor in workers.actors]
            if actors and not node_failure():
                ready = [actor.handle.close.remote() for actor in actors if actor.ready]
                if ready:
                    ray.wait(ready, num_returns=len(ready), timeout=_CLOSE_S)
                for actor in actors:
                    ray.kill(actor.handle)
            for workers in self._workers.values():
                workers.actors.clear()
            self._pending.clear()

    def _check_resources(self, pool: Pool) -> None:
        others = {name: workers.pool.spec for name, workers in self._workers.items()}
        nodes = nodes_of()
        pool.spec = settle_replicas(pool.spec, others, nodes)
        num_cpus = check_placement(pool.name, pool.spec, others, nodes)
        self._workers[pool.name] = WorkerPool(pool, num_cpus)

    def _start(self, pool: Pool) -> None:
        workers = self._workers[pool.name]
        if not workers.started and pool.stopped is None:
            workers.started = True
            for _ in range(max(1, pool.spec.replicas)):
                self._create_actor(workers)

    def _create_actor(self, workers: WorkerPool) -> None:
        import ray

        spec, plugins = workers.pool.spec, plugin_variables()
        actor_class = ray.remote(Worker).options(
            num_cpus=workers.num_cpus,
            num_gpus=spec.num_gpus,
            max_restarts=0,
            max_task_retries=0,
            # `Worker` itself keeps to `spec.max_concurrency`; a chunk may wait there, and
            # `describe` and `close` must not wait behind the chunks.
            max_concurrency=spec.max_concurrency + 3,
            # A Ray that runs already has not inherited it.
            runtime_env={"env_vars": plugins} if plugins else None,
        )
        actor = Actor(actor_class.remote(spec), time.monotonic())
        workers.actors.append(actor)
        reference = actor.handle.build.remote(named_variables(spec.options))
        self._pending[reference] = Pending(workers, actor, None)

    def _has_room(self, pool: Pool, *, isolated: bool) -> bool:
        return self._workers[pool.name].least_loaded(isolated=isolated) is not None

    def _send(self, pool: Pool, chunk: Chunk) -> None:
        workers = self._workers[pool.name]
        actor = workers.least_loaded(isolated=chunk.isolated)
        assert actor is not None, "called without room"
        actor.chunks += 1
        actor.isolated = chunk.isolated
        reference = actor.handle.ask.remote(pack(chunk.requests))
        self._pending[reference] = Pending(workers, actor, chunk)

    def _wait(self) -> None:
        import ray

        while not self._unacknowledged:
            if not self._pending:
                self._stop_pools_without_actors()
                return
            try:
                done, _ = ray.wait(list(self._pending), num_returns=1, timeout=_POLL_S)
            except (ray.exceptions.RayError, ConnectionError) as error:
                self._fail_all(node_failure() or f"Ray failed ({type(error).__name__}).")
                return
            changed = bool(done) and self._collect()
            if not done or time.monotonic() - self._checked > _CHECK_S:
                self._checked = time.monotonic()
                failure = node_failure()
                if failure:
                    self._fail_all(failure)
                    return
                for workers in self._workers.values():
                    workers.warn_of_slow_start()
            if changed:
                return  # an actor became ready, or was replaced

    def _collect_finished(self) -> None:
        import ray

        if self._pending and ray.is_initialized():
            try:
                self._collect(starts=False)
            except (ray.exceptions.RayError, ConnectionError):
                log.debug("Ray is gone; nothing more arrives.")

    def _collect(self, *, starts: bool = True) -> bool:
        """Turn every reference that is done into an arrival; True where actors changed."""
        import ray

        references = [
            reference
            for reference, pending in self._pending.items()
            if starts or pending.chunk is not None
        ]
        if not references:
            return False
        done, _ = ray.wait(references, num_returns=len(references), timeout=0)
        changed = False
        for reference in done:
            pending = self._pending[reference]
            if pending.chunk is None:
                del self._pending[reference]
                self._take_start(pending, reference)
                changed = True
            else:
                arrival = self._arrival(pending, pending.chunk, reference)
                self._unacknowledged.append(arrival)
                del self._pending[reference]
        return changed

    def _take_start(self, pending: Pending, reference: Any) -> None:
        """An actor's start has ended, well or badly."""
        import ray

        workers, actor = pending.workers, pending.actor
        try:
            report: StartReport = ray.get(reference)
        except ray.exceptions.RayError as error:
            workers.actors.remove(actor)
            workers.failed_starts += 1
            if workers.failed_starts < MAX_FAILED_STARTS:
                workers.pool.stats.restarts += 1
                self._create_actor(workers)
                return
            report = StartReport(
                f"its process died {workers.failed_starts} times while starting "
                f"({cause_of(error)})."
            )
        else:
            if report.ok:
                actor.ready = workers.was_ready = True
                workers.failed_starts = 0
                return
            workers.actors.remove(actor)
            ray.kill(actor.handle)
        if not workers.was_ready:
            raise start_error(workers.pool.name, report)
        if not workers.actors:
            workers.pool.stop(
                CompletionError(
                    "resources", f"No worker could be started again: {report.problem}", fatal=True
                )
            )

    def _arrival(self, pending: Pending, chunk: Chunk, reference: Any) -> Arrival:
        """The answers of a chunk, or that its actor is dead (which is then replaced)."""
        import ray

        workers, actor = pending.workers, pending.actor
        try:
            completions = unpack(ray.get(reference))
        except ray.exceptions.RayTaskError as error:
            problem = CompletionError("internal", f"The worker failed: {cause_of(error)}")
            completions = [Completion(request.key, error=problem) for request in chunk.requests]
        except ray.exceptions.RayError as error:
            self._replace(workers, actor, cause_of(error))
            lost = f"The worker process died ({cause_of(error)})."
            return Arrival(workers.pool.name, chunk, lost=lost)
        actor.chunks -= 1
        actor.isolated = False
        workers.deaths_in_row = 0
        return Arrival(workers.pool.name, chunk, completions)

    def _replace(self, workers: WorkerPool, actor: Actor, cause: str) -> None:
        """Replace a dead actor, once: each chunk that it held reports its death."""
        import ray

        if actor.dead:
            return
        actor.dead = True
        workers.actors.remove(actor)
        workers.deaths_in_row += 1
        log.warning("A worker of «%s» died (%s) and is replaced.", workers.pool.name, cause)
        if node_failure():
            return  # `_wait` will say so
        ray.kill(actor.handle)  # one that is only unreachable must not answer twice
        if workers.deaths_in_row >= MAX_DEATHS_IN_ROW:
            workers.pool.stop(
                CompletionError(
                    "actor_died",
                    f"Workers died {workers.deaths_in_row} times in a row without an answer; the "
                    f"last: {cause}",
                    fatal=True,
                )
            )
        elif workers.pool.stopped is None:
            workers.pool.stats.restarts += 1
            self._create_actor(workers)

    def _fail_all(self, failure: str) -> None:
        """Nothing more will come: fail what is out and what would follow."""
        for workers in self._workers.values():
            workers.pool.stop(CompletionError("actor_died", failure, fatal=True))
            workers.actors.clear()
        while self._pending:
            _, pending = self._pending.popitem()
            if pending.chunk is not None:
                name = pending.workers.pool.name
                self._unacknowledged.append(Arrival(name, pending.chunk, lost=failure))

    def _stop_pools_without_actors(self) -> None:
        """Requests wait and nothing is out: every actor is gone for good."""
        failure = node_failure() or "No worker is left."
        for workers in self._workers.values():
            if workers.pool.busy and not workers.actors:
                workers.pool.stop(CompletionError("actor_died", failure, fatal=True))
