"""The sheets that annotators fill in with labels, and the manifest that says who was given what."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mouse.annotation.folders import check_unused, read_key, read_named, write_key
from mouse.annotation.guidelines import guidelines
from mouse.annotation.labelling.assignment import assign
from mouse.annotation.sheets import YES_NO, FilledRow, SheetColumn, write_xlsx
from mouse.corpus.construction.collecting import Collected
from mouse.corpus.items import COMPONENTS, INTENTS
from mouse.corpus.labels import COMPONENT_ZH, INTENT_ZH
from mouse.corpus.reading import values
from mouse.errors import DataError, Fault

LABELS = (*COMPONENTS, "intent", "toxicity")
"""What annotators choose, in the order of the columns; the reference they write."""

LABEL_COLUMNS = (
    *(SheetColumn(name, COMPONENT_ZH[name], 8, YES_NO) for name in COMPONENTS),
    SheetColumn("intent", "意图", 14, tuple(INTENT_ZH[name] for name in INTENTS)),
    SheetColumn("toxicity", "有毒", 8, YES_NO),
)
COLUMNS = (
    SheetColumn("id", "编号", 14),
    SheetColumn("text", "原文", 40),
    SheetColumn("reference", "标准中文译文", 40, free=True),
    *LABEL_COLUMNS,
    SheetColumn("comment", "备注", 24, free=True),
)
MANIFEST = "assignment.json"
SHEETS = "sheets"


@dataclass(frozen=True, slots=True)
class Assigned:
    """An item with the names of its annotators."""

    item: Collected
    annotators: tuple[str, ...]


@dataclass(frozen=True)
class Assignment:
    """Who labels what; written beside the sheets and read back with them."""

    per_item: int
    seed: int
    annotators: tuple[str, ...]
    items: tuple[Assigned, ...]

    def given_to(self, annotator: str) -> list[Collected]:
        """The items of one annotator, in the manifest's order."""
        return [entry.item for entry in self.items if annotator in entry.annotators]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's labels of one item; None and an empty reference where a cell stayed empty."""

    item_id: str
    annotator: str
    labels: Mapping[str, object]
    """`homophonic`, `visual`, `semantic`: bool; `intent`: one of `INTENTS`; `toxicity`: 0 or 1."""
    reference: str
    comment: str = ""
    missing: tuple[str, ...] = ()
    """Addresses of the cells that stayed empty."""


def export_sheets(
    items: Sequence[Collected], annotators: int, per_item: int, seed: int, folder: Path
) -> Assignment:
    """Assign the items and write `assignment.json` and one sheet an annotator, each shuffled.

    Raises `UserError` where the folder holds an assignment already.
    """
    check_unused(folder / MANIFEST)
    width = max(2, len(str(annotators)))
    names = tuple(f"annotator_{number:0{width}d}" for number in range(1, annotators + 1))
    teams = assign(len(items), annotators, per_item, seed)
    assigned = tuple(
        Assigned(item, tuple(names[who] for who in team))
        for item, team in zip(items, teams, strict=True)
    )
    assignment = Assignment(per_item, seed, names, assigned)
    for number, name in enumerate(names):
        mine = assignment.given_to(name)
        random.Random(seed * 1_000_003 + number).shuffle(mine)
        rows = [{"id": item.id, "text": item.text} for item in mine]
        write_xlsx(folder / SHEETS / f"{name}.xlsx", COLUMNS, rows, guidelines("labelling"))
    write_key(folder / MANIFEST, assignment)
    return assignment


def read_assignment(folder: Path) -> Assignment:
    """What `export_sheets` wrote. Raises `UserError` where there is none, or it was altered."""
    return read_key(folder / MANIFEST, Assignment, "`build assign`")


def import_sheets(folder: Path, assignment: Assignment) -> list[Annotation]:
    """All annotators' sheets (`NAME.xlsx` or `NAME.csv` under `sheets/`), in the manifest's order.

    Raises `DataError` with every fault: a sheet that is not there, an impossible cell, a row that
    this annotator was not given, one that is gone. Empty cells are no fault, see `missing`.
    """
    faults: list[Fault] = []
    annotations: list[Annotation] = []
    for name in assignment.annotators:
        given = {item.id for item in assignment.given_to(name)}
        unknown_row = f"not an item of {name}"
        _, rows = read_named(folder / SHEETS, name, COLUMNS, given, unknown_row, faults)
        annotations += [read_row(name, row) for row in rows.values()]
    if faults:
        raise DataError(f"The sheets have {len(faults)} fault(s):", faults)
    return annotations


def read_row(annotator: str, row: FilledRow) -> Annotation:
    """A filled row as labels in the terms of the data set."""
    labels: dict[str, object] = {name: values.flag(row.values[name]) for name in COMPONENTS}
    labels["intent"] = values.intent(row.values["intent"])
    toxic = values.flag(row.values["toxicity"])
    labels["toxicity"] = None if toxic is None else int(toxic)
    reference = row.texts.get("reference", "")
    missing = row.missing if reference else (*row.missing, row.addresses.get("reference", "C?"))
    return Annotation(row.id, annotator, labels, reference, row.texts.get("comment", ""), missing)


def shown(label: str, value: object) -> str:
    """A label's value as its drop-down shows it; empty for None."""
    if value is None:
        return ""
    if label == "intent":
        return INTENT_ZH[value]  # type: ignore[index]
    return YES_NO[0] if value else YES_NO[1]
