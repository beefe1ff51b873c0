"""`synthesize`: new CXEIs with known derivations, from plain sentences, to a JSONL file."""

from __future__ import annotations

import argparse
from pathlib import Path

from mouse.corpus.items import COMPONENTS
from mouse.corpus.load import load
from mouse.corpus.synthesis import plain
from mouse.corpus.synthesis.stream import write_stream
from mouse.errors import EXIT_COMPLETE, UserError


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "synthesize", help="make CXEIs from plain sentences, any number, seedable"
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--in",
        dest="source",
        type=Path,
        metavar="PLAIN",
        help="plain sentences: .txt (UTF-8, one a line), or data with references and labels;"
        " none for the sentences that come with mouse",
    )
    source.add_argument("--sample", action="store_true", help="the sample's references")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.jsonl")
    parser.add_argument("--n", type=int, default=1_000, help="items (default: 1000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--rate",
        type=float,
        default=0.3,
        help="share of the substitutable characters to substitute, in (0, 1] (default: 0.3)",
    )
    parser.add_argument(
        "--kinds",
        default=",".join(COMPONENTS),
        metavar="KIND,…",
        help=f"components that may be used (default: {','.join(COMPONENTS)})",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.sample or (arguments.source and arguments.source.suffix.lower() != ".txt"):
        dataset = load("sample") if arguments.sample else load("files", path=arguments.source)
        source = plain.from_dataset(dataset)
    else:
        source = plain.from_text_file(arguments.source or plain.shipped())
    if arguments.source and arguments.out.resolve() == arguments.source.resolve():
        raise UserError(f"--out {arguments.out}: this is the file that is read")
    kinds = [kind.strip() for kind in arguments.kinds.split(",") if kind.strip()]

    counts = write_stream(arguments.out, source, arguments.n, arguments.seed, arguments.rate, kinds)
    shown = ", ".join(f"{name} {counts.components[name]:,}" for name in sorted(counts.components))
    print(
        f"{counts.items:,} CXEIs with {counts.substitutions:,} substitutions from"
        f" {counts.sentences:,} sentences written to {arguments.out} ({shown})."
    )
    if counts.unusable:
        print(f"{counts.unusable:,} sentences admit no substitution of these kinds.")
    return EXIT_COMPLETE
