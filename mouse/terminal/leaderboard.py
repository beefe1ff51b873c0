"""One table for a sweep: a row a job, the headline metrics as columns, failures named."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from mouse.contracts import MetricValue
from mouse.tasks.registry import all_tasks, get_task
from mouse.terminal.command_run import Job
from mouse.terminal.results import console, is_open, number, simple_box


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
