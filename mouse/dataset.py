"""`python -m mouse.dataset`: looks after data sets, one sub-command a function."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from mouse.dataset_commands import build, check_choices, synthesize
from mouse.dataset_commands.describe import add_describe, add_validate
from mouse.errors import EXIT_USAGE, UserError

SUBCOMMANDS: list[Callable[[argparse._SubParsersAction[argparse.ArgumentParser]], None]] = [
    add_validate,
    add_describe,
    build.add,
    check_choices.add,
    synthesize.add,
]
"""One function a sub-command: it adds the parser and sets `run`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command; the exit code is 0, or 2 for wrong usage or invalid data."""
    parser = argparse.ArgumentParser(
        prog="python -m mouse.dataset",
        description="Check, describe, build and synthesize data sets.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in SUBCOMMANDS:
        add(commands)
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as end:
        return int(end.code or 0)
    try:
        return int(arguments.run(arguments))
    except UserError as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE


if __name__ == "__main__":
    sys.exit(main())
