"""One evaluation's MLflow run, begun in a thread beside Ray's start and logged to at the end.

Also the parent run of a sweep. `Untracked` stands in where tracking is off.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from mouse.config.schema import RunConfig
from mouse.contracts import RunResult
from mouse.corpus.items import Dataset
from mouse.engine.dispatch import Arrival
from mouse.evaluation.plan import Plan
from mouse.judging.base import Judge
from mouse.tracking import home, prompt_record, provenance
from mouse.tracking.plain import plain, to_yaml
from mouse.tracking.tracing import CallTracer
from mouse.tracking.writer import Status, Tracker

Draw = Callable[[RunResult], Mapping[str, bytes]]
"""Makes the figures of a result: path under the run's artifacts → file."""
Observers = list[Callable[[Arrival], None]]


class TrackedRun:
    """Begins the run at once, in the background; `log` waits for it and writes the result."""

    def __init__(
        self, config: RunConfig, plan: Plan, judge: Judge, parent_run_id: str | None, command: str
    ) -> None:
        self._config = config
        self._plan = plan
        self._judge = judge
        self._command = command
        self._parent = parent_run_id
        self._done = False
        self._tracer: CallTracer | None = None
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="mouse-tracking")
        self._tracker: Future[Tracker] = self._executor.submit(self._begin)

    def _begin(self) -> Tracker:
        tracker = Tracker(home.prepare())
        codes = [task.code for task in self._plan.tasks]
        tracker.start(
            run_name=f"{self._config.model.name} {','.join(codes)} {self._plan.dataset.name}",
            params=self._config,
            tags={
                "status": "running",
                "model": self._config.model.name,
                "tasks": ",".join(codes),
                "dataset": self._plan.dataset.name,
                "dataset_fingerprint": self._plan.dataset.fingerprint,
                "prompt": self._plan.prompts.name,
                "prompt_fingerprint": self._plan.prompts.fingerprint,
                **(
                    {"examples_fingerprint": self._plan.examples.fingerprint}
                    if self._plan.examples is not None
                    else {}
                ),
                "judge": self._judge.name,
                "judge_identity": str(dict(self._judge.identity)),
                "command": self._command,
            },
            experiment=self._config.tracking.experiment,
            parent_run_id=self._parent,
        )
        problem = prompt_record.register(
            tracker.client, tracker.run_id, self._plan.prompts, codes, self._judge.prompt_source
        )
        if problem:
            tracker.client.set_tag(tracker.run_id, "prompts_not_registered", problem)
        return tracker

    def log(
        self, result: RunResult, manifest: Mapping[str, Any], draw: Draw, *, interrupted: bool
    ) -> str:
        """Write everything and end the run; returns its id."""
        tracker = self._tracker.result()
        tracker.log_result(
            result,
            self._plan.dataset,
            to_yaml(self._config),
            {**manifest, "command": self._command},
            {
                **prompt_record.as_files(
                    self._plan.prompts, self._judge.prompt_source, self._plan.first_requests()
                ),
                **(draw(result) if self._config.tracking.figures and not interrupted else {}),
            },
        )
        status: Status = "complete" if result.complete else "incomplete"
        tracker.finish("interrupted" if interrupted else status)
        self._done = True
        return tracker.run_id

    def observers(self) -> Observers:
        """Who is to be told of the engine's calls: a tracer, where `tracking.trace` asks for it."""
        if not self._config.tracking.trace:
            return []
        tracker = self._tracker.result()
        self._tracer = CallTracer(home.tracking_uri(), tracker.experiment_id, tracker.run_id)
        return [self._tracer]

    def close(self, failed: bool) -> None:
        """End a run that was never logged (an error in between) as failed."""
        if self._tracer is not None:
            self._tracer.close()
        if failed and not self._done:
            with suppress(Exception):  # the first error is the one to show
                self._tracker.result().finish("failed")
        self._executor.shutdown(wait=True)


class Untracked:
    """Tracking is off: nothing is written."""

    def observers(self) -> Observers:
        return []

    def log(
        self, result: RunResult, manifest: Mapping[str, Any], draw: Draw, *, interrupted: bool
    ) -> None:
        return None


@contextmanager
def track(
    config: RunConfig, plan: Plan, judge: Judge, *, parent_run_id: str | None, command: str
) -> Iterator[TrackedRun | Untracked]:
    """The tracking of one evaluation; an exception inside ends the MLflow run as failed."""
    if not config.tracking.enabled:
        yield Untracked()
        return
    run = TrackedRun(config, plan, judge, parent_run_id, command)
    failed = True
    try:
        yield run
        failed = False
    finally:
        run.close(failed)


def manifest(
    config: RunConfig,
    plan: Plan,
    judge: Judge,
    identity: Mapping[str, Any],
    backends: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """All that is needed to repeat a run and to check that it was repeated: no secret in it.

    `identity`: the model's part of every request key. `backends`: what each backend says of
    itself (parameters sent, dtype, versions).
    """
    code = provenance.code()
    return {
        "config": plain(config),
        "dataset": _named(plan.dataset),
        **({} if plan.examples is None else {"examples": _named(plan.examples)}),
        "prompts": prompt_record.record(plan.prompts, judge.prompt_source),
        "tasks": {
            task.code: {"items": len(task.items), "not_applicable": task.not_applicable}
            for task in plan.tasks
        },
        "sampling": plain(plan.sampling),
        "model": plain(dict(identity)),
        "judge": plain(dict(judge.identity)),
        "backends": plain({name: dict(about) for name, about in backends.items()}),
        "code": {"commit": code.commit, "dirty": code.dirty, "fingerprint": code.fingerprint},
        "versions": provenance.versions(),
        "platform": platform.platform(),
    }


def _named(dataset: Dataset) -> dict[str, str]:
    return {
        "name": dataset.name,
        "source": dataset.source,
        "fingerprint": dataset.fingerprint,
    }


def ensure_parent(config: RunConfig, parent_run_id: str | None, command: str) -> str | None:
    """The run under which a sweep's jobs are nested, created with its first job."""
    if parent_run_id or not config.tracking.enabled:
        return parent_run_id
    tracker = Tracker(home.prepare())
    return tracker.start(
        run_name="sweep",
        params={},
        tags={"status": "running", "command": command, "kind": "sweep"},
        experiment=config.tracking.experiment,
    )


def close_parent(parent_run_id: str | None, exit_code: int) -> None:
    """End the parent run with what became of its jobs."""
    if not parent_run_id:
        return
    tracker = Tracker(home.tracking_uri())
    tracker.run_id = parent_run_id
    by_code: dict[int, Status] = {0: "complete", 3: "incomplete", 130: "interrupted"}
    tracker.finish(by_code.get(exit_code, "failed"))
