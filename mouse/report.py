"""`python -m mouse.report NAME`: from tracked runs to tables, figures and one HTML page.

Reads runs from MLflow, writes `reports/NAME/` and logs the same files back as a run of their own.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mouse.errors import EXIT_COMPLETE, EXIT_USAGE, UserError
from mouse.tasks.registry import get_task

if TYPE_CHECKING:
    from mouse.annotation.review.results import AspectResult
    from mouse.metrics.paired import PairedResult
    from mouse.reporting.figures import Drawn
    from mouse.reporting.page import Section
    from mouse.reporting.study import Study
    from mouse.reporting.table import Table

EXAMPLES = """examples:
  python -m mouse.report baselines --where "model in (lexicon, majority)"
  python -m mouse.report two --runs 3f2a9c 81bb02 --side-by-side lexicon majority
  python -m mouse.report paper --experiment paper --out reports
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make one report and return the exit code (0, or 2 for a mistake in what was asked)."""
    given = _parser().parse_args(arguments)
    try:
        folder = report(given)
    except UserError as error:
        print(f"mouse.report: {error}", file=sys.stderr)
        return EXIT_USAGE
    print(f"report: {folder / 'report.html'}")
    return EXIT_COMPLETE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mouse.report",
        description="Tables, figures and a sample explorer from tracked runs.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", help="the report's name, and its folder's")
    parser.add_argument("--where", help='which runs, e.g. "model in (lexicon, gpt5.2)"')
    parser.add_argument(
        "--runs", nargs="+", default=[], metavar="RUN", help="run ids (may be cut short)"
    )
    parser.add_argument("--experiment", help="only runs of this MLflow experiment")
    parser.add_argument(
        "--mixed", action="store_true", help="allow runs on different data, prompts or judges"
    )
    parser.add_argument(
        "--side-by-side", nargs=2, default=[], metavar="MODEL", help="the two models of table 7"
    )
    parser.add_argument("--items", nargs="+", default=[], metavar="ID", help="the items of table 7")
    parser.add_argument(
        "--review",
        type=Path,
        metavar="FOLDER",
        help="filled-in sheets of mouse.dataset build review-out, for table 5",
    )
    parser.add_argument("--resamples", type=int, default=2000, help="of the paired tests (2000)")
    parser.add_argument("--out", type=Path, default=Path("reports"), help="folder of reports")
    parser.add_argument("--no-log", action="store_true", help="do not log the files to MLflow")
    return parser


def report(given: argparse.Namespace) -> Path:
    """Make the report that the command line asks for and return its folder."""
    started = time.monotonic()
    _check_name(given.name)
    study = _study(given)
    folder: Path = given.out / given.name
    folder.mkdir(parents=True, exist_ok=True)
    sections = _contents(study, folder, given)
    from mouse.reporting.explorer import explorer_data, packed
    from mouse.reporting.page import html_page

    runs = {run.run_id for entry in study.entries for run in entry.runs.values()}
    subtitle = f"{len(study.entries)} models, {len(runs)} runs, tasks {', '.join(study.tasks)}"
    title = f"MOUSE report · {study.name}"
    page = html_page(title, subtitle, study.warnings, sections, packed(explorer_data(study)))
    (folder / "report.html").write_text(page, encoding="utf-8")
    _write_tables(folder, title, study.warnings, sections)
    if not given.no_log:
        _log(given, folder, sorted(runs))
    from mouse.reporting.mlflow_view import views

    for what, address in views(study):
        print(f"in MLflow (make ui), {what}: {address}")
    print(f"{subtitle}: {time.monotonic() - started:.1f} s", file=sys.stderr)
    return folder


def _check_name(name: str) -> None:
    if not name or name in (".", "..") or any(sign in name for sign in "/\\\0"):
        raise UserError(f"a report's name is one folder's name, not {name!r}")


def _study(given: argparse.Namespace) -> Study:
    from mouse.reporting.study import make_study
    from mouse.tracking import reader

    if given.runs:
        stored = [reader.load_run(run_id) for run_id in given.runs]
        stored.sort(key=lambda run: -run.summary.started_ms)
    else:
        found = reader.runs(given.where, given.experiment)
        stored = []
        for summary in found:
            # A run that was killed before it was logged has nothing to report.
            if summary.status in ("complete", "incomplete", "interrupted"):
                stored.append(reader.open_run(summary))
    return make_study(given.name, stored, mixed=given.mixed)


def _contents(study: Study, folder: Path, given: argparse.Namespace) -> list[Section]:
    from mouse.reporting import figures as figure_module
    from mouse.reporting import item_tables, label_tables, published_tables
    from mouse.reporting import judge_evidence as judge
    from mouse.reporting import more_tables as more
    from mouse.reporting import paper_tables as paper
    from mouse.reporting.calibration import calibration_table
    from mouse.reporting.judge_validation import with_footnotes
    from mouse.reporting.mcc_link import mcc_link
    from mouse.reporting.page import Section

    results = _paired(study, given.resamples)
    contrasts = {
        entry.model: item_tables.contrasts(entry, study.cxeis) for entry in study.with_task("tr")
    }
    evidence = judge.judge_evidence(study)
    drawn = figure_module.draw_all(study, contrasts, evidence, folder / "figures")
    by_name = {figure.name: figure for figure in drawn}

    def tables(*maybe: Table | None) -> list[Table]:
        return with_footnotes([table for table in maybe if table is not None])

    def figures(*names: str) -> list[Drawn]:
        return [by_name[name] for name in names if name in by_name]

    labels = [label_tables.by_label(study, t) for t in ("tr", "td", "ir") if study.with_task(t)]
    sections = [
        Section(
            "results",
            "Results",
            tables(
                paper.table3(study),
                paper.table4(study),
                *more.plugged_tasks(study),
                mcc_link(study),
                paper.table6(study),
            ),
        ),
        Section(
            "comparison",
            "Comparison",
            tables(more.rank_groups(study, results), more.paired(study, results)),
            figures("agreement"),
        ),
        Section(
            "judge",
            "Judge",
            tables(judge.judge_table(study, evidence)),
            figures("figure2", "figure3"),
            judge.judge_notes(evidence),
        ),
        Section(
            "translation",
            "Translation",
            tables(
                item_tables.contrast_table(study, contrasts),
                paper.table7(study, given.side_by_side, given.items),
            ),
            figures("figure4", "figure6", "figure5"),
        ),
        Section("labels", "Scores by label", tables(*labels)),
        Section(
            "running",
            "Outcomes, cost and confidence",
            tables(more.ledger(study), more.cost(study), calibration_table(study)),
            figures("pareto", "calibration"),
        ),
        Section("items", "Items", tables(*item_tables.hard_items(study))),
        Section(
            "published",
            "What the published numbers can claim",
            tables(
                published_tables.support(),
                published_tables.inversion(),
                published_tables.counts(),
                paper.table5(_review(given.review)),
            ),
            notes=[published_tables.note()],
        ),
    ]
    return [section for section in sections if section.tables or section.figures or section.notes]


def _review(folder: Path | None) -> list[AspectResult]:
    """What the reviewers of the user's own data set answered; nothing without a folder."""
    if folder is None:
        return []
    from mouse.annotation.review.results import results
    from mouse.annotation.review.sheet import import_sheets, read_review

    opinions, _ = import_sheets(folder, read_review(folder))
    return results(opinions)


def _paired(study: Study, resamples: int) -> dict[str, PairedResult]:
    """Paired statistics of every task that at least two models did, in its headline metrics."""
    from mouse.metrics.paired import compare_models

    results = {}
    for task in study.tasks:
        entries = study.with_task(task)
        if len(entries) < 2:
            continue
        try:
            results[task] = compare_models(
                task,
                {entry.model: study.answers(entry, task) for entry in entries},
                clusters=study.clusters(task),
                metrics=get_task(task).headline_names,
                resamples=resamples,
                permutations=resamples,
            )
        except ValueError as error:
            raise UserError(f"the runs of {task} cannot be compared: {error}") from error
    return results


def _write_tables(
    folder: Path,
    title: str,
    warnings: Sequence[str],
    sections: Sequence[Section],
) -> None:
    from mouse.reporting.table import csv_text, latex, markdown, visible

    (folder / "tables").mkdir(exist_ok=True)
    parts = [f"# {title}\n"]
    parts += [f"> {visible(warning)}\n" for warning in warnings]
    for section in sections:
        parts.append(f"## {section.title}\n")
        parts += [f"{visible(note)}\n" for note in section.notes]
        for table in section.tables:
            parts.append(markdown(table))
            (folder / "tables" / f"{table.name}.tex").write_text(latex(table), encoding="utf-8")
            (folder / "tables" / f"{table.name}.csv").write_text(csv_text(table), encoding="utf-8")
        for figure in section.figures:
            image = f"![](figures/{figure.png.name})"
            parts.append(f"### {figure.title}\n\n{image}\n\n{visible(figure.caption)}\n")
    (folder / "report.md").write_text("\n".join(parts), encoding="utf-8")


def _log(given: argparse.Namespace, folder: Path, runs: Sequence[str]) -> None:
    from mouse.tracking.reader import KIND_TAG
    from mouse.tracking.writer import Tracker

    tracker = Tracker()
    tracker.start(
        f"report {given.name}",
        {"where": given.where, "runs": list(runs)[:100]},
        {KIND_TAG: "report"},
        # Apart from the evaluations, whose list in the UI it would only clutter.
        f"{given.experiment or 'mouse'}-reports",
    )
    tracker.log_files(folder)
    tracker.finish("complete")


if __name__ == "__main__":
    sys.exit(main())
