"""`check-choices`: what lets one answer the choice items without understanding them."""

from __future__ import annotations

import argparse
from pathlib import Path

from mouse.corpus.construction.choice_checks import TaskChecks, check_choices, without_questions
from mouse.corpus.write import write
from mouse.dataset_commands.source import add_source, load_source
from mouse.dataset_commands.tables import interval, print_table
from mouse.errors import EXIT_COMPLETE, EXIT_USAGE, UserError
from mouse.text.json_text import to_json


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "check-choices", help="options that give the answer away, twins, positions, options only"
    )
    add_source(parser)
    parser.add_argument(
        "--permutations", type=int, default=2_000, metavar="N", help="default: 2000"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--options-only-out",
        type=Path,
        metavar="FOLDER",
        help="also write the items with their questions hidden, to ask a model (data=files)",
    )
    parser.add_argument("--strict", action="store_true", help="exit code 2 if anything was found")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    if given.permutations < 1:
        raise UserError(f"--permutations {given.permutations}: expected at least 1")
    dataset = load_source(given)
    if not dataset.choices:
        raise UserError(f"{dataset.name}: there are no choice items to check")
    checks = check_choices(dataset, given.permutations, given.seed)
    if given.json:
        print(to_json([task.as_dict() for task in checks], indent=2))
    else:
        for task in checks:
            _print(task)
    if given.options_only_out:
        write(without_questions(dataset), given.options_only_out)
    found = any(task.findings or task.items for task in checks)
    return EXIT_USAGE if found and given.strict else EXIT_COMPLETE


def _print(task: TaskChecks) -> None:
    rows = [
        [
            *(cue.cue, f"{cue.picks}", f"{cue.right}"),
            f"{cue.share:.1%} {interval(cue.lo, cue.hi, '.1%')}",
            *(f"{cue.expected:.1%}", f"{cue.p:.3g}", f"{cue.p_holm:.3g}"),
        ]
        for cue in task.cues
        if cue.picks
    ]
    heads = ["cue", "picks", "right", "share, 95% exact", "chance", "p", "p (Holm)"]
    print_table(f"{task.task}: {task.n:,} items", heads, rows)
    positions = ", ".join(f"{letter} {count}" for letter, count in task.positions.items())
    print(f"{task.task}: right answers {positions} (p = {task.position_p:.3g} of even positions)")
    score = task.options_only
    print(
        f"{task.task}: options alone {score.accuracy:.1%}, chance (model=uniform)"
        f" {score.chance:.1%}, p = {score.p:.3g}"
    )
    for finding in task.findings:
        print(f"{task.task}: FOUND {finding}")
    for item in task.items:
        print(f"  {item.item_id}: {item.problem}")
