"""`build`: from collected lines to a labelled, reviewed data set, one step a sub-command."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from mouse.annotation.labelling import decisions as votes
from mouse.annotation.labelling.reliability import Reliability, reliability
from mouse.annotation.labelling.sheet import export_sheets, import_sheets, read_assignment
from mouse.annotation.review import sheet as review
from mouse.annotation.review.results import AspectResult, results
from mouse.corpus.construction.collecting import (
    collect,
    read_collected,
    read_lines,
    write_collection,
)
from mouse.corpus.reading.columns import ColumnMap
from mouse.corpus.write import write
from mouse.dataset_commands.source import add_source, column_overrides, load_source
from mouse.dataset_commands.tables import interval, print_table
from mouse.errors import EXIT_COMPLETE, EXIT_USAGE, UserError
from mouse.text.json_text import to_json

MISSING_SHOWN = 20


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "build", help="collected lines → annotators → votes → reviewed data set"
    )
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    step = _step(steps, "clean", _clean, "clean, mask and de-duplicate raw lines; log every change")
    step.add_argument("raw", nargs="*", type=Path, metavar="RAW", help="collected: .txt or data")
    step.add_argument(
        "--manual", nargs="+", type=Path, default=[], metavar="FILE", help="written by hand"
    )
    step.add_argument(
        "--threshold", type=float, default=0.9, help="of near-duplicates, over 0.8 to 1 (0.9)"
    )
    step.add_argument(
        "--columns", nargs="+", default=[], metavar="FIELD=HEADER", help="original_text=HEADER"
    )
    step = _step(steps, "assign", _assign, "give each item to some annotators; a sheet each")
    step.add_argument("items", type=Path, metavar="ITEMS", help="folder of `build clean`")
    step.add_argument("--annotators", type=int, default=18, metavar="N", help="default: 18")
    step.add_argument("--per-item", type=int, default=3, metavar="K", help="default: 3")
    step.add_argument("--seed", type=int, default=0)
    step = _step(steps, "import", _import, "filled-in sheets: CXEIs, reliability, what is open")
    step.add_argument("folder", type=Path, metavar="FOLDER", help="folder of `build assign`")
    step.add_argument(
        "--adjudicated", type=Path, metavar="SHEET", help="adjudication.xlsx, filled in"
    )
    step.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    step.add_argument(
        "--strict",
        action="store_true",
        help="exit code 2 while cells are empty, items are undecided or a spammer is flagged",
    )
    step = _step(
        steps, "review-out", _review_out, "sheets of six yes/no questions, a reviewer each"
    )
    add_source(step)
    step.add_argument("--reviewers", type=int, default=4, metavar="N", help="default: 4")
    step.add_argument("--n", type=int, metavar="N", help="items of each kind (default: all)")
    step.add_argument("--seed", type=int, default=0)
    step = _step(steps, "review-in", _review_in, "pass rates and agreement of reviews", out=False)
    step.add_argument("folder", type=Path, metavar="FOLDER", help="folder of `build review-out`")
    step.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    step.add_argument("--json", action="store_true", help="print JSON")


def _step(
    steps: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    what: str,
    out: bool = True,
) -> argparse.ArgumentParser:
    parser = steps.add_parser(name, help=what)
    parser.set_defaults(run=run)
    if out:
        parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    return parser


def _clean(given: argparse.Namespace) -> int:
    if not 0.8 < given.threshold <= 1:
        raise UserError(f"--threshold {given.threshold:g}: expected over 0.8 and at most 1")
    columns = ColumnMap(column_overrides(given.columns))
    lines = [*read_lines(given.raw, "raw", columns), *read_lines(given.manual, "manual", columns)]
    if not lines:
        raise UserError("there are no lines: name files of raw lines, or --manual FILE.")
    collection = collect(lines, given.threshold)
    write_collection(collection, given.out)
    print(json.dumps(collection.summary, ensure_ascii=False, indent=2))
    print(f"Written to {given.out}: items, removed, changes (.jsonl) and summary.json.")
    return EXIT_COMPLETE


def _assign(given: argparse.Namespace) -> int:
    items = read_collected(given.items)
    assignment = export_sheets(items, given.annotators, given.per_item, given.seed, given.out)
    loads = Counter(name for entry in assignment.items for name in entry.annotators)
    low, high = min(loads[n] for n in assignment.annotators), max(loads.values())
    share = f"{low}" if low == high else f"{low} to {high}"
    print(
        f"{len(assignment.items):,} items, {given.per_item} annotators each:"
        f" {share} items for each of {given.annotators} annotators."
    )
    print(f"Sheets are in {given.out / 'sheets'}; bring them back there, filled in.")
    return EXIT_COMPLETE


def _import(given: argparse.Namespace) -> int:
    assignment = read_assignment(given.folder)
    annotations = import_sheets(given.folder, assignment)
    missing = [f"{a.annotator}!{cell}" for a in annotations for cell in a.missing]
    decisions = votes.decide(assignment, annotations)
    if given.adjudicated:
        decisions = votes.adjudicate(decisions, given.adjudicated)
    found = reliability(annotations, seed=given.seed)
    dataset = votes.to_dataset("annotated", assignment, decisions)
    write(dataset, given.out)
    votes.write_provenance(given.out, annotations, decisions, found)
    print(f"{len(dataset.cxeis):,} CXEIs written to {given.out} ({dataset.fingerprint[:12]}…).")
    if missing:
        shown = ", ".join(missing[:MISSING_SHOWN])
        more = f" and {len(missing) - MISSING_SHOWN:,} more" if len(missing) > MISSING_SHOWN else ""
        print(f"{len(missing):,} cells are empty: {shown}{more}.")
    _print_reliability(found)
    sheet = given.out / votes.PROVENANCE / "adjudication.xlsx"
    if given.adjudicated and sheet.exists() and sheet.samefile(given.adjudicated):
        # What the adjudicator wrote is the only copy of it.
        sheet = sheet.with_name("adjudication_rest.xlsx")
    undecided = votes.write_adjudication(sheet, assignment, annotations, decisions)
    if undecided:
        print(
            f"{undecided:,} items have no majority for some label; they are None until"
            f" {sheet} is filled in and given to --adjudicated."
        )
    flagged = any(annotator.flagged for annotator in found.annotators)
    wanting = given.strict and (missing or undecided or flagged)
    return EXIT_USAGE if wanting else EXIT_COMPLETE


def _print_reliability(found: Reliability) -> None:
    """α by label, and annotators from the least to the most in line with the rest."""
    print_table(
        "Krippendorff's alpha (nominal)",
        ["label", "alpha", "95%", "band", "equal pairs", "note"],
        [
            [
                *(name, f"{a.value:.3f}", interval(a.lo, a.hi), a.band),
                *(f"{a.raw_agreement:.1%}" if a.n else "—", a.note),
            ]
            for name, a in found.aspects.items()
        ],
    )
    print_table(
        "Each annotator against the rest",
        ["annotator", "items", "mean alpha", "95%", *found.aspects, ""],
        [
            [
                *(a.annotator, f"{a.items}", f"{a.mean:.3f}", interval(a.lo, a.hi)),
                *(f"{value:.2f}" for value in a.alphas.values()),
                "SPAMMER?" if a.flagged else "",
            ]
            for a in sorted(found.annotators, key=lambda a: (a.mean != a.mean, a.mean))
        ],
    )
    print(f"SPAMMER? — {found.rule}.")


def _review_out(given: argparse.Namespace) -> int:
    dataset = load_source(given)
    out = review.export_sheets(dataset, given.reviewers, given.n, given.seed, given.out)
    counts = ", ".join(f"{len(ids):,} {section}" for section, ids in out.ids.items())
    print(f"{len(out.reviewers)} reviewers, the same {counts} items for each: {given.out}")
    return EXIT_COMPLETE


def _review_in(given: argparse.Namespace) -> int:
    opinions, missing = review.import_sheets(given.folder, review.read_review(given.folder))
    found = results(opinions, seed=given.seed)
    if given.json:
        print(to_json({"aspects": [asdict(a) for a in found], "missing": missing}, indent=2))
        return EXIT_COMPLETE
    _print_review(found)
    if missing:
        print(f"{len(missing):,} cells are empty: {', '.join(missing[:MISSING_SHOWN])}")
    for aspect in found:
        if aspect.failed_items:
            print(f"{aspect.aspect}: no majority passed {', '.join(aspect.failed_items)}")
    return EXIT_COMPLETE


def _print_review(found: Sequence[AspectResult]) -> None:
    heads = ["aspect", "items", "answers", "yes", "95%", "items passed", "95% exact", "alpha"]
    rows = []
    for a in found:
        alpha = ["undefined", ""]
        if a.alpha.status == "ok":
            alpha = [f"{a.alpha.value:.3f}", interval(a.alpha.lo, a.alpha.hi)]
        passed = interval(a.majority_lo, a.majority_hi, ".1%")
        rows.append(
            [
                *(a.aspect, f"{a.items}", f"{a.answers}", f"{a.rate:.1%}"),
                *(interval(a.lo, a.hi, ".1%"), f"{a.majority_rate:.1%}", passed, *alpha),
                f"{a.alpha.raw_agreement:.1%}",
                "—" if a.published is None else f"{a.published:.0%}",
            ]
        )
    heads += ["95%", "equal pairs", "paper"]
    print_table("Quality review (paper's Table 5)", heads, rows)
