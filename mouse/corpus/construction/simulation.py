"""Fills in sheets as people with known error rates would, so that estimates can be checked.

A simulated annotator reads the truth and errs: a yes/no label is turned with the error rate, an
intent becomes one of the other seven, a reference loses its last character. Nobody's opinion.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mouse.annotation.labelling.annotation_sheets import LABELS, YES_NO, shown
from mouse.annotation.sheets import SHEET, Column
from mouse.corpus.items import COMPONENTS, CXEI, INTENTS
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


def fill_in(path: Path, columns: Sequence[Column], cells: Mapping[str, Mapping[str, str]]) -> None:
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
