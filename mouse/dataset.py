"""`python -m mouse.dataset`: looks after data sets, one sub-command a function."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mouse.corpus.derivations import doubts
from mouse.dataset_commands import build, check_choices, synthesize
from mouse.dataset_commands.source import add_source, load_source
from mouse.errors import EXIT_COMPLETE, EXIT_USAGE, UserError

if TYPE_CHECKING:
    from rich.console import Console

    from mouse.corpus.describe import Choices, Description, Expressions, Repeats
_PLAIN_WIDTH = 120
"""Columns of a table that does not go to a terminal, where there is no width to ask for."""


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


def add_validate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`validate PATH`: every fault of a data set, or its counts and fingerprint."""
    parser = commands.add_parser(
        "validate", help="report every fault of a data set (exit code 2 where there is one)"
    )
    add_source(parser)

    def run(arguments: argparse.Namespace) -> int:
        from mouse.errors import DataError

        try:
            dataset = load_source(arguments)
        except DataError as error:
            if not arguments.json:
                raise
            faults = [
                {
                    "file": fault.file,
                    "row": fault.row,
                    "field": fault.field,
                    "value": ascii(fault.value),
                    "problem": fault.problem,
                }
                for fault in error.faults
            ]
            print(json.dumps({"valid": False, "faults": faults}, ensure_ascii=False, indent=2))
            return EXIT_USAGE
        counts = {"cxei": len(dataset.cxeis)}
        for task in ("ms", "cc"):
            counts[task] = sum(item.task == task for item in dataset.choices)
        doubtful = [f"{item.id}: {doubt}" for item in dataset.cxeis for doubt in doubts(item)]
        if arguments.json:
            report = {
                "valid": True,
                "name": dataset.name,
                "counts": counts,
                "fingerprint": dataset.fingerprint,
                "notes": dataset.notes,
                "doubtful_steps": doubtful,
            }
            print(json.dumps(report, ensure_ascii=False, indent=2))
        else:
            shown = ", ".join(f"{count:,} {name}" for name, count in counts.items())
            print(f"{dataset.name} is valid: {shown}.")
            print(f"Fingerprint {dataset.fingerprint}")
            for note in dataset.notes:
                print(f"Note: {note}")
            for doubt in doubtful:
                print(f"Doubtful derivation: {doubt}")
        return EXIT_COMPLETE

    parser.set_defaults(run=run)


def add_describe(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`describe PATH`: counts, balance, repeats and biases."""
    parser = commands.add_parser(
        "describe", help="counts, label balance, duplicates, answer positions, option lengths"
    )
    add_source(parser)

    def run(arguments: argparse.Namespace) -> int:
        from mouse.corpus.describe import describe

        description = describe(load_source(arguments))
        if arguments.json:
            print(json.dumps(description.as_dict(), ensure_ascii=False, indent=2, allow_nan=False))
        else:
            _print_description(description)
        return EXIT_COMPLETE

    parser.set_defaults(run=run)


SUBCOMMANDS: list[Callable[[argparse._SubParsersAction[argparse.ArgumentParser]], None]] = [
    add_validate,
    add_describe,
    build.add,
    check_choices.add,
    synthesize.add,
]
"""One function a sub-command: it adds the parser and sets `run`."""


def _print_description(description: Description) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else _PLAIN_WIDTH, highlight=False)
    console.print(f"{description.name} ({description.source})", markup=False)
    console.print(f"fingerprint {description.fingerprint}", markup=False)
    if description.cxeis:
        _print_expressions(console, description.cxeis)
    for task in description.choices:
        _print_choices(console, task)
    for sentence in (*description.notes, *description.warnings):
        console.print(f"Note: {sentence}", markup=False)


def _print_expressions(console: Console, found: Expressions) -> None:
    facts = {
        "groups": found.groups,
        "with a reference": found.with_reference,
        "original equals reference": found.equal_to_reference,
        "with a derivation": found.with_derivation,
        "open case": found.open_cases,
        "repeated originals": found.repeats.exact,
        "near-duplicate pairs": found.repeats.near,
    }
    _print_counts(console, f"CXEIs: {found.n:,}", {"n": facts}, found.n)
    _print_counts(console, "Intent", {"n": found.intent}, found.n)
    flags = {"toxicity": found.toxicity, **found.components}
    _print_counts(console, "Labels", flags, found.n)
    _print_counts(console, "Combinations of components", {"n": found.combinations}, found.n)
    if found.mechanisms:
        _print_counts(
            console,
            "Mechanisms of substitutions",
            {"n": found.mechanisms},
            sum(found.mechanisms.values()),
        )
    lengths = {"original": found.original_lengths, "reference": found.reference_lengths}
    _print_counts(console, "Length in characters", lengths, found.n)
    _print_repeats(console, found.repeats)


def _print_choices(console: Console, found: Choices) -> None:
    facts = {
        **{f"{size} options": count for size, count in found.options.items()},
        "linked to a CXEI": found.linked_to_cxei,
        "repeated items": found.repeats.exact,
        "near-duplicate pairs": found.repeats.near,
        **{f"right answer {name}": count for name, count in found.answer_positions.items()},
    }
    _print_counts(console, f"{found.task}: {found.n:,} items", {"n": facts}, found.n)
    console.print(
        f"{found.task}: positions of the right answer against even ones:"
        f" chi-square p = {found.position_p:.3f}",
        markup=False,
    )
    console.print(
        f"{found.task}: the right option is the longest in {found.right_is_longest:.1%}"
        f" (p = {found.longest_p:.3f}) and the shortest in {found.right_is_shortest:.1%},"
        f" expected {found.expected_longest:.1%} each",
        markup=False,
    )
    _print_counts(
        console, f"{found.task}: length in characters", {"text": found.text_lengths}, found.n
    )
    _print_repeats(console, found.repeats)


def _print_counts(
    console: Console, title: str, columns: dict[str, dict[str, int]], total: int
) -> None:
    """One row a name, with count and share of the total under each column's heading."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", show_header=len(columns) > 1)
    table.add_column(min_width=26)
    for heading in columns:
        table.add_column(heading, justify="right", min_width=14)
    for name in dict.fromkeys(name for counts in columns.values() for name in counts):
        counts = [column.get(name, 0) for column in columns.values()]
        table.add_row(name, *(f"{count:,} {count / total:>6.1%}" for count in counts))
    console.print(table)


def _print_repeats(console: Console, repeats: Repeats) -> None:
    for first, second, similarity in repeats.examples:
        how = "the same text" if similarity == 1 else f"similarity {similarity:.2f}"
        console.print(f"  {first} and {second}: {how}", markup=False)


if __name__ == "__main__":
    sys.exit(main())
