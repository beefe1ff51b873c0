"""The runs that one report is about: one entry a model, its newest run of each task.

Owns which runs go together and refuses those that do not; computes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mouse.errors import UserError
from mouse.tasks.registry import task_codes

if TYPE_CHECKING:
    import pandas as pd

    from mouse.scoring.aligned import Answers
    from mouse.tracking.stored import StoredRun

COMPARABLE_TAGS = {
    "dataset_fingerprint": "data",
    "prompt_fingerprint": "prompts",
}
"""What runs of one task must share for their numbers to be comparable, and its name."""


@dataclass(frozen=True)
class Entry:
    """One model with its run of each task."""

    model: str
    runs: Mapping[str, StoredRun]

    @cached_property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """Metric name (`td/acc`) → its record; a number that is undefined is None."""
        return {
            record["name"]: record
            for task, run in self.runs.items()
            for record in run.metrics
            if record["task"] == task
        }

    def value(self, metric: str) -> float | None:
        record = self.metrics.get(metric)
        return None if record is None else record["value"]

    def param(self, name: str) -> str | None:
        """A parameter of the runs (`model.parameters_b`); None where no run has it."""
        for run in self.runs.values():
            if name in run.summary.params:
                return run.summary.params[name]
        return None

    def logged(self, metric: str) -> float | None:
        """Sum over this entry's distinct runs of a number that MLflow holds (`usage/cost_usd`)."""
        distinct = {run.run_id: run for run in self.runs.values()}.values()
        values = [run.summary.metrics[metric] for run in distinct if metric in run.summary.metrics]
        return sum(values) if values else None

    @property
    def group(self) -> str | None:
        """The group of human participants that a replayed entry belongs to."""
        if self.param("model.backend") != "replay":
            return None
        return self.param("model.group")

    @property
    def judge_doubt(self) -> str:
        """Why the judge of the translations is not validated; empty where nothing says it isn't."""
        return self.runs["tr"].judge_validation.reason if "tr" in self.runs else ""


@dataclass(frozen=True)
class Study:
    """Entries in the order of the report, and sentences its reader must know."""

    name: str
    entries: tuple[Entry, ...]
    warnings: tuple[str, ...] = ()
    _answers: dict[tuple[str, str], Answers] = field(default_factory=dict, repr=False)

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(code for code in task_codes() if any(code in e.runs for e in self.entries))

    def with_task(self, task: str) -> list[Entry]:
        return [entry for entry in self.entries if task in entry.runs]

    def answers(self, entry: Entry, task: str) -> Answers:
        """An entry's predictions and verdicts as the paired statistics take them."""
        key = (entry.model, task)
        if key not in self._answers:
            self._answers[key] = entry.runs[task].answers(task)
        return self._answers[key]

    def clusters(self, task: str) -> dict[str, str]:
        merged: dict[str, str] = {}
        for entry in self.with_task(task):
            merged.update(entry.runs[task].clusters(task))
        return merged

    @cached_property
    def cxeis(self) -> pd.DataFrame:
        """Every expression that some run asked about, once, indexed by id."""
        return _union([run.cxeis for entry in self.entries for run in entry.runs.values()])

    @cached_property
    def choices(self) -> pd.DataFrame:
        """Every choice item that some run asked about, once, indexed by id."""
        return _union([run.choices for entry in self.entries for run in entry.runs.values()])


def make_study(name: str, runs: Sequence[StoredRun], *, mixed: bool = False) -> Study:
    """Put runs together, `runs` the newest first.

    A model's older run of a task is left out where it has a newer one. Unfinished runs are said.

    Raises:
        UserError: no run, or runs of one task on different data or prompts; with `mixed` the
            latter is a warning, and paired statistics use the items that all runs share.
    """
    if not runs:
        raise UserError(
            "no run to report on: python -m mouse.run makes one, --where and --runs choose"
        )
    by_model: dict[str, dict[str, StoredRun]] = {}
    for run in runs:
        for task in run.tasks:
            by_model.setdefault(_entry_name(run), {}).setdefault(task, run)
    unknown = [run.unknown_tasks for run in runs if run.unknown_tasks]
    if not by_model and unknown:
        raise UserError(unknown[0])
    entries = tuple(Entry(model, by_model[model]) for model in sorted(by_model))
    warnings = _differences(entries)
    if warnings and not mixed:
        raise UserError(
            " ".join(warnings)
            + " Choose runs that agree with --where or --runs, or give --mixed to report on them "
            "anyway."
        )
    for entry in entries:
        for task, run in entry.runs.items():
            if run.summary.status != "complete":
                warnings.append(f"{entry.model}: the run of {task} is {run.summary.status}.")
    for run in {run.run_id: run for e in entries for run in e.runs.values()}.values():
        warnings += [sentence for sentence in run.warnings if sentence not in warnings]
    warnings += [f"{entry.model}: {entry.judge_doubt}" for entry in entries if entry.judge_doubt]
    return Study(name, entries, (*warnings, *unknown))


def _entry_name(run: StoredRun) -> str:
    """The model's name; a replayed person's own where the run was not given another one."""
    params = run.summary.params
    rater = params.get("model.rater")
    if run.model == "replay" and rater not in (None, "", "None"):
        return str(rater)
    return run.model


def _differences(entries: Sequence[Entry]) -> list[str]:
    found = []
    for tag, what in COMPARABLE_TAGS.items():
        for task in task_codes():
            values: dict[str, list[str]] = {}
            for entry in entries:
                if task in entry.runs:
                    value = entry.runs[task].summary.tags.get(tag, "unknown")
                    values.setdefault(value, []).append(entry.model)
            if len(values) > 1:
                groups = " / ".join(", ".join(models) for models in values.values())
                found.append(f"Runs of {task} were made on different {what}: {groups}.")
                break
    judges: dict[str, list[str]] = {}
    for entry in entries:
        if "tr" in entry.runs:
            judge = entry.runs["tr"].summary.tags.get("judge", "unknown")
            judges.setdefault(judge, []).append(entry.model)
    if len(judges) > 1:
        groups = " / ".join(f"{judge}: {', '.join(m)}" for judge, m in judges.items())
        found.append(f"Translations were scored by different judges ({groups}).")
    return found


def _union(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    kept = [frame for frame in frames if len(frame)]
    if not kept:
        return pd.DataFrame()
    return pd.concat(kept, ignore_index=True).drop_duplicates("id").set_index("id", drop=False)
