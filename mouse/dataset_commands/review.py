"""`build review-out` and `build review-in`: the quality review of the paper's Table 5."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from mouse.errors import EXIT_COMPLETE

if TYPE_CHECKING:
    from mouse.annotation.labelling.review_results import AspectResult


def add_out(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from mouse.dataset_commands.source import add_source

    parser = commands.add_parser(
        "review-out", help="sheets with six yes/no questions about a data set, one set a reviewer"
    )
    add_source(parser)
    parser.add_argument("--reviewers", type=int, default=4, metavar="N", help="default: 4")
    parser.add_argument("--n", type=int, metavar="N", help="items of each kind (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.set_defaults(run=run_out)


def run_out(arguments: argparse.Namespace) -> int:
    from mouse.annotation.labelling.review import hand_out
    from mouse.dataset_commands.source import load_source

    review = hand_out(
        load_source(arguments), arguments.reviewers, arguments.n, arguments.seed, arguments.out
    )
    counts = ", ".join(f"{len(ids):,} {section}" for section, ids in review.ids.items())
    print(f"{len(review.reviewers)} reviewers, the same {counts} items for each: {arguments.out}")
    return EXIT_COMPLETE


def add_in(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "review-in", help="pass rates with intervals and agreement from filled-in review sheets"
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of `build review-out`")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run_in)


def run_in(arguments: argparse.Namespace) -> int:
    from mouse.annotation.labelling.review import read_review, take_in
    from mouse.annotation.labelling.review_results import results
    from mouse.text.json_text import finite

    opinions, missing = take_in(arguments.folder, read_review(arguments.folder))
    found = results(opinions, seed=arguments.seed)
    if arguments.json:
        report = {"aspects": [finite(asdict(aspect)) for aspect in found], "missing": missing}
        print(json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False))
        return EXIT_COMPLETE
    _print(found)
    if missing:
        print(f"{len(missing):,} cells are empty: {', '.join(missing[:20])}")
    for aspect in found:
        if aspect.failed_items:
            print(f"{aspect.aspect}: no majority passed {', '.join(aspect.failed_items)}")
    return EXIT_COMPLETE


def _print(found: list[AspectResult]) -> None:
    from mouse.dataset_commands.tables import print_table

    rows = []
    for a in found:
        alpha = "undefined" if a.alpha.status == "undefined" else f"{a.alpha.value:.3f}"
        rows.append(
            [
                a.aspect,
                f"{a.items}",
                f"{a.answers}",
                f"{a.rate:.1%}",
                f"[{a.lo:.1%}, {a.hi:.1%}]",
                f"{a.majority_rate:.1%}",
                f"[{a.majority_lo:.1%}, {a.majority_hi:.1%}]",
                alpha,
                "" if alpha == "undefined" else f"[{a.alpha.lo:.3f}, {a.alpha.hi:.3f}]",
                f"{a.alpha.raw_agreement:.1%}",
                "—" if a.published is None else f"{a.published:.0%}",
            ]
        )
    heads = [
        "aspect",
        "items",
        "answers",
        "yes",
        "95%",
        "items passed",
        "95% exact",
        "alpha",
        "95%",
    ]
    print_table("Quality review (paper's Table 5)", [*heads, "equal pairs", "paper"], rows)
