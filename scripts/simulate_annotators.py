"""Fills in the sheets of `build assign` and `build review-out` with simulated people.

    python scripts/simulate_annotators.py annotate ASSIGNED [--error 0.1] [--spammers 1] [--seed 0]
    python scripts/simulate_annotators.py review REVIEW [--yes 0.95] [--seed 0]

For trying the pipeline end to end, and for checking its estimates: the error rates are known. The
truth is the sample's, found by the text, so ASSIGNED must have been built from the sample's
expressions; an item that is not in the sample is labelled at random. The last `--spammers`
annotators answer at random. A simulated annotator reads the truth and errs: a yes/no label is
turned with the error rate, an intent becomes one of the other seven, a reference loses its last
character.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mouse.annotation.labelling import sheet as labelling
from mouse.annotation.labelling.sheet import LABELS, shown
from mouse.annotation.review import sheet as review
from mouse.annotation.sheets import SHEET, YES_NO, SheetColumn
from mouse.corpus.items import COMPONENTS, CXEI, INTENTS, Components
from mouse.corpus.load import load
from mouse.errors import UserError


def true_labels(item: CXEI) -> dict[str, object]:
    """The labels of a fully labelled item by name."""
    flags: dict[str, object] = {name: getattr(item.components, name) for name in COMPONENTS}
    return {**flags, "intent": item.intent, "toxicity": item.toxicity}


def erring(truth: object, label: str, error: float, chance: random.Random) -> object:
    """The truth, or with probability `error` another value of the label, each alike."""
    if chance.random() >= error:
        return truth
    if label == "intent":
        return chance.choice([intent for intent in INTENTS if intent != truth])
    return 1 - truth if label == "toxicity" else not truth  # type: ignore[operator]


def annotated_row(item: CXEI, error: float, chance: random.Random) -> dict[str, str]:
    """The cells that an annotator with this error rate fills in for an item.

    An `error` of 1 or more is a spammer: every label is drawn evenly, whatever the item says.
    """
    cells = {}
    for label in LABELS:
        if error >= 1:
            values: Sequence[object] = INTENTS if label == "intent" else (True, False)
            value = chance.choice(values)
        else:
            value = erring(true_labels(item)[label], label, error, chance)
        cells[label] = shown(label, value)
    reference = item.reference or item.original_text
    cells["reference"] = reference if chance.random() >= error else reference[:-1] or reference
    return cells


def yes_or_no(share_of_yes: float, chance: random.Random) -> str:
    """A reviewer's answer."""
    return YES_NO[0] if chance.random() < share_of_yes else YES_NO[1]


def fill_in(
    path: Path, columns: Sequence[SheetColumn], cells: Mapping[str, Mapping[str, str]]
) -> None:
    """Write cells, by row id and column name, into a sheet and save it, as a person would."""
    from openpyxl import load_workbook

    book = load_workbook(path)
    sheet: Any = book[SHEET]
    header = [cell.value for cell in sheet[1]]
    place = {
        column.name: header.index(column.header) + 1
        for column in columns
        if column.header in header
    }
    rows = {sheet.cell(row, 1).value: row for row in range(2, sheet.max_row + 1)}
    for row_id, filled in cells.items():
        if row_id not in rows:
            raise UserError(f"{path.name}: there is no row {row_id}")
        for name, text in filled.items():
            cell = sheet.cell(rows[row_id], place[name])
            cell.value = text
            # openpyxl takes a text that begins with = for a formula.
            cell.data_type = "s"
    book.save(path)


def annotate(folder: Path, error: float, spammers: int, seed: int) -> None:
    truth = {item.original_text: item for item in load("sample").cxeis}
    assignment = labelling.read_assignment(folder)
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
        path = folder / labelling.SHEETS / f"{name}.xlsx"
        fill_in(path, labelling.COLUMNS, cells)


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
