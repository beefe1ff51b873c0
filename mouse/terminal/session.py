"""What surrounds the evaluations of one command: progress, the printed end, one Ray start.

Imported only once a configuration has been accepted.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mouse.evaluation.evaluate import Evaluation, evaluate
from mouse.reporting.confusion import task_figures
from mouse.terminal.progress import Progress
from mouse.terminal.results import console, print_evaluation, print_leaderboard

if TYPE_CHECKING:
    from mouse.config.schema import RunConfig
    from mouse.evaluation.plan import Plan
    from mouse.run import Session


def run_job(config: RunConfig, session: Session) -> Evaluation | None:
    """Evaluate once, showing progress on standard error and the result on standard output.

    None where nothing was evaluated (`dry_run=true`).
    """
    if config.dry_run:
        from mouse.evaluation.evaluate import dry_run
        from mouse.terminal.dry_run import print_dry_run

        plan, cost = dry_run(config)
        _check_repeat(session, plan, config)
        print_dry_run(plan, cost, config)
        return None
    if session.sweep:
        from mouse.evaluation.tracker import ensure_parent

        done = len(session.jobs)
        label = " ".join(session.jobs[-1].overrides)
        print(f"job {done}{_of(session)}: {label}", file=sys.stderr)
        session.parent_run_id = ensure_parent(config, session.parent_run_id, session.command)
    with Progress(config.model.name) as progress:

        def planned(plan: Plan) -> None:
            _check_repeat(session, plan, config)
            progress.plan(plan)

        evaluation = evaluate(
            config,
            on_progress=progress.update,
            on_plan=planned,
            draw=task_figures,
            parent_run_id=session.parent_run_id,
            command=session.command,
        )
    print_evaluation(evaluation, config, brief=session.sweep)
    return evaluation


def _check_repeat(session: Session, plan: Plan, config: RunConfig) -> None:
    if session.repeat is not None:
        from mouse.evaluation.from_manifest import check

        check(session.repeat, plan, config)


def _of(session: Session) -> str:
    return f" of {session.total}" if session.total else ""


def finish(session: Session) -> None:
    """The leaderboard of a sweep, even when a job failed; then stop what this command started."""
    if session.sweep and session.jobs:
        print_leaderboard(session)
        from mouse.evaluation.tracker import close_parent

        close_parent(session.parent_run_id, session.exit_code)
    console().file.flush()
    if "mouse.engine.ray_runtime" in sys.modules:
        from mouse.engine.ray_runtime import shutdown

        shutdown()
