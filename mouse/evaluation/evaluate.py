"""One evaluation, from configuration to tracked result. This is the whole program's flow.

    data → plan → engine (model, judge) → predictions and verdicts → metrics → RunResult → MLflow

Every part can be used without this module; nothing here parses, scores or talks to a network.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from mouse.config.schema import RunConfig
from mouse.contracts import Completion, RunResult
from mouse.engine.dispatch import Engine
from mouse.evaluation import interrupts, preload
from mouse.evaluation.asking import Asked, ask_about_ratings, ask_all, rated_to_judge
from mouse.evaluation.models import MODEL_POOL, AskedModels, open_models
from mouse.evaluation.plan import Plan, plan_run
from mouse.evaluation.result import run_result
from mouse.evaluation.tracker import Draw, manifest, track
from mouse.evaluation.usage import UsageMeter
from mouse.judging.registry import make_judge
from mouse.models.registry import make_spec

ProgressCallback = Callable[[int, int, UsageMeter, Engine], None]
"""Called with requests answered, judge questions answered, usage so far, and the engine."""


@dataclass
class Evaluation:
    """What `evaluate` gives back: the result, and where it is tracked."""

    result: RunResult
    plan: Plan
    run_id: str | None = None
    interrupted: bool = False


def evaluate(
    config: RunConfig,
    *,
    on_plan: Callable[[Plan], None] = lambda plan: None,
    on_progress: ProgressCallback = lambda done, judged, meter, engine: None,
    draw: Draw = lambda result: {},
    parent_run_id: str | None = None,
    command: str = "",
) -> Evaluation:
    """Run one evaluation to its end. Raises `UserError` for a mistake in configuration or data.

    `draw` makes the figures that are tracked (`tracking.figures`). An interruption (Ctrl-C) is no
    error: the run is marked as killed, and the returned `Evaluation` says so.
    """
    started = time.monotonic()
    config.check()
    plan = plan_run(config)
    spec = make_spec(config.model, plan.context())
    judge = make_judge(config.judge, config.model)
    on_plan(plan)
    with (
        track(config, plan, judge, parent_run_id=parent_run_id, command=command) as tracked,
        open_models(config, spec, judge) as models,
    ):
        models.engine.observers += tracked.observers() if tracked else []
        preload.preload(config)
        asked = Asked(judge)
        interrupted = False
        try:
            with interrupts.unswallowed():
                threshold = config.judge.copy_threshold
                ask_all(models.engine, plan, asked, threshold, _counted(models, on_progress))
                ask_about_ratings(
                    models.engine, rated_to_judge(config.judge, plan), asked, threshold
                )
        except KeyboardInterrupt:
            interrupted = True
        usage = {**models.usage(), "wall_s": time.monotonic() - started}
        result = run_result(config, plan, judge, asked, usage, interrupted=interrupted)
        run_id = None
        if tracked:
            record = manifest(config, plan, judge, spec.identity, models.describe())
            run_id = tracked.log(result, record, draw, interrupted=interrupted)
    return Evaluation(result=result, plan=plan, run_id=run_id, interrupted=interrupted)


def _counted(
    models: AskedModels, on_progress: ProgressCallback
) -> Callable[[str, Completion], None]:
    """Meters each answer and shows the progress; raises a Ctrl-C that a library swallowed."""
    done = judged = 0

    def answered(pool: str, completion: Completion) -> None:
        nonlocal done, judged
        if pool == MODEL_POOL:
            models.meter.add(completion)
            done += 1
        else:
            judged += 1
        interrupts.check()
        on_progress(done, judged, models.meter, models.engine)

    return answered
