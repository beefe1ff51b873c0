"""The engine on Ray actors: chunks go to actors, actors that die are replaced.

Restarting and asking again are done here and not by Ray (`max_restarts=0`,
`max_task_retries=0`), because only the driver knows which requests are still unanswered and
which of them may be what killed the actor.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any

from mouse.contracts import Completion, CompletionError
from mouse.engine.codec import pack, unpack
from mouse.engine.dispatch import Arrival, Engine, Prepare
from mouse.engine.inline import start_error
from mouse.engine.placement import check_placement, fill, nodes_of
from mouse.engine.pool import Admit, Chunk, Pool
from mouse.engine.ray_runtime import ensure_ray, node_failure
from mouse.engine.store import CompletionStore
from mouse.engine.worker import StartReport, Worker
from mouse.engine.worker_pool import Actor, Crew, Out, why_of
from mouse.text.redaction import named_variables

log = logging.getLogger(__name__)

MAX_START_DEATHS = 3
"""How often in a row the process of an actor may die while its backend is being built."""
MAX_DEATHS_IN_ROW = 20
"""How many actors of a pool may die with no chunk answered in between, before it is stopped."""
_POLL_S = 1.0
"""How long to wait for results before looking whether the Ray node is still alive."""
_CHECK_S = 5.0
"""How often to look while results come: actors outlive their node for a while."""
_CLOSE_S = 2.0
"""How long backends get to close before their actors are killed."""


class RayEngine(Engine):
    """See `Engine`. `address` and `num_cpus` as in `ray_runtime.ensure_ray`."""

    def __init__(
        self,
        *,
        store: CompletionStore | None = None,
        admit: Admit | None = None,
        prepare: Prepare | None = None,
        address: str | None = None,
        num_cpus: float | None = None,
    ) -> None:
        super().__init__(store=store, admit=admit, prepare=prepare)
        ensure_ray(address, num_cpus)
        self._crews: dict[str, Crew] = {}
        self._out: dict[Any, Out] = {}
        self._checked = time.monotonic()
        self._untaken: dict[int, Arrival] = {}

    def describe(self, pool: str) -> Mapping[str, Any]:
        import ray

        for actor in self._crews[pool].actors:
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
            actors = [actor for crew in self._crews.values() for actor in crew.actors]
            if actors and not node_failure():
                ready = [actor.handle.close.remote() for actor in actors if actor.ready]
                if ready:
                    ray.wait(ready, num_returns=len(ready), timeout=_CLOSE_S)
                for actor in actors:
                    ray.kill(actor.handle)
            for crew in self._crews.values():
                crew.actors.clear()
            self._out.clear()

    def _check_resources(self, pool: Pool) -> None:
        others = [(crew.pool.name, crew.pool.spec) for crew in self._crews.values()]
        nodes = nodes_of()
        pool.spec = fill(pool.spec, others, nodes)
        placement = check_placement(pool.name, pool.spec, others, nodes)
        self._crews[pool.name] = Crew(pool, placement)

    def _start(self, pool: Pool) -> None:
        crew = self._crews[pool.name]
        if not crew.started and pool.stopped is None:
            crew.started = True
            for _ in range(max(1, pool.spec.replicas)):
                self._create(crew)

    def _create(self, crew: Crew) -> None:
        import ray

        spec = crew.pool.spec
        actor_class = ray.remote(Worker).options(
            num_cpus=crew.placement.num_cpus,
            num_gpus=spec.num_gpus,
            max_restarts=0,
            max_task_retries=0,
            # `Worker` itself keeps to `spec.max_concurrency`; a chunk may wait there, and
            # `describe` and `close` must not wait behind the chunks.
            max_concurrency=spec.max_concurrency + 3,
        )
        actor = Actor(actor_class.remote(spec), time.monotonic())
        crew.actors.append(actor)
        self._out[actor.handle.build.remote(named_variables(spec.options))] = Out(crew, actor, None)

    def _has_room(self, pool: Pool, *, alone: bool) -> bool:
        return self._crews[pool.name].roomiest(alone=alone) is not None

    def _send(self, pool: Pool, chunk: Chunk) -> None:
        crew = self._crews[pool.name]
        actor = crew.roomiest(alone=chunk.alone)
        assert actor is not None, "called without room"
        actor.chunks += 1
        actor.alone = chunk.alone
        reference = actor.handle.ask.remote(pack(chunk.requests))
        self._out[reference] = Out(crew, actor, chunk)

    def _wait(self) -> list[Arrival]:
        import ray

        while not self._untaken:
            if not self._out:
                self._nobody_left()
                break
            try:
                done, _ = ray.wait(list(self._out), num_returns=1, timeout=_POLL_S)
            except (ray.exceptions.RayError, ConnectionError) as error:
                self._node_died(node_failure() or f"Ray failed ({type(error).__name__}).")
                break
            changed = bool(done) and self._collect()
            if not done or time.monotonic() - self._checked > _CHECK_S:
                self._checked = time.monotonic()
                failure = node_failure()
                if failure:
                    self._node_died(failure)
                    break
                for crew in self._crews.values():
                    crew.speak_of_waiting()
            if changed:
                break  # an actor became ready, or was replaced
        return list(self._untaken.values())

    def _arrived(self) -> list[Arrival]:
        import ray

        if self._out and ray.is_initialized():
            try:
                self._collect(starts=False)
            except (ray.exceptions.RayError, ConnectionError):
                log.debug("Ray is gone; nothing more arrives.")
        return [arrival for arrival in self._untaken.values() if not arrival.lost]

    def _taken(self, arrival: Arrival) -> None:
        del self._untaken[id(arrival)]

    def _collect(self, *, starts: bool = True) -> bool:
        """Turn every reference that is done into an arrival; True where actors changed."""
        import ray

        references = [
            reference for reference, out in self._out.items() if starts or out.chunk is not None
        ]
        if not references:
            return False
        done, _ = ray.wait(references, num_returns=len(references), timeout=0)
        changed = False
        for reference in done:
            out = self._out[reference]
            if out.chunk is None:
                del self._out[reference]
                self._started(out, reference)
                changed = True
            else:
                arrival = self._arrival(out, out.chunk, reference)
                # Kept until `_taken`: an interrupt before the answers are stored finds it here.
                self._untaken[id(arrival)] = arrival
                del self._out[reference]
        return changed

    def _started(self, out: Out, reference: Any) -> None:
        """An actor's start has ended, well or badly."""
        import ray

        crew, actor = out.crew, out.actor
        try:
            report: StartReport = ray.get(reference)
        except ray.exceptions.RayError as error:
            crew.actors.remove(actor)
            crew.start_deaths += 1
            if crew.start_deaths < MAX_START_DEATHS:
                crew.pool.stats.restarts += 1
                self._create(crew)
                return
            report = StartReport(
                f"its process died {crew.start_deaths} times while starting ({why_of(error)})."
            )
        else:
            if report.ok:
                actor.ready = crew.was_ready = True
                crew.start_deaths = 0
                return
            crew.actors.remove(actor)
            ray.kill(actor.handle)
        if not crew.was_ready:
            raise start_error(crew.pool.name, report)
        if not crew.actors:
            crew.pool.stop(
                CompletionError(
                    "resources", f"No worker could be started again: {report.problem}", fatal=True
                )
            )

    def _arrival(self, out: Out, chunk: Chunk, reference: Any) -> Arrival:
        """The answers of a chunk, or the news that its actor is dead (and its replacement)."""
        import ray

        name = out.crew.pool.name
        try:
            completions = unpack(ray.get(reference))
        except ray.exceptions.RayTaskError as error:
            problem = CompletionError("internal", f"The worker failed: {why_of(error)}")
            completions = [Completion(request.key, error=problem) for request in chunk.requests]
        except ray.exceptions.RayError as error:
            self._bury(out.crew, out.actor, why_of(error))
            return Arrival(name, chunk, lost=f"The worker process died ({why_of(error)}).")
        out.actor.chunks -= 1
        out.actor.alone = False
        out.crew.deaths_in_row = 0
        return Arrival(name, chunk, completions)

    def _bury(self, crew: Crew, actor: Actor, why: str) -> None:
        """Replace a dead actor; the first of its lost chunks brings the news, the rest repeat it."""
        import ray

        if actor.dead:
            return
        actor.dead = True
        crew.actors.remove(actor)
        crew.deaths_in_row += 1
        log.warning("A worker of «%s» died (%s) and is replaced.", crew.pool.name, why)
        if node_failure():
            return  # `_wait` will say so
        ray.kill(actor.handle)  # one that is only unreachable must not answer twice
        if crew.deaths_in_row >= MAX_DEATHS_IN_ROW:
            crew.pool.stop(
                CompletionError(
                    "actor_died",
                    f"Workers died {crew.deaths_in_row} times in a row without an answer; the "
                    f"last: {why}",
                    fatal=True,
                )
            )
        elif crew.pool.stopped is None:
            crew.pool.stats.restarts += 1
            self._create(crew)

    def _node_died(self, failure: str) -> None:
        """Nothing more will come: fail what is out and what would follow."""
        for crew in self._crews.values():
            crew.pool.stop(CompletionError("actor_died", failure, fatal=True))
            crew.actors.clear()
        for reference, out in list(self._out.items()):
            del self._out[reference]
            if out.chunk is not None:
                arrival = Arrival(out.crew.pool.name, out.chunk, lost=failure)
                self._untaken[id(arrival)] = arrival

    def _nobody_left(self) -> None:
        """Requests wait and nothing is out: every actor is gone for good."""
        failure = node_failure() or "No worker is left."
        for crew in self._crews.values():
            if crew.pool.busy and not crew.actors:
                crew.pool.stop(CompletionError("actor_died", failure, fatal=True))
