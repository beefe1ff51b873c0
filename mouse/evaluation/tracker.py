"""One evaluation's MLflow run, begun in a thread beside Ray's start and logged to at the end.

Also the parent run of a sweep. `NullSession` stands in where tracking is off.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from mouse.tracking import home, prompt_record, provenance
from mouse.tracking.plain import plain, to_yaml

if TYPE_CHECKING:
    from mouse.config.schema import RunConfig
    from mouse.contracts import RunResult
    from mouse.engine.dispatch import Arrival
    from mouse.evaluation.plan import Plan
    from mouse.judging.base import Judge
    from mouse.tracking.tracing import CallTracer
    from mouse.tracking.writer import Status, Tracker

Draw = Callable[["RunResult"], Mapping[str, bytes]]
"""Makes the figures of a result: path under the run's artifacts → file."""


class TrackingSession:
    """Begins the run at once, in the background; `log` waits for it and writes the result."""

    def __init__(
        self,
        config: RunConfig,
        plan: Plan,
        judge: Judge,
        parent_run_id: str | None,
        command: str,
        draw: Draw,
    ) -> None:
        self._draw = draw
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
        from mouse.tracking.writer import Tracker

        uri = home.prepare()
        tracker = Tracker(uri)
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
                **_examples_tags(self._plan),
                "judge": self._judge.name,
                "judge_identity": str(dict(self._judge.identity)),
                "command": self._command,
            },
            experiment=self._config.tracking.experiment,
            parent_run_id=self._parent,
        )
        if problem := prompt_record.register(
            tracker.client, tracker.run_id, self._plan.prompts, codes, judge_prompt(self._judge)
        ):
            tracker.client.set_tag(tracker.run_id, "prompts_not_registered", problem)
        return tracker

    def log(self, result: RunResult, manifest: Mapping[str, Any], *, interrupted: bool) -> str:
        """Write everything and end the run; returns its id."""
        tracker = self._tracker.result()
        tracker.log_result(
            result,
            self._plan.dataset,
            to_yaml(self._config),
            {**manifest, "command": self._command},
            {
                **prompt_record.as_files(
                    self._plan.prompts,
                    judge_prompt(self._judge),
                    self._plan.requests(),
                    kinds=sum(len(one.task.variants) for one in self._plan.tasks),
                ),
                **({} if interrupted or not self._config.tracking.figures else self._draw(result)),
            },
        )
        doubted = any(warning.startswith("judge not validated") for warning in result.warnings)
        if self._config.judge.min_qwk is not None and not interrupted:
            tracker.client.set_tag(tracker.run_id, "judge_validated", str(not doubted).lower())
        status: Status = "complete" if result.complete else "incomplete"
        tracker.finish("interrupted" if interrupted else status)
        self._done = True
        return tracker.run_id

    def observers(self) -> list[Callable[[Arrival], None]]:
        """Who is to be told of the engine's calls: a tracer, where `tracking.trace` asks for it."""
        if not self._config.tracking.trace:
            return []
        from mouse.tracking.tracing import CallTracer

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


class NullSession:
    """Tracking is off: nothing is written."""

    def observers(self) -> list[Callable[[Arrival], None]]:
        return []

    def log(self, result: RunResult, manifest: Mapping[str, Any], *, interrupted: bool) -> None:
        return None

    def close(self, failed: bool) -> None:
        return None


@contextmanager
def open_tracker(
    config: RunConfig,
    plan: Plan,
    judge: Judge,
    *,
    parent_run_id: str | None,
    command: str,
    draw: Draw,
) -> Iterator[TrackingSession | NullSession]:
    """The tracking of one evaluation; an exception inside ends the MLflow run as failed."""
    session: TrackingSession | NullSession = (
        TrackingSession(config, plan, judge, parent_run_id, command, draw)
        if config.tracking.enabled
        else NullSession()
    )
    failed = True
    try:
        yield session
        failed = False
    finally:
        session.close(failed)


def judge_prompt(judge: Judge) -> str:
    """The text of the judge's prompt file; empty where the judge has none."""
    prompt = getattr(judge, "prompt", None)
    return str(prompt.source) if prompt is not None else ""


def _examples(plan: Plan) -> dict[str, str]:
    """What the few-shot examples were drawn from; empty where there are none."""
    if plan.examples is None:
        return {}
    return {
        "name": plan.examples.name,
        "source": plan.examples.source,
        "fingerprint": plan.examples.fingerprint,
    }


def _examples_tags(plan: Plan) -> dict[str, str]:
    found = _examples(plan)
    return {"examples_fingerprint": found["fingerprint"]} if found else {}


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
        "dataset": {
            "name": plan.dataset.name,
            "source": plan.dataset.source,
            "fingerprint": plan.dataset.fingerprint,
        },
        **({"examples": examples} if (examples := _examples(plan)) else {}),
        "prompts": prompt_record.record(plan.prompts, judge_prompt(judge)),
        "tasks": {
            task.code: {"items": len(task.items), "not_applicable": task.not_applicable}
            for task in plan.tasks
        },
        "sampling": plain(plan.sampling),
        "model": plain(dict(identity)),
        "judge": plain(dict(judge.identity)),
        "backends": plain({name: dict(about) for name, about in backends.items()}),
        "code": {
            "commit": code.commit,
            "dirty": code.dirty,
            "fingerprint": code.fingerprint,
        },
        "versions": provenance.versions(),
        "platform": platform.platform(),
    }


def ensure_parent(config: RunConfig, parent_run_id: str | None, command: str) -> str | None:
    """The run under which a sweep's jobs are nested, created with its first job."""
    if parent_run_id or not config.tracking.enabled:
        return parent_run_id
    from mouse.tracking.writer import Tracker

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
    from mouse.tracking.writer import Tracker

    tracker = Tracker(home.tracking_uri())
    tracker.run_id = parent_run_id
    by_code: dict[int, Status] = {0: "complete", 3: "incomplete", 130: "interrupted"}
    tracker.finish(by_code.get(exit_code, "failed"))
