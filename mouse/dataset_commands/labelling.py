"""`build assign` and `build import`: sheets for annotators, and their votes as CXEIs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mouse.errors import EXIT_COMPLETE, EXIT_USAGE

if TYPE_CHECKING:
    from mouse.annotation.labelling.reliability import Reliability

MISSING_SHOWN = 20


def add_assign(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "assign", help="give each item to some annotators, evenly; write one sheet each"
    )
    parser.add_argument("items", type=Path, metavar="ITEMS", help="folder of `build clean`")
    parser.add_argument("--annotators", type=int, default=18, metavar="N", help="default: 18")
    parser.add_argument("--per-item", type=int, default=3, metavar="K", help="default: 3")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.set_defaults(run=run_assign)


def run_assign(arguments: argparse.Namespace) -> int:
    from collections import Counter

    from mouse.annotation.labelling.annotation_sheets import hand_out
    from mouse.corpus.construction.collecting import read_collected

    assignment = hand_out(
        read_collected(arguments.items),
        arguments.annotators,
        arguments.per_item,
        arguments.seed,
        arguments.out,
    )
    loads = Counter(name for entry in assignment.items for name in entry.annotators)
    low, high = min(loads[n] for n in assignment.annotators), max(loads.values())
    share = f"{low}" if low == high else f"{low} to {high}"
    print(
        f"{len(assignment.items):,} items, {arguments.per_item} annotators each:"
        f" {share} items for each of {arguments.annotators} annotators."
    )
    print(f"Sheets are in {arguments.out / 'sheets'}; bring them back there, filled in.")
    return EXIT_COMPLETE


def add_import(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "import", help="votes of filled-in sheets: CXEIs, reliability, what needs adjudication"
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of `build assign`")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--adjudicated", type=Path, metavar="SHEET", help="adjudication.xlsx, filled in"
    )
    parser.add_argument("--name", default="annotated", help="name of the data set")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit code 2 while cells are empty, items are undecided or a spammer is flagged",
    )
    parser.set_defaults(run=run_import)


def run_import(arguments: argparse.Namespace) -> int:
    from mouse.annotation.labelling import importing
    from mouse.annotation.labelling.annotation_sheets import read_assignment, take_in
    from mouse.annotation.labelling.reliability import reliability
    from mouse.corpus.write import write

    assignment = read_assignment(arguments.folder)
    annotations = take_in(arguments.folder, assignment)
    missing = [f"{a.annotator}!{cell}" for a in annotations for cell in a.missing]
    decisions = importing.decide(assignment, annotations)
    if arguments.adjudicated:
        decisions = importing.adjudicate(decisions, arguments.adjudicated)
    found = reliability(annotations, seed=arguments.seed)
    dataset = importing.to_dataset(arguments.name, assignment, decisions)
    write(dataset, arguments.out, "jsonl")
    importing.write_provenance(arguments.out, annotations, decisions, found)
    print(f"{len(dataset.cxeis):,} CXEIs written to {arguments.out} ({dataset.fingerprint[:12]}…).")
    if missing:
        shown = ", ".join(missing[:MISSING_SHOWN])
        more = f" and {len(missing) - MISSING_SHOWN:,} more" if len(missing) > MISSING_SHOWN else ""
        print(f"{len(missing):,} cells are empty: {shown}{more}.")
    print_reliability(found)
    sheet = arguments.out / importing.PROVENANCE / "adjudication.xlsx"
    if arguments.adjudicated and sheet.exists() and sheet.samefile(arguments.adjudicated):
        # What the adjudicator wrote is the only copy of it.
        sheet = sheet.with_name("adjudication_rest.xlsx")
    undecided = importing.write_adjudication(sheet, assignment, annotations, decisions)
    if undecided:
        print(
            f"{undecided:,} items have no majority for some label; they are None until"
            f" {sheet} is filled in and given to --adjudicated."
        )
    flagged = any(annotator.flagged for annotator in found.annotators)
    if arguments.strict and (missing or undecided or flagged):
        return EXIT_USAGE
    return EXIT_COMPLETE


def print_reliability(found: Reliability) -> None:
    """α by label, and annotators from the least to the most in line with the rest."""
    from mouse.dataset_commands.tables import print_table

    rows = [
        [
            name,
            f"{a.value:.3f}",
            f"[{a.lo:.3f}, {a.hi:.3f}]",
            a.band,
            f"{a.raw_agreement:.1%}" if a.n else "—",
            a.note,
        ]
        for name, a in found.aspects.items()
    ]
    heads = ["label", "alpha", "95%", "band", "equal pairs", "note"]
    print_table("Krippendorff's alpha (nominal)", heads, rows)
    ordered = sorted(found.annotators, key=lambda a: (a.mean != a.mean, a.mean))
    rows = [
        [
            a.annotator,
            f"{a.items}",
            f"{a.mean:.3f}",
            f"[{a.lo:.3f}, {a.hi:.3f}]",
            *(f"{value:.2f}" for value in a.alphas.values()),
            "SPAMMER?" if a.flagged else "",
        ]
        for a in ordered
    ]
    heads = ["annotator", "items", "mean alpha", "95%", *found.aspects, ""]
    print_table("Each annotator against the rest", heads, rows)
    print(f"SPAMMER? — {found.rule}.")
