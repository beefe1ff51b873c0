"""`python -m mouse.compare RUN RUN…`: paired tests between tracked runs, and where they differ.

Runs that were not asked the same are refused with the reason (exit 2), or compared on what they
share if that is asked for, and then the output says so.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mouse.errors import EXIT_COMPLETE, EXIT_USAGE, UserError

if TYPE_CHECKING:
    from mouse.comparison.compare import Settings, TaskComparison
    from mouse.comparison.runs import Selection
    from mouse.metrics.published import PublishedInterval

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


def compare(
    given: argparse.Namespace,
) -> tuple[list[TaskComparison], dict[str, tuple[PublishedInterval, ...]], list[str]]:
    """Everything the command line asks for: comparisons, published numbers, general notes."""
    settings, allow = _settings(given), _allowed(given.allow_different)
    if given.out and given.out.suffix.lower() not in SUFFIXES:
        raise UserError(f"--out {given.out}: the name must end in {', '.join(SUFFIXES)}")
    selection = _select(given)
    from mouse.comparison.compare import compare_task, metrics_of, over_family
    from mouse.comparison.runs import pairing

    for name in settings.metrics or ():
        metrics_of("td", [name])  # a misspelt name is refused before anything is computed
    refused, pairings = [], {}
    for task, runs in selection.tasks.items():
        try:
            pairings[task] = pairing(task, runs, allow=allow, intersect=given.intersect)
        except UserError as error:
            refused += str(error).splitlines()[1:]
    if refused:
        raise UserError("these runs cannot be compared.\n" + "\n".join(refused))
    compared = [
        made
        for task, runs in selection.tasks.items()
        if (made := compare_task(task, runs, pairings[task], settings)) is not None
    ]
    if not compared:
        raise UserError(f"--metrics {given.metrics}: the tasks compared have none of these")
    notes = list(selection.notes)
    notes += [f"{task}: {label} has no partner" for task, label in selection.alone.items()]
    published = _published(given, settings)
    if published:
        notes += _published_notes(selection)
    return over_family(compared, given.family, given.alpha), published, notes


def _settings(given: argparse.Namespace) -> Settings:
    from mouse.comparison.compare import Settings

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


def _allowed(text: str) -> list[str]:
    from mouse.comparison.runs import KINDS

    allow = [part.strip() for part in text.split(",") if part.strip()]
    if unknown := [part for part in allow if part not in KINDS]:
        raise UserError(f"--allow-different {unknown[0]}: it takes {', '.join(KINDS)}")
    return allow


def _select(given: argparse.Namespace) -> Selection:
    from mouse.comparison.runs import select_by_id, select_by_query
    from mouse.tasks.registry import parse_tasks

    tasks = parse_tasks(given.task) if given.task else None
    if given.runs and (given.where or given.experiment or given.all_runs):
        raise UserError("give run ids, or --where and --experiment: not both")
    if given.runs:
        return select_by_id(given.runs, tasks)
    if not given.where and not given.experiment:
        raise UserError("name at least two runs, or choose them with --where or --experiment")
    return select_by_query(given.where, given.experiment, tasks, every=given.all_runs)


def _published(
    given: argparse.Namespace, settings: Settings
) -> dict[str, tuple[PublishedInterval, ...]]:
    if given.published is None:
        return {}
    from mouse.metrics.published import published_intervals
    from mouse.reporting.published import published_rows

    rows = published_rows()
    if unknown := [name for name in given.published if name not in rows]:
        raise UserError(f"--published {unknown[0]}: the paper has {', '.join(rows)}")
    return {
        name: published_intervals(
            rows[name],
            resamples=settings.resamples,
            seed=settings.seed,
            confidence=settings.confidence,
        )
        for name in given.published or rows
    }


def _published_notes(selection: Selection) -> list[str]:
    kinds = {
        run.summary.params.get("data.kind", run.summary.dataset)
        for runs in selection.tasks.values()
        for run in runs.values()
    }
    notes = [
        "which answers of a published model were right is not printed, so it is not tested "
        "against any run; its interval is that of the counts behind its numbers"
    ]
    if kinds != {"mouse"}:
        notes.append(
            "the published numbers are of the published benchmark, which these runs were not "
            f"asked (data: {', '.join(sorted(kinds))}): they are not comparable"
        )
    return notes


def _print(
    compared: Sequence[TaskComparison],
    published: dict[str, tuple[PublishedInterval, ...]],
    notes: Sequence[str],
    items: int,
) -> None:
    from rich.markup import escape

    from mouse.comparison.tables import items_table, pairs_table, terminal, values_table
    from mouse.reporting.table import visible
    from mouse.terminal.results import console

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
    published: dict[str, tuple[PublishedInterval, ...]],
    notes: Sequence[str],
) -> None:
    """JSON and Markdown are one file; CSV is one for each table, named after `path`."""
    from mouse.comparison.tables import as_json, items_table, pairs_table, values_table
    from mouse.reporting.table import csv_text, markdown, visible

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
