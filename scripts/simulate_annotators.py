"""Fills in the sheets of `build assign` and `build review-out` with simulated people.

    python scripts/simulate_annotators.py annotate ASSIGNED [--error 0.1] [--spammers 1] [--seed 0]
    python scripts/simulate_annotators.py review REVIEW [--yes 0.95] [--seed 0]

For trying the pipeline end to end, and for checking its estimates: the error rates are known. The
truth is the sample's, found by the text, so ASSIGNED must have been built from the sample's
expressions; an item that is not in the sample is labelled at random. The last `--spammers`
annotators answer at random.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from mouse.annotation.labelling import annotation_sheets, review
from mouse.corpus.construction.simulation import annotated_row, fill_in, yes_or_no
from mouse.corpus.items import CXEI, Components
from mouse.corpus.load import load


def annotate(folder: Path, error: float, spammers: int, seed: int) -> None:
    truth = {item.original_text: item for item in load("sample").cxeis}
    assignment = annotation_sheets.read_assignment(folder)
    honest = len(assignment.annotators) - spammers
    for number, name in enumerate(assignment.annotators):
        chance = random.Random(seed * 1_000 + number)
        rate = error if number < honest else 1.0
        cells = {}
        for entry in assignment.items:
            if name in entry.annotators:
                item = truth.get(entry.item.text)
                known = item or _unknown(entry.item.id, entry.item.text)
                cells[entry.item.id] = annotated_row(known, rate if item else 1.0, chance)
        path = folder / annotation_sheets.SHEETS / f"{name}.xlsx"
        fill_in(path, annotation_sheets.COLUMNS, cells)


def _unknown(name: str, text: str) -> CXEI:
    return CXEI(name, text, text, Components(False, False, False), "Others", 0)


def answer_review(folder: Path, share_of_yes: float, seed: int) -> None:
    handed = review.read_review(folder)
    chance = random.Random(seed)
    for name in handed.reviewers:
        for section in review.SECTIONS:
            questions = review.questions_of(section)
            cells = {
                item_id: {q.aspect: yes_or_no(share_of_yes, chance) for q in questions}
                for item_id in handed.ids.get(section, ())
            }
            if cells:
                fill_in(folder / f"{name}_{section}.xlsx", review.columns_of(section), cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("annotate", "review"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--error", type=float, default=0.1)
    parser.add_argument("--spammers", type=int, default=1)
    parser.add_argument("--yes", type=float, default=0.95)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.what == "annotate":
        annotate(arguments.folder, arguments.error, arguments.spammers, arguments.seed)
    else:
        answer_review(arguments.folder, arguments.yes, arguments.seed)


if __name__ == "__main__":
    main()
