"""Which runs are compared: runs become contestants, each a model (or a person) with its runs.

A contestant is told by the model's name and by everything that decides its answers: revision,
thinking, sampling, and of a replay the person and the file. So runs that only look alike never
stand in for each other. Of one contestant the newest run of each task counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mouse.errors import UserError
from mouse.tasks.registry import get_task
from mouse.tracking import reader
from mouse.tracking.plain import flatten
from mouse.tracking.stored import RunSummary, StoredRun

USABLE = ("complete", "incomplete", "interrupted")
"""A run that was killed before it was logged has nothing to compare."""
NOT_IDENTITY = ("label_counts", "libraries", "version", "tables_sha256")
"""Facts of a model's identity that another version of this program, or another task, changes."""


@dataclass(frozen=True)
class Contestant:
    """A row of a leaderboard: `name`, and task → run."""

    name: str
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
        return next((v for run in self.runs.values() if (v := _param(run, name))), None)

    def logged(self, metric: str) -> float | None:
        """Sum over the distinct runs of a number that MLflow holds (`usage/cost_usd`)."""
        distinct = {run.run_id: run for run in self.runs.values()}.values()
        values = [run.summary.metrics[metric] for run in distinct if metric in run.summary.metrics]
        return sum(values) if values else None

    @property
    def mean_headline(self) -> float | None:
        """Mean over the tasks of each task's first headline metric."""
        values = [self.value(get_task(task).headline_names[0]) for task in self.runs]
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known else None

    @property
    def group(self) -> str | None:
        """The group of human participants that a replay belongs to."""
        if self.param("model.backend") != "replay":
            return None
        return self.param("model.group")

    @property
    def judge_not_validated(self) -> str:
        """Why the judge of the translations is not validated; empty where nothing says it isn't."""
        return self.runs["tr"].judge_validation.reason if "tr" in self.runs else ""


def find_runs(
    run_ids: Sequence[str] = (), where: str | None = None, experiment: str | None = None
) -> tuple[list[StoredRun], list[str]]:
    """The runs named, or those that a condition describes, the newest first; and what was left out.

    Raises `UserError` for an id that is unknown or given twice.
    """
    if run_ids:
        named = [reader.load_run(run_id) for run_id in run_ids]
        counts = Counter(run.run_id for run in named)
        if double := [run_id for run_id, count in counts.items() if count > 1]:
            raise UserError(f"run {double[0]} is named twice: a run has no difference from itself")
        return named, []
    summaries = reader.runs(where, experiment)
    notes = [
        f"{_title(summary)} is {summary.status}: it has no results, left out"
        for summary in summaries
        if summary.status not in USABLE
    ]
    return [reader.open_run(one) for one in summaries if one.status in USABLE], notes


def contestants(
    runs: Sequence[StoredRun], *, all_runs: bool = False
) -> tuple[list[Contestant], list[str]]:
    """Runs, the newest first, as contestants in order of their names; and what was left out.

    Of each contestant its newest run of every task. `all_runs`: no run is left out; those of one
    model that did the same task are contestants of their own.
    """
    groups: dict[tuple[Any, ...], list[StoredRun]] = {}
    for run in runs:
        groups.setdefault((_base_name(run), *sorted(identity(run).items())), []).append(run)
    if all_runs:
        groups = {
            (*key, run.run_id if twice else ""): [run] if twice else members
            for key, members in groups.items()
            for twice in [_same_task_twice(members)]
            for run in members
        }
    notes, made = [], []
    for name, members in zip(_names(list(groups.values())), groups.values(), strict=True):
        newest: dict[str, StoredRun] = {}
        for run in members:
            for task in run.tasks:
                newest.setdefault(task, run)
            if run not in newest.values():
                notes.append(
                    f"{_title(run.summary)} is older than another run of its model: left out"
                )
        made.append(Contestant(name, newest))
    return sorted(made, key=lambda one: one.name), notes


def single_runs(runs: Sequence[StoredRun]) -> list[Contestant]:
    """Every run as a contestant of its own, in the order given."""
    return [
        Contestant(name, dict.fromkeys(run.tasks, run))
        for name, run in zip(_names([[run] for run in runs]), runs, strict=True)
    ]


def identity(run: StoredRun) -> dict[str, str]:
    """What decides a run's answers beside the prompt: model, sampling, the person or file replayed."""
    stated = flatten(run.manifest.get("model") or {})
    facts = {
        key: value for key, value in stated.items() if key.partition(".")[0] not in NOT_IDENTITY
    }
    facts |= flatten(run.manifest.get("sampling") or {})
    file = _param(run, "model.predictions")
    return facts | {
        "rater": _param(run, "model.rater"),
        "group": _param(run, "model.group"),
        "answers": Path(file).name,
    }


def _same_task_twice(runs: Sequence[StoredRun]) -> bool:
    done = [task for run in runs for task in run.tasks]
    return len(done) > len(set(done))


def _base_name(run: StoredRun) -> str:
    """The model's name; of a replay that was given none, the person's where there is one."""
    return (_param(run, "model.rater") if run.model == "replay" else "") or run.model


def _param(run: StoredRun, name: str) -> str:
    """A parameter; empty where it was null, which older runs hold as a word."""
    value = run.summary.params.get(name, "")
    return "" if value in ("None", "null") else value


def _names(groups: Sequence[Sequence[StoredRun]]) -> list[str]:
    """A name for each group: the base name, then in what it differs from others of that name,
    then the newest run's id."""
    base = [_base_name(group[0]) for group in groups]
    facts = [identity(group[0]) for group in groups]
    named = []
    for index, name in enumerate(base):
        others = [facts[i] for i, other in enumerate(base) if other == name and i != index]
        differing = {
            key: facts[index].get(key) or "none"
            for key in sorted({key for other in [facts[index], *others] for key in other})
            if any(facts[index].get(key) != other.get(key) for other in others)
        }
        short = [f"{key} {value}" for key, value in differing.items() if len(value) <= 24]
        named.append(f"{name} ({', '.join(short[:3])})" if short else name)
    counts = Counter(named)
    return [
        name if counts[name] == 1 else f"{name}@{_short(group[0])}"
        for name, group in zip(named, groups, strict=True)
    ]


def by_task(entries: Sequence[Contestant], codes: Sequence[str]) -> dict[str, dict[str, StoredRun]]:
    """Task → contestant's name → run, for the tasks that someone did."""
    found = {
        code: {one.name: one.runs[code] for one in entries if code in one.runs} for code in codes
    }
    return {code: runs for code, runs in found.items() if runs}


def _short(run: StoredRun) -> str:
    return run.run_id[:6]


def _title(summary: RunSummary) -> str:
    return f"{summary.model} ({summary.run_id[:6]})"
