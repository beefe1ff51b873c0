"""`python -m mouse.report NAME`: from tracked runs to tables, figures and one HTML page.

Reads runs from MLflow, writes `reports/NAME/` and logs the same files back as a run of their own.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from mouse.annotation.review.results import AspectResult, results
from mouse.annotation.review.sheet import import_sheets, read_review
from mouse.comparison.contestants import find_runs
from mouse.errors import EXIT_COMPLETE, EXIT_USAGE, UserError
from mouse.reporting.mlflow_view import views
from mouse.reporting.report import Report, make_report
from mouse.reporting.write import write_report
from mouse.tracking.reader import KIND_TAG
from mouse.tracking.writer import Tracker

EXAMPLES = """examples:
  python -m mouse.report baselines --where "model in (lexicon, majority)"
  python -m mouse.report two --runs 3f2a9c 81bb02 --side-by-side lexicon majority
  python -m mouse.report paper --experiment paper --out reports
exit codes: 0 reported, 2 the runs cannot be ranked together or wrong usage
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
    add = parser.add_argument
    add("name", help="the report's name, and its folder's")
    add("--where", help='which runs, e.g. "model in (lexicon, gpt5.2)"')
    add("--runs", nargs="+", default=[], metavar="RUN", help="run ids (may be cut short)")
    add("--experiment", help="only runs of this MLflow experiment")
    add(
        "--mixed",
        action="store_true",
        help="rank runs together that differ in data, prompt, judge or rows, and say so",
    )
    add("--side-by-side", nargs=2, default=[], metavar="MODEL", help="the two models of table 7")
    add("--items", nargs="+", default=[], metavar="ID", help="the items of table 7")
    add(
        "--review",
        type=Path,
        metavar="FOLDER",
        help="filled-in sheets of mouse.dataset build review-out, for table 5",
    )
    add("--resamples", type=int, default=2000, help="of the paired tests (2000)")
    add("--out", type=Path, default=Path("reports"), help="folder of reports")
    add("--no-log", action="store_true", help="do not log the files to MLflow")
    return parser


def report(given: argparse.Namespace) -> Path:
    """Make the report that the command line asks for and return its folder."""
    started = time.monotonic()
    name = given.name
    if not name or name in (".", "..") or any(sign in name for sign in "/\\\0"):
        raise UserError(f"a report's name is one folder's name, not {name!r}")
    runs, _ = find_runs(given.runs, given.where, given.experiment)
    made = make_report(
        name,
        sorted(runs, key=lambda run: -run.summary.started_ms),
        mixed=given.mixed,
        all_runs=bool(given.runs),  # whoever names a run wants to see it
        side_by_side=given.side_by_side,
        items=given.items,
        reviewed=_review(given.review),
        resamples=given.resamples,
    )
    folder: Path = given.out / name
    subtitle = write_report(made, folder)
    if not given.no_log:
        _log(given, folder, made)
    for what, address in views(made):
        print(f"in MLflow (make ui), {what}: {address}")
    print(f"{subtitle}: {time.monotonic() - started:.1f} s", file=sys.stderr)
    return folder


def _review(folder: Path | None) -> list[AspectResult]:
    """What the reviewers of the user's own data set answered; nothing without a folder."""
    if folder is None:
        return []
    opinions, _ = import_sheets(folder, read_review(folder))
    return results(opinions)


def _log(given: argparse.Namespace, folder: Path, made: Report) -> None:
    tracker = Tracker()
    tracker.start(
        f"report {given.name}",
        {"where": given.where, "runs": sorted(made.runs)[:100]},
        {KIND_TAG: "report"},
        # Apart from the evaluations, whose list in the UI it would only clutter.
        f"{given.experiment or 'mouse'}-reports",
    )
    tracker.log_files(folder)
    tracker.finish("complete")


if __name__ == "__main__":
    sys.exit(main())
