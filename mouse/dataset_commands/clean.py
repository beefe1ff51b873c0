"""`build clean`: collected and hand-written lines become distinct items without personal data."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from mouse.errors import EXIT_COMPLETE, UserError


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "clean",
        help="clean, mask and de-duplicate raw lines; log every change and every removed line",
    )
    parser.add_argument("raw", nargs="*", type=Path, metavar="RAW", help="collected: .txt or data")
    parser.add_argument(
        "--manual", nargs="+", type=Path, default=[], metavar="FILE", help="written by hand"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.9,
        help="similarity of near-duplicates, over 0.8 to 1 (default: 0.9)",
    )
    parser.add_argument(
        "--columns",
        nargs="+",
        default=[],
        metavar="FIELD=HEADER",
        help="original_text=HEADER where the text's column is not found by its name",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from mouse.corpus.construction.collecting import collect, read_lines, write_collection
    from mouse.corpus.reading.columns import ColumnMap
    from mouse.dataset_commands.source import column_overrides

    if not 0.8 < arguments.threshold <= 1:
        raise UserError(f"--threshold {arguments.threshold:g}: expected over 0.8 and at most 1")
    column_map = ColumnMap(column_overrides(arguments.columns))
    lines = [
        *read_lines(arguments.raw, "raw", column_map),
        *read_lines(arguments.manual, "manual", column_map),
    ]
    if not lines:
        raise UserError("there are no lines: name files of raw lines, or --manual FILE.")
    collection = collect(lines, arguments.threshold)
    write_collection(collection, arguments.out)
    print(json.dumps(collection.summary, ensure_ascii=False, indent=2))
    print(f"Written to {arguments.out}: items, removed, changes (.jsonl) and summary.json.")
    return EXIT_COMPLETE
