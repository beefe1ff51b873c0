"""`python -m mouse.compare RUN RUN…`: paired tests between tracked runs, and where they differ.

Runs that were not asked the same are refused with the reason (exit 2), or compared on what they
share if that is asked for, and then the output says so.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from mouse.comparison.compare import Settings, TaskComparison, compare_task, metrics_of, over_family
from mouse.comparison.contestants import by_task, contestants, find_runs, single_runs
from mouse.comparison.rules import KINDS, ROWS, pairings
from mouse.errors import EXIT_COMPLETE, EXIT_USAGE, UserError
from mouse.reporting.comparison_tables import (
    Published,
    as_json,
    items_table,
    pairs_table,
    terminal,
    values_table,
)
from mouse.reporting.published import published_intervals
from mouse.reporting.table import csv_text, markdown, visible
from mouse.tasks.registry import parse_tasks, task_codes
from mouse.terminal.results import console
from mouse.tracking.stored import StoredRun

EPILOG = """examples:
  python -m mouse.compare 3f2a9c 81bb02
  python -m mouse.compare --where "model in (lexicon, majority)" --task td,cc --items 10
  python -m mouse.compare 3f2a9c 81bb02 --allow-different prompt --out prompts.json
  python -m mouse.compare --experiment paper --published --out paper.md
exit codes: 0 compared, 2 the runs cannot be compared or wrong usage
"""
SUFFIXES = (".json", ".csv", ".md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare runs, print or write the result, and return the exit code."""
    given = _parser().parse_args(arguments)
    try:
        compared, published, notes = compare(given)
        if given.out:
            _write(given.out, compared, published, notes)
    except UserError as error:
        print(f"mouse.compare: {error}", file=sys.stderr)
        return EXIT_USAGE
    _print(compared, published, notes, given.items)
    if given.out:
        print(f"written: {given.out}")
    return EXIT_COMPLETE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mouse.compare",
        description="Paired statistics between tracked runs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("runs", nargs="*", metavar="RUN", help="run ids (may be cut short)")
    add("--where", help='choose runs by a condition, e.g. "model in (lexicon, gpt5.2)"')
    add("--experiment", help="only runs of this MLflow experiment")
    add("--all-runs", action="store_true", help="every run found, not the newest of each model")
    add("--task", help="only these tasks (td,cc)")
    add("--metrics", help="names (acc,mcc), or all; by default headline metrics and MCC")
    add("--intersect", action="store_true", help="compare on the rows that all runs were asked")
    add(
        "--allow-different",
        default="",
        metavar="WHAT",
        help="compare across another prompt, judge or data: a list of these",
    )
    add("--mixed", action="store_true", help="all of these differences, and --intersect")
    add(
        "--published",
        nargs="*",
        metavar="MODEL",
        help="the paper's numbers beside, with intervals (all its models, or those named)",
    )
    add(
        "--family", choices=("metric", "task", "all"), default="metric", help="of Holm's correction"
    )
    add("--items", type=int, default=5, metavar="N", help="rows a task where models differ (5)")
    add("--out", type=Path, metavar="FILE", help="write all of it: .json, .csv or .md")
    add("--resamples", type=int, default=10_000, help="of bootstrap and permutation (10000)")
    add("--seed", type=int, default=0)
    add("--confidence", type=float, default=0.95)
    add("--alpha", type=float, default=0.05, help="level at which models are told apart (0.05)")
    return parser


def compare(given: argparse.Namespace) -> tuple[list[TaskComparison], Published, list[str]]:
    """Everything the command line asks for: comparisons, published numbers, general notes."""
    settings, allow = _settings(given), _allowed(given)
    if given.out and given.out.suffix.lower() not in SUFFIXES:
        raise UserError(f"--out {given.out}: the name must end in {', '.join(SUFFIXES)}")
    tasks, notes = _select(given)
    for name in settings.metrics or ():
        metrics_of(next(iter(tasks)), [name])  # a misspelt name is refused before all else
    compared = [
        made
        for task, pairing in pairings(tasks, allow, "--mixed" if given.mixed else "").items()
        if (made := compare_task(task, tasks[task], pairing, settings)) is not None
    ]
    if not compared:
        raise UserError(f"--metrics {given.metrics}: the tasks compared have none of these")
    published = _published(given)
    if published:
        notes += _published_notes(tasks)
    return over_family(compared, given.family, given.alpha), published, notes


def _settings(given: argparse.Namespace) -> Settings:
    if given.resamples < 100:
        raise UserError(f"--resamples {given.resamples}: at least 100 are needed")
    if not 0.5 < given.confidence < 1 or not 0 < given.alpha < 0.5:
        raise UserError("--confidence lies between 0.5 and 1, --alpha between 0 and 0.5")
    if given.items < 0:
        raise UserError(f"--items {given.items}: 0 or more")
    metrics: tuple[str, ...] | None = None
    if given.metrics:
        names = tuple(name.strip() for name in given.metrics.split(",") if name.strip())
        metrics = () if names == ("all",) else names
    return Settings(
        metrics=metrics,
        resamples=given.resamples,
        permutations=given.resamples,
        seed=given.seed,
        confidence=given.confidence,
        alpha=given.alpha,
    )


def _allowed(given: argparse.Namespace) -> set[str]:
    """The kinds of difference in spite of which runs are ranked together."""
    allow = {part.strip() for part in given.allow_different.split(",") if part.strip()}
    if unknown := sorted(allow - set(KINDS)):
        raise UserError(f"--allow-different {unknown[0]}: it takes {', '.join(KINDS)}")
    if given.mixed:
        return {*KINDS, ROWS}
    return allow | {ROWS} if given.intersect else allow


def _select(given: argparse.Namespace) -> tuple[dict[str, dict[str, StoredRun]], list[str]]:
    """Task → label → run for the tasks that two or more did, and what must be said of the rest."""
    tasks = parse_tasks(given.task) if given.task else task_codes()
    by_query = bool(given.where or given.experiment)
    if given.runs and (by_query or given.all_runs):
        raise UserError("give run ids, or --where and --experiment: not both")
    if not given.runs and not by_query:
        raise UserError("name at least two runs, or choose them with --where or --experiment")
    runs, notes = find_runs(given.runs, given.where, given.experiment)
    concerned = [run for run in runs if set(run.tasks) & set(tasks)]
    if given.runs or given.all_runs:
        entries = single_runs(concerned)
    else:
        entries, left_out = contestants(concerned)
        notes += left_out
    found = by_task(entries, [code for code in task_codes() if code in tasks])
    paired = {code: of_task for code, of_task in found.items() if len(of_task) > 1}
    if not paired:
        what = f"{len(runs)} run" + ("" if len(runs) == 1 else "s")
        raise UserError(
            f"there is nothing to compare: {what} found, and no task that two of them did"
            + (f" among {', '.join(tasks)}" if given.task else "")
            + ". Name runs by id, or choose them with --where; the MLflow UI lists all."
        )
    alone = {code: next(iter(of_task)) for code, of_task in found.items() if len(of_task) == 1}
    notes += [f"{task}: {label} has no partner" for task, label in alone.items()]
    return paired, notes


def _published(given: argparse.Namespace) -> Published:
    if given.published is None:
        return {}
    every = published_intervals()
    if unknown := [name for name in given.published if name not in every]:
        raise UserError(f"--published {unknown[0]}: the paper has {', '.join(every)}")
    return {name: tuple(every[name].values()) for name in given.published or every}


def _published_notes(tasks: Mapping[str, Mapping[str, StoredRun]]) -> list[str]:
    every = [run for runs in tasks.values() for run in runs.values()]
    kinds = {run.summary.params.get("data.kind", run.summary.dataset) for run in every}
    notes = [
        "which answers of a published model were right is not printed, so it is not tested "
        "against any run; its interval (95%) is that of the counts behind its numbers"
    ]
    if kinds != {"mouse"}:
        notes.append(
            "the published numbers are of the published benchmark, which these runs were not "
            f"asked (data: {', '.join(sorted(kinds))}): they are not comparable"
        )
    return notes


def _print(
    compared: Sequence[TaskComparison],
    published: Published,
    notes: Sequence[str],
    items: int,
) -> None:
    from rich.markup import escape

    out = console()
    for task in compared:
        tables = [values_table(task, published), pairs_table(task)]
        if items and task.items:
            tables.append(items_table(task, items))
        for table in tables:
            out.print(terminal(table))
            out.print(f"  {escape(table.caption)}\n", style="dim")
    for note in [*(note for task in compared for note in task.notes), *notes]:
        out.print(f"note: {escape(visible(note))}", soft_wrap=True)


def _write(
    path: Path,
    compared: Sequence[TaskComparison],
    published: Published,
    notes: Sequence[str],
) -> None:
    """JSON and Markdown are one file; CSV is one for each table, named after `path`."""
    tables = [
        table
        for task in compared
        for table in (values_table(task, published), pairs_table(task), items_table(task, None))
    ]
    every = [*(note for task in compared for note in task.notes), *notes]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix.lower() == ".json":
            path.write_text(as_json(compared, published, notes), encoding="utf-8")
        elif path.suffix.lower() == ".md":
            parts = [*(markdown(table) for table in tables), *(f"- {visible(n)}" for n in every)]
            path.write_text("\n".join(parts) + "\n", encoding="utf-8", errors="backslashreplace")
        else:
            for table in tables:
                file = path.with_name(f"{path.stem}_{table.name}.csv")
                file.write_text(csv_text(table), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UserError(f"--out {path} cannot be written ({error.strerror})") from error


if __name__ == "__main__":
    sys.exit(main())
