"""`python -m mouse.verify RUN`: does a tracked run follow from what is stored with it?

Recomputes every metric from the stored predictions, reads every raw answer again, and checks
files, data, prompts, requests and code. Exit 0: verified; 3: something differs; 2: no such run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from mouse.errors import EXIT_COMPLETE, EXIT_INCOMPLETE, EXIT_USAGE, UserError
from mouse.reporting.table import visible
from mouse.terminal.results import console
from mouse.tracking.stored import StoredRun
from mouse.verification.sources import Check
from mouse.verification.verify import differs, open_for_verification, verify_run

EXIT_DIFFERENT = EXIT_INCOMPLETE
"""What does not verify exits as what is not complete does: there is a result, not a sound one."""

EPILOG = """exit codes: 0 verified, 2 no such run or wrong usage, 3 something differs
examples:
  python -m mouse.verify 3f2a9c
  python -m mouse.verify 3f2a9c 81bb02 --strict
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify runs, print a table of checks for each, and return the exit code."""
    given = _parser().parse_args(arguments)
    try:
        runs = [open_for_verification(run_id) for run_id in given.runs]
    except UserError as error:
        print(f"mouse.verify: {error}", file=sys.stderr)
        return EXIT_USAGE
    code = EXIT_COMPLETE
    for run in runs:
        checks = verify_run(run)
        wrong = differs(checks, strict=given.strict)
        _print(run, checks, wrong)
        if wrong:
            code = EXIT_DIFFERENT
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mouse.verify",
        description="Recompute a run's metrics from its stored predictions, and check its sources.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run id (may be cut short)")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="other code or libraries, and what could not be checked, count as differences",
    )
    return parser


def _print(run: StoredRun, checks: Sequence[Check], wrong: bool) -> None:
    from rich.markup import escape
    from rich.table import Table

    summary = run.summary
    table = Table(
        title=f"{escape(summary.model)} · {summary.run_id} · {summary.status}",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    for title in ("check", "result", "why"):
        table.add_column(title, no_wrap=title != "why", overflow="fold")
    styles = {"ok": "green", "DIFFERENT": "bold red", "noted": "yellow", "not checked": "dim"}
    for check in checks:
        result = f"[{styles[check.status]}]{check.status}[/]"
        table.add_row(escape(check.name), result, escape(visible(check.why)))
    out = console()
    out.print(table)
    failed = [check.name for check in checks if check.status == "DIFFERENT"]
    if failed:
        out.print(f"NOT VERIFIED: {', '.join(failed)}", soft_wrap=True)
    elif wrong:
        out.print("NOT VERIFIED under --strict", soft_wrap=True)
    else:
        out.print("verified", soft_wrap=True)
    out.print()


if __name__ == "__main__":
    sys.exit(main())
