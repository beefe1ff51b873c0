"""All evaluations of one command, as they ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mouse.errors import (
    EXIT_COMPLETE,
    EXIT_INCOMPLETE,
    EXIT_INTERRUPTED,
    EXIT_UNEXPECTED,
    EXIT_USAGE,
)
from mouse.evaluation.evaluate import Evaluation
from mouse.evaluation.from_manifest import Repeat
from mouse.tasks.registry import get_task


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
