"""Which runs are compared in which task, and whether they may be: same data, prompts, judge, rows.

Owns the refusals; computes no statistic. What was allowed in spite of a difference is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mouse.errors import UserError
from mouse.tasks.registry import get_task, task_codes

if TYPE_CHECKING:
    from mouse.scoring.aligned import RowKey
    from mouse.tracking.stored import RunSummary, StoredRun

KINDS = ("prompt", "judge", "data")
"""What `--allow-different` may name."""

_USABLE = ("complete", "incomplete", "interrupted")


@dataclass(frozen=True)
class Selection:
    """Task → label → run, for tasks that at least two runs did; and what was left aside.

    A label is the model's name, with the run's short id where several runs share the name.
    """

    tasks: Mapping[str, Mapping[str, StoredRun]]
    alone: Mapping[str, str]
    """Task → label of the only run that did it: it has no partner."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pairing:
    """The rows of one task that all runs were asked, and sentences about those that were not."""

    rows: frozenset[RowKey]
    notes: tuple[str, ...] = field(default=())


def select_by_id(run_ids: Sequence[str], tasks: Sequence[str] | None = None) -> Selection:
    """Every run named is a column of its own. Raises `UserError` for unknown or double ids."""
    from mouse.tracking import reader

    runs = [reader.load_run(run_id) for run_id in run_ids]
    double = [run_id for run_id, count in Counter(run.run_id for run in runs).items() if count > 1]
    if double:
        raise UserError(f"run {double[0]} is named twice: a run has no difference from itself")
    return _selection([(label, run, run.tasks) for label, run in _labelled(runs)], tasks, [])


def select_by_query(
    where: str | None,
    experiment: str | None,
    tasks: Sequence[str] | None = None,
    *,
    every: bool = False,
) -> Selection:
    """The runs that a condition describes: of each model the newest run of each task.

    `every`: no run is left out for a newer one. Raises `UserError` where none is found.
    """
    from mouse.tracking import reader

    notes: list[str] = []
    usable: list[RunSummary] = []
    for summary in reader.runs(where, experiment):
        if summary.status in _USABLE:
            usable.append(summary)
        else:
            notes.append(f"{_named(summary)} is {summary.status}: it has no results, left out")
    runs = [reader.open_run(summary) for summary in usable]
    if every:
        return _selection([(label, run, run.tasks) for label, run in _labelled(runs)], tasks, notes)
    newest: dict[tuple[str, str], StoredRun] = {}
    for run in runs:
        for task in run.tasks:
            newest.setdefault((run.model, task), run)
    entries = []
    for run in sorted(runs, key=lambda run: run.model):
        kept = tuple(task for task in run.tasks if newest[run.model, task] is run)
        if kept:
            entries.append((run.model, run, kept))
        elif not tasks or set(tasks) & set(run.tasks):
            notes.append(f"{_named(run.summary)} is older than another run of its model: left out")
    return _selection(entries, tasks, notes)


def _selection(
    entries: Sequence[tuple[str, StoredRun, Sequence[str]]],
    tasks: Sequence[str] | None,
    notes: Sequence[str],
) -> Selection:
    by_task: dict[str, dict[str, StoredRun]] = {}
    for code in task_codes():
        if tasks and code not in tasks:
            continue
        found = {label: run for label, run, kept in entries if code in kept}
        if found:
            by_task[code] = found
    paired = {code: found for code, found in by_task.items() if len(found) > 1}
    alone = {code: next(iter(found)) for code, found in by_task.items() if len(found) == 1}
    if not paired:
        what = f"{len(entries)} run" + ("" if len(entries) == 1 else "s")
        raise UserError(
            f"there is nothing to compare: {what} found, and no task that two of them did"
            + (f" among {', '.join(tasks)}" if tasks else "")
            + ". Name runs by id, or choose them with --where; the MLflow UI lists all."
        )
    return Selection(paired, alone, tuple(notes))


def _labelled(runs: Sequence[StoredRun]) -> list[tuple[str, StoredRun]]:
    names = Counter(run.model for run in runs)
    return [
        (run.model if names[run.model] == 1 else f"{run.model}@{run.run_id[:6]}", run)
        for run in runs
    ]


def differences(task: str, runs: Mapping[str, StoredRun]) -> dict[str, str]:
    """`prompt`, `judge`, `data` → a sentence on how the runs of a task differ in it."""
    found = {}
    for kind, facts in (("data", _data), ("prompt", _prompt), ("judge", _judge)):
        groups: dict[str, list[str]] = {}
        for label, run in runs.items():
            groups.setdefault(facts(task, run), []).append(label)
        if len(groups) > 1:
            shown = " / ".join(
                f"{', '.join(labels)}: {_short(what)}" for what, labels in groups.items()
            )
            found[kind] = f"{task}: the runs differ in {kind} ({shown})"
    return found


def pairing(
    task: str, runs: Mapping[str, StoredRun], *, allow: Sequence[str], intersect: bool
) -> Pairing:
    """The rows that may be compared. Raises `UserError` with every reason against."""
    refused, notes = [], []
    for kind, sentence in differences(task, runs).items():
        if kind in allow:
            notes.append(f"{sentence}: compared all the same, as --allow-different says")
        else:
            refused.append(f"{sentence}; --allow-different {kind} compares them all the same")
    rows = {label: _rows(task, run) for label, run in runs.items()}
    common = frozenset.intersection(*rows.values())
    if any(keys != common for keys in rows.values()):
        left = ", ".join(f"{label} {len(keys)}" for label, keys in rows.items())
        sentence = (
            f"{task}: the runs were not asked the same ({left} rows, {len(common)} in common)"
        )
        if intersect:
            notes.append(f"{sentence}: compared on those in common")
        else:
            refused.append(f"{sentence}; --intersect compares them on those in common")
    changed = _changed_items(task, runs) if "data" in allow else set()
    if changed:
        common = frozenset(key for key in common if key[0] not in changed)
        notes.append(
            f"{task}: {len(changed)} items have the same id and another content: left out "
            f"({', '.join(sorted(changed)[:3])}{', …' if len(changed) > 3 else ''})"
        )
    if not common and not refused:
        refused.append(f"{task}: the runs have no row in common")
    if refused:
        raise UserError("these runs cannot be compared.\n  " + "\n  ".join(refused))
    return Pairing(common, tuple(notes))


def _data(task: str, run: StoredRun) -> str:
    tags = run.summary.tags
    name = tags.get("dataset", "")
    return f"{name} {tags.get('dataset_fingerprint', 'unknown')[:12]}".strip()


def _prompt(task: str, run: StoredRun) -> str:
    tags, params = run.summary.tags, run.summary.params
    shots = params.get("prompt.shots", "0")
    parts = [tags.get("prompt", ""), tags.get("prompt_fingerprint", "unknown")[:12]]
    if shots != "0":
        # The seed chooses the examples.
        parts.append(f"{shots} examples of seed {params.get('seed', '0')}")
        parts.append(tags.get("examples_fingerprint", "")[:12])
    decoding = params.get("task.decoding", "free")
    if decoding != "free":
        parts.append(f"decoding {decoding}")
    return " ".join(part for part in parts if part)


def _judge(task: str, run: StoredRun) -> str:
    if not get_task(task).judged:
        return ""
    tags, params = run.summary.tags, run.summary.params
    identity = tags.get("judge_identity", tags.get("judge", "unknown"))
    threshold = params.get("judge.copy_threshold")
    return identity + (f" copies from {threshold}" if threshold else "")


def _rows(task: str, run: StoredRun) -> frozenset[RowKey]:
    frame = run.predictions[task]
    keys = zip(frame["item_id"], frame["variant"], frame["repeat"], strict=True)
    return frozenset((item, variant, int(repeat)) for item, variant, repeat in keys)


def _changed_items(task: str, runs: Mapping[str, StoredRun]) -> set[str]:
    """Ids under which the runs were asked different things."""
    from mouse.corpus.items import item_fingerprint

    seen: dict[str, str] = {}
    changed = set()
    for run in runs.values():
        asked = set(run.predictions[task]["item_id"])
        for key, item in run.items.items():
            if key in asked and seen.setdefault(key, item_fingerprint(item)) != item_fingerprint(
                item
            ):
                changed.add(key)
    return changed


def _named(summary: RunSummary) -> str:
    return f"{summary.model} ({summary.run_id[:6]})"


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "…"
