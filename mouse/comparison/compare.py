"""Compares the runs of one task: values, paired differences, bounds of unfinished runs, items.

Takes runs that `rules` let through; the statistics are `mouse.metrics.paired`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from mouse.comparison.aligned import Aligned, RowKey, align, row_key
from mouse.comparison.rules import Pairing
from mouse.contracts import MetricValue, Outcome, Prediction, ended, with_verdicts
from mouse.errors import UserError
from mouse.metrics.paired import Comparison, Ranking, adjusted, compare_rows, lettered
from mouse.scoring.marks import share_of_marks
from mouse.scoring.result import Answers
from mouse.scoring.score import score_task
from mouse.scoring.task_tables import labels_of, task_tables
from mouse.tasks.registry import all_tasks, get_task, random_stream
from mouse.tracking.stored import StoredRun

Scope = Literal["metric", "task", "all"]
"""Over which tests Holm's correction runs: one metric's pairs, a task's, or all that are made."""


@dataclass(frozen=True)
class Settings:
    """How to compute; the defaults are the evaluation's own."""

    metrics: tuple[str, ...] | None = None
    """Full names (`td/f1`); None: each task's headline and its MCC. Empty: all."""
    resamples: int = 10_000
    permutations: int = 10_000
    seed: int = 0
    confidence: float = 0.95
    alpha: float = 0.05


@dataclass(frozen=True)
class PairedResult:
    """All pairs in all metrics, a ranking a metric, and the rows that could not be paired."""

    comparisons: tuple[Comparison, ...]
    rankings: tuple[Ranking, ...]
    unpaired: Mapping[str, tuple[RowKey, ...]]
    failed: tuple[RowKey, ...]


@dataclass(frozen=True)
class ItemDifference:
    """One row on which the models differ. `answers`, `right`: by label; `right` in {0, ½, 1}."""

    task: str
    item_id: str
    variant: str
    repeat: int
    text: str
    gold: str
    answers: Mapping[str, str]
    right: Mapping[str, float]

    @property
    def spread(self) -> float:
        return max(self.right.values()) - min(self.right.values())

    @property
    def mean(self) -> float:
        return sum(self.right.values()) / len(self.right)


@dataclass(frozen=True)
class TaskComparison:
    """One task's comparison.

    `values`: metric → label → value with interval on the rows that all answered, with `worst` and
    `best` over all common rows where some failed. `bounds`: (metric, a, b) → the difference's
    least and greatest value, whatever the failed answers would have been. `allowed`: differences
    between the runs in spite of which they are ranked.
    """

    task: str
    labels: tuple[str, ...]
    n_common: int
    n_answered: int
    values: Mapping[str, Mapping[str, MetricValue]]
    comparisons: tuple[Comparison, ...]
    rankings: tuple[Ranking, ...]
    bounds: Mapping[tuple[str, str, str], tuple[float, float]]
    items: tuple[ItemDifference, ...]
    allowed: tuple[str, ...]
    notes: tuple[str, ...]


def default_metrics(task: str) -> tuple[str, ...]:
    """Headline metrics, and Matthews' coefficient where the task has one (tables 3 and 4)."""
    mcc = tuple(c.name for c in get_task(task).columns if c.metric.name == "mcc")
    return (*get_task(task).headline_names, *mcc)


def metrics_of(task: str, chosen: Sequence[str] | None) -> tuple[str, ...]:
    """The task's metrics among those chosen (None: default, empty: all); names may lack the task.

    Raises `UserError` for a name that no task has.
    """
    known = tuple(c.name for c in get_task(task).columns if c.metric.compares_models)
    if chosen is None:
        return default_metrics(task)
    if not chosen:
        return known
    every = {c.name for one in all_tasks().values() for c in one.columns}
    for name in chosen:
        if name not in every and not any(full.partition("/")[2] == name for full in every):
            raise UserError(f"--metrics {name}: no task has it; {task} has {', '.join(known)}")
    return tuple(n for n in known if n in chosen or n.partition("/")[2] in chosen)


def compare_models(
    task: str,
    answers: Mapping[str, Answers],
    clusters: Mapping[str, str],
    settings: Settings,
) -> PairedResult:
    """Paired statistics of two or more models on the rows that all of them answered.

    `settings.metrics` None: all that compare models. Raises `ValueError` on
    models asked different data and on unknown metrics. Whether runs *may* be compared is for
    `rules` to say.
    """
    aligned: Aligned = align(task, answers, clusters)
    comparisons, rankings = compare_rows(
        aligned.rows,
        aligned.metrics(settings.metrics),
        resamples=settings.resamples,
        permutations=settings.permutations,
        seed=(settings.seed, random_stream(task)),
        confidence=settings.confidence,
        alpha=settings.alpha,
    )
    return PairedResult(tuple(comparisons), tuple(rankings), aligned.unpaired, aligned.failed)


def compare_runs(
    task: str,
    runs: Mapping[str, StoredRun],
    pairing: Pairing,
    settings: Settings,
) -> tuple[PairedResult, dict[str, Answers], dict[str, str]]:
    """`compare_models` of stored runs on the rows of their pairing; with answers and clusters.

    Raises `UserError` where the runs contradict each other (two gold answers for one row).
    """
    answers = {label: _answers(task, run, pairing.rows) for label, run in runs.items()}
    clusters: dict[str, str] = {}
    for run in runs.values():
        clusters.update(run.clusters(task))
    try:
        return compare_models(task, answers, clusters, settings), answers, clusters
    except ValueError as error:
        raise UserError(f"the runs of {task} cannot be compared: {error}") from error


def compare_task(
    task: str, runs: Mapping[str, StoredRun], pairing: Pairing, settings: Settings
) -> TaskComparison | None:
    """Everything about one task; None where none of its metrics was chosen. Raises `UserError`."""
    metrics = metrics_of(task, settings.metrics)
    if not metrics:
        return None
    settings = replace(settings, metrics=metrics)
    paired, answers, clusters = compare_runs(task, runs, pairing, settings)
    failed = frozenset(paired.failed)
    answered = pairing.rows - failed
    limits = metric_limits(task, answers, clusters)
    values = _values(task, answers, answered, clusters, limits, settings)
    return TaskComparison(
        task=task,
        labels=tuple(runs),
        n_common=len(pairing.rows),
        n_answered=len(answered),
        values={name: {label: values[label][name] for label in runs} for name in metrics},
        comparisons=paired.comparisons,
        rankings=paired.rankings,
        bounds={
            (c.metric, c.a, c.b): difference_bounds(limits[c.a][c.metric], limits[c.b][c.metric])
            for c in paired.comparisons
            if failed
        },
        items=tuple(_items(task, runs, answers, answered)),
        allowed=pairing.allowed,
        notes=(*pairing.allowed, *_notes(task, runs, answers, failed)),
    )


def over_family(
    compared: Sequence[TaskComparison], scope: Scope, alpha: float
) -> list[TaskComparison]:
    """Holm's correction and the rank letters over a wider family than one metric's pairs."""
    if scope == "metric":
        return list(compared)
    if scope == "task":
        return [over for one in compared for over in _adjusted([one], f"all of {one.task}", alpha)]
    return _adjusted(compared, "all of this comparison", alpha)


def _adjusted(compared: Sequence[TaskComparison], what: str, alpha: float) -> list[TaskComparison]:
    every = [c for one in compared for c in one.comparisons]
    family = f"{what}, {sum(c.status == 'tested' for c in every)} tests"
    corrected = iter(adjusted(every, family))
    found = []
    for one in compared:
        mine = tuple(islice(corrected, len(one.comparisons)))
        rankings = tuple(lettered(one.rankings, mine, family, alpha))
        found.append(replace(one, comparisons=mine, rankings=rankings))
    return found


def _answers(task: str, run: StoredRun, rows: frozenset[RowKey]) -> Answers:
    kept = [p for p in run.task_predictions(task) if row_key(p) in rows]
    asked = {(p.item_id, p.repeat) for p in kept}
    verdicts = [v for v in run.task_verdicts(task) if (v.item_id, v.repeat) in asked]
    return Answers(kept, verdicts)


def _values(
    task: str,
    answers: Mapping[str, Answers],
    answered: frozenset[RowKey],
    clusters: Mapping[str, str],
    limits: Mapping[str, Mapping[str, tuple[float, float]]],
    settings: Settings,
) -> dict[str, dict[str, MetricValue]]:
    """Label → metric → value on the answered rows, `worst` and `best` over all common ones."""
    found: dict[str, dict[str, MetricValue]] = {}
    for label, given in answers.items():
        kept = [p for p in given.predictions if row_key(p) in answered]
        asked = {(p.item_id, p.repeat) for p in kept}
        metrics = score_task(
            task,
            kept,
            verdicts=[v for v in given.verdicts if (v.item_id, v.repeat) in asked],
            clusters=clusters,
            resamples=settings.resamples,
            seed=settings.seed,
            confidence=settings.confidence,
        )
        found[label] = {}
        for metric in metrics:
            low, high = limits[label][metric.name]
            worst, best = (low, high) if metric.higher_is_better else (high, low)
            found[label][metric.name] = replace(metric, worst=worst, best=best)
    return found


def metric_limits(
    task: str, answers: Mapping[str, Answers], clusters: Mapping[str, str]
) -> dict[str, dict[str, tuple[float, float]]]:
    """Label → metric → least and greatest value that answers in place of the failed could give."""
    labels = None
    if not get_task(task).judged:
        labels = labels_of(task, [p for given in answers.values() for p in given.predictions])
    found = {}
    for label, given in answers.items():
        tables = task_tables(task, given.predictions, given.verdicts, clusters, labels)
        found[label] = {column.name: tables.bounds(column) for column in tables.columns}
    return found


def difference_bounds(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """Least and greatest a - b of two values within these limits."""
    return a[0] - b[1], a[1] - b[0]


def _notes(
    task: str,
    runs: Mapping[str, StoredRun],
    answers: Mapping[str, Answers],
    failed: frozenset[RowKey],
) -> list[str]:
    notes = []
    for label, run in runs.items():
        given = with_verdicts(answers[label].predictions, answers[label].verdicts)
        lost = sum(ended(*row) is Outcome.FAILED for row in given)
        if run.summary.status != "complete" or lost:
            notes.append(
                f"{task}: {label} is {run.summary.status}"
                + (f", {lost} of its answers failed" if lost else "")
            )
    if failed:
        notes.append(
            f"{task}: {len(failed)} rows on which a model or its judge failed are in the bounds "
            "only; values, differences and tests are over the rows that all answered"
        )
    sampled = {str(run.manifest.get("sampling")) for run in runs.values()}
    if len(sampled) > 1:
        notes.append(f"{task}: the models were sampled with different parameters")
    return notes


def _items(
    task: str,
    runs: Mapping[str, StoredRun],
    answers: Mapping[str, Answers],
    answered: frozenset[RowKey],
) -> list[ItemDifference]:
    """Rows on which some answer is better than another, or wrong in another way; widest first."""
    texts: dict[str, str] = {}
    for run in runs.values():
        frame = run.predictions[task]
        texts.update(zip(frame["item_id"], frame["text"], strict=True))
    judged = get_task(task).judged
    by_row: dict[RowKey, dict[str, Prediction]] = {}
    shares: dict[RowKey, dict[str, float]] = {}
    for label, given in answers.items():
        for prediction, verdict in with_verdicts(given.predictions, given.verdicts):
            if (key := row_key(prediction)) in answered:
                by_row.setdefault(key, {})[label] = prediction
                share = share_of_marks(prediction, verdict, judged=judged)
                shares.setdefault(key, {})[label] = share or 0.0
    found = []
    for key, row in by_row.items():
        right = shares[key]
        said = {label: _said(p) for label, p in row.items()}
        # Two translations are hardly ever the same: there only the scores tell models apart.
        if len(set(right.values())) > 1 or (not judged and len(set(said.values())) > 1):
            gold = next(iter(row.values())).gold
            text = texts.get(key[0])
            found.append(
                ItemDifference(task, *key, text if isinstance(text, str) else "", gold, said, right)
            )
    return sorted(found, key=lambda d: (-d.spread, abs(d.mean - 0.5), d.item_id, d.variant))


def _said(prediction: Prediction) -> str:
    if prediction.outcome is Outcome.VALID or prediction.predicted is not None:
        return prediction.predicted or ""
    return f"({prediction.outcome.value})"
