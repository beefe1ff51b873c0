"""The evaluations of one command: each run with its progress, and the table of a sweep."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from mouse.config.schema import RunConfig
from mouse.contracts import MetricValue
from mouse.engine import ray_runtime
from mouse.errors import (
    EXIT_COMPLETE,
    EXIT_INCOMPLETE,
    EXIT_INTERRUPTED,
    EXIT_UNEXPECTED,
    EXIT_USAGE,
)
from mouse.evaluation.estimate import dry_run
from mouse.evaluation.evaluate import Evaluation, evaluate
from mouse.evaluation.from_manifest import Repeat, check
from mouse.evaluation.plan import Plan
from mouse.evaluation.tracker import close_parent, ensure_parent
from mouse.reporting.confusion import task_figures
from mouse.tasks.registry import all_tasks, get_task
from mouse.terminal.dry_run import print_dry_run
from mouse.terminal.progress import Progress
from mouse.terminal.results import console, is_open, number, print_evaluation, simple_box


@dataclass
class Job:
    """One evaluation of a command, as it ended."""

    overrides: Sequence[str]
    exit_code: int = EXIT_UNEXPECTED
    evaluation: Evaluation | None = None
    error: str = ""

    @property
    def headline(self) -> float:
        """Mean of the first headline metric of each task: what an Optuna sweep maximises."""
        if self.evaluation is None:
            return float("nan")
        tasks = self.evaluation.result.tasks
        firsts = {get_task(task.task).headline_names[0] for task in tasks}
        values = [m.value for task in tasks for m in task.metrics if m.name in firsts]
        return sum(values) / len(values) if values else float("nan")


@dataclass
class CommandRun:
    """All jobs of one command; a sweep has several and one parent run in MLflow."""

    command: str
    sweep: bool
    jobs: list[Job] = field(default_factory=list)
    parent_run_id: str | None = None
    total: int = 0
    """Jobs of the sweep; 0 where the sweeper does not say in advance."""
    repeat: Repeat | None = None
    """The run that this command repeats (`--from-manifest`)."""

    @property
    def exit_code(self) -> int:
        """The worst of the jobs: interrupted, unexpected, usage, incomplete, complete."""
        codes = {job.exit_code for job in self.jobs}
        for code in (EXIT_INTERRUPTED, EXIT_UNEXPECTED, EXIT_USAGE, EXIT_INCOMPLETE):
            if code in codes:
                return code
        return EXIT_COMPLETE


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


def print_leaderboard(jobs: Sequence[Job], parent_run_id: str | None) -> None:
    """Rank what was evaluated by the first headline; say how to repeat what failed."""
    from rich.markup import escape
    from rich.table import Table

    if all(job.evaluation is None and not job.exit_code for job in jobs):
        return  # a dry run has nothing to rank, and nothing failed
    common = set.intersection(*(set(job.overrides) for job in jobs))
    merged: dict[tuple[str, str, str], dict[str, str]] = {}
    for job in jobs:
        if job.evaluation is None or job.evaluation.interrupted:
            continue
        result = job.evaluation.result
        settings = " ".join(
            text
            for text in job.overrides
            if text not in common and not text.startswith(("model=", "task=", "task.names="))
        )
        row = merged.setdefault((result.model, result.data, settings), {})
        for task in result.tasks:
            row |= {
                m.name: _shown(m)
                for m in task.metrics
                if m.name in get_task(task.task).headline_names
            }
    order = [
        name
        for task in all_tasks().values()
        for name in task.headline_names
        if any(name in r for r in merged.values())
    ]
    rows = list(merged.items())
    if order:
        rows.sort(key=lambda pair: pair[1].get(order[0], ""), reverse=True)
    different = any(settings for _, _, settings in merged)
    table = Table(title="leaderboard", title_justify="left", box=simple_box())
    for title in ("model", "data", *(["settings"] if different else [])):
        table.add_column(title)
    for name in order:
        table.add_column(name, justify="right")
    for (model, data, settings), row in rows:
        cells = [model, data, *([escape(settings)] if different else [])]
        table.add_row(*cells, *(row.get(name, "") for name in order))
    out = console()
    out.print(table)
    for job in jobs:
        if job.error or job.evaluation is None:
            command = shlex.join(["python", "-m", "mouse.run", *job.overrides])
            out.print(
                f"FAILED (exit {job.exit_code}): {escape(job.error or 'interrupted')}\n"
                f"  repeat it with: {escape(command)}",
                soft_wrap=True,
            )
    if parent_run_id:
        out.print(f"sweep tracked as {parent_run_id}; open it with: make ui", soft_wrap=True)


def _shown(metric: MetricValue) -> str:
    if is_open(metric):
        return f"{number(metric.worst)}…{number(metric.best)}"
    return f"{number(metric.value)} ±{(metric.hi - metric.lo) / 2:.3f}"
