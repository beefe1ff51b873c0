"""`validate` and `describe`: what is wrong with a data set, and what it holds."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from mouse.corpus.derivations import doubts
from mouse.corpus.describe import Choices, Description, Expressions, Repeats, describe
from mouse.corpus.items import CHOICE_TASKS
from mouse.dataset_commands.source import add_source, load_source
from mouse.dataset_commands.tables import console
from mouse.errors import EXIT_COMPLETE, EXIT_USAGE, DataError
from mouse.text.json_text import to_json

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN_WIDTH = 120


def add_validate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`validate PATH`: every fault of a data set, or its counts and fingerprint."""
    parser = commands.add_parser(
        "validate", help="report every fault of a data set (exit code 2 where there is one)"
    )
    add_source(parser)
    parser.set_defaults(run=_validate)


def _validate(given: argparse.Namespace) -> int:
    try:
        dataset = load_source(given)
    except DataError as error:
        if not given.json:
            raise
        faults = [
            {
                **{name: getattr(fault, name) for name in ("file", "row", "field")},
                "value": ascii(fault.value),
                "problem": fault.problem,
            }
            for fault in error.faults
        ]
        print(to_json({"valid": False, "faults": faults}, indent=2))
        return EXIT_USAGE
    counts = {"cxei": len(dataset.cxeis)}
    for task in CHOICE_TASKS:
        counts[task] = sum(item.task == task for item in dataset.choices)
    doubtful = [f"{item.id}: {doubt}" for item in dataset.cxeis for doubt in doubts(item)]
    if given.json:
        report = {
            "valid": True,
            "name": dataset.name,
            "counts": counts,
            "fingerprint": dataset.fingerprint,
            "notes": dataset.notes,
            "doubtful_steps": doubtful,
        }
        print(json.dumps(report, ensure_ascii=False, indent=2))
        return EXIT_COMPLETE
    shown = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    print(f"{dataset.name} is valid: {shown}.")
    print(f"Fingerprint {dataset.fingerprint}")
    for note in dataset.notes:
        print(f"Note: {note}")
    for doubt in doubtful:
        print(f"Doubtful derivation: {doubt}")
    return EXIT_COMPLETE


def add_describe(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`describe PATH`: counts, balance, repeats and biases."""
    parser = commands.add_parser(
        "describe", help="counts, label balance, duplicates, answer positions, option lengths"
    )
    add_source(parser)
    parser.set_defaults(run=_describe)


def _describe(given: argparse.Namespace) -> int:
    description = describe(load_source(given))
    if given.json:
        print(to_json(description.as_dict(), indent=2))
    else:
        _print_description(description)
    return EXIT_COMPLETE


def _print_description(description: Description) -> None:
    page = console(_PLAIN_WIDTH)
    page.print(f"{description.name} ({description.source})", markup=False)
    page.print(f"fingerprint {description.fingerprint}", markup=False)
    if description.cxeis:
        _print_expressions(page, description.cxeis)
    for task in description.choices:
        _print_choices(page, task)
    for sentence in (*description.notes, *description.warnings):
        page.print(f"Note: {sentence}", markup=False)


def _print_expressions(page: Console, found: Expressions) -> None:
    facts = {
        "groups": found.groups,
        "with a reference": found.with_reference,
        "original equals reference": found.equal_to_reference,
        "with a derivation": found.with_derivation,
        "open case": found.open_cases,
        "repeated originals": found.repeats.exact,
        "near-duplicate pairs": found.repeats.near,
    }
    _print_counts(page, f"CXEIs: {found.n:,}", {"n": facts}, found.n)
    _print_counts(page, "Intent", {"n": found.intent}, found.n)
    flags = {"toxicity": found.toxicity, **found.components}
    _print_counts(page, "Labels", flags, found.n)
    _print_counts(page, "Combinations of components", {"n": found.combinations}, found.n)
    if found.mechanisms:
        _print_counts(
            page,
            "Mechanisms of substitutions",
            {"n": found.mechanisms},
            sum(found.mechanisms.values()),
        )
    lengths = {"original": found.original_lengths, "reference": found.reference_lengths}
    _print_counts(page, "Length in characters", lengths, found.n)
    _print_repeats(page, found.repeats)


def _print_choices(page: Console, found: Choices) -> None:
    facts = {
        **{f"{size} options": count for size, count in found.options.items()},
        "linked to a CXEI": found.linked_to_cxei,
        "repeated items": found.repeats.exact,
        "near-duplicate pairs": found.repeats.near,
        **{f"right answer {name}": count for name, count in found.answer_positions.items()},
    }
    _print_counts(page, f"{found.task}: {found.n:,} items", {"n": facts}, found.n)
    page.print(
        f"{found.task}: positions of the right answer against even ones:"
        f" chi-square p = {found.position_p:.3f}",
        markup=False,
    )
    page.print(
        f"{found.task}: the right option is the longest in {found.right_is_longest:.1%}"
        f" (p = {found.longest_p:.3f}) and the shortest in {found.right_is_shortest:.1%},"
        f" expected {found.expected_longest:.1%} each",
        markup=False,
    )
    _print_counts(
        page, f"{found.task}: length in characters", {"text": found.text_lengths}, found.n
    )
    _print_repeats(page, found.repeats)


def _print_counts(
    page: Console, title: str, columns: dict[str, dict[str, int]], total: int
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
    page.print(table)


def _print_repeats(page: Console, repeats: Repeats) -> None:
    for first, second, similarity in repeats.examples:
        how = "the same text" if similarity == 1 else f"similarity {similarity:.2f}"
        page.print(f"  {first} and {second}: {how}", markup=False)
