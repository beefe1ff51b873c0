"""The evaluations of one command: each job run with its progress and its printed end."""

from __future__ import annotations

import sys

from mouse.config.schema import RunConfig
from mouse.engine import ray_runtime
from mouse.evaluation.estimate import dry_run
from mouse.evaluation.evaluate import Evaluation, evaluate
from mouse.evaluation.from_manifest import check
from mouse.evaluation.plan import Plan
from mouse.evaluation.tracker import close_parent, ensure_parent
from mouse.reporting.confusion import task_figures
from mouse.terminal.command_run import CommandRun
from mouse.terminal.dry_run import print_dry_run
from mouse.terminal.leaderboard import print_leaderboard
from mouse.terminal.progress import Progress
from mouse.terminal.results import console, print_evaluation


def run_job(config: RunConfig, run: CommandRun) -> Evaluation | None:
    """Evaluate once, showing progress on standard error and the result on standard output.

    None where nothing was evaluated (`dry_run=true`).
    """

    def check_repeat(plan: Plan) -> None:
        if run.repeat is not None:
            check(run.repeat, plan, config)

    if config.dry_run:
        plan, estimate = dry_run(config)
        check_repeat(plan)
        print_dry_run(plan, estimate, config)
        return None
    if run.sweep:
        of = f" of {run.total}" if run.total else ""
        label = " ".join(run.jobs[-1].overrides)
        print(f"job {len(run.jobs)}{of}: {label}", file=sys.stderr)
        run.parent_run_id = ensure_parent(config, run.parent_run_id, run.command)
    with Progress(config.model.name) as progress:

        def planned(plan: Plan) -> None:
            check_repeat(plan)
            progress.plan(plan)

        evaluation = evaluate(
            config,
            on_progress=progress.update,
            on_plan=planned,
            draw=task_figures,
            parent_run_id=run.parent_run_id,
            command=run.command,
        )
    print_evaluation(evaluation, config, brief=run.sweep)
    return evaluation


def finish(run: CommandRun) -> None:
    """The leaderboard of a sweep, even when a job failed; then stop what this command started."""
    if run.sweep and run.jobs:
        print_leaderboard(run.jobs, run.parent_run_id)
        close_parent(run.parent_run_id, run.exit_code)
    console().file.flush()
    ray_runtime.shutdown()
