"""`build`: from collected lines to a labelled, reviewed data set, one step a sub-command."""

from __future__ import annotations

import argparse

from mouse.dataset_commands import clean, labelling, review


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "build", help="collected lines → annotators → votes → reviewed data set"
    )
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    clean.add(steps)
    labelling.add_assign(steps)
    labelling.add_import(steps)
    review.add_out(steps)
    review.add_in(steps)
