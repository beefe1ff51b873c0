"""Annotators' sheets to CXEIs: votes, what is undecided, adjudication, provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from mouse.annotation.folders import read_rows
from mouse.annotation.guidelines import guidelines
from mouse.annotation.labelling.reliability import Reliability, votes_by_item
from mouse.annotation.labelling.sheet import (
    COLUMNS,
    LABELS,
    Annotation,
    Assignment,
    read_row,
    shown,
)
from mouse.annotation.sheets import SheetColumn, write_xlsx
from mouse.annotation.votes import ReferenceStatus, central_reference, majority
from mouse.corpus.items import COMPONENTS, CXEI, Components, Dataset
from mouse.errors import DataError, Fault
from mouse.text.json_text import to_json, to_jsonl

PROVENANCE = "provenance"
"""Sub-folder of what lies beside the CXEIs; readers of a data folder do not go into it."""

ADJUDICATION_COLUMNS = (
    *COLUMNS[:2],
    SheetColumn("open", "待裁决", 18),
    SheetColumn("votes", "各标注者的选择", 48),
    *COLUMNS[2:],
)
_REFERENCE = "reference"
_HEADERS = {column.name: column.header for column in COLUMNS}


@dataclass(frozen=True, slots=True)
class Decision:
    """What the votes gave for one item: a value or None a label, and what is still open."""

    item_id: str
    labels: Mapping[str, object]
    reference: str
    reference_status: ReferenceStatus | str
    open: tuple[str, ...]
    """Labels without a majority, and `reference` where nobody's is central."""
    adjudicated: tuple[str, ...] = ()


def decide(assignment: Assignment, annotations: Sequence[Annotation]) -> list[Decision]:
    """One decision an item of the manifest, in its order: strict majority of each label."""
    grouped = votes_by_item(annotations)
    decisions = []
    for entry in assignment.items:
        given = grouped.get(entry.item.id, [])
        asked = len(entry.annotators)
        labels: dict[str, object] = {
            label: majority([cast(Any, vote.labels[label]) for vote in given], asked)
            for label in LABELS
        }
        reference, status = central_reference([vote.reference for vote in given], asked)
        still = [label for label in LABELS if labels[label] is None]
        if status == "undecided":
            still.append(_REFERENCE)
        decisions.append(Decision(entry.item.id, labels, reference, status, tuple(still)))
    return decisions


def write_adjudication(
    path: Path,
    assignment: Assignment,
    annotations: Sequence[Annotation],
    decisions: Sequence[Decision],
) -> int:
    """A sheet of the items that have something open, decided cells filled in; how many rows."""
    grouped = votes_by_item(annotations)
    texts = {entry.item.id: entry.item.text for entry in assignment.items}
    rows = []
    for decision in decisions:
        if not decision.open:
            continue
        given = grouped.get(decision.item_id, [])
        votes = [f"{_HEADERS[name]}：{_votes(given, name)}" for name in decision.open]
        rows.append(
            {
                "id": decision.item_id,
                "text": texts[decision.item_id],
                "open": "、".join(_HEADERS[name] for name in decision.open),
                "votes": "\n".join(votes),
                _REFERENCE: "" if _REFERENCE in decision.open else decision.reference,
                **{label: shown(label, decision.labels[label]) for label in LABELS},
            }
        )
    if rows:
        instructions = [*guidelines("adjudication"), *guidelines("labelling")[2:]]
        write_xlsx(path, ADJUDICATION_COLUMNS, rows, instructions)
    return len(rows)


def _votes(given: Sequence[Annotation], name: str) -> str:
    votes = [
        vote.reference if name == _REFERENCE else shown(name, vote.labels[name]) for vote in given
    ]
    return " / ".join(vote or "（空）" for vote in votes)


def adjudicate(decisions: Sequence[Decision], path: Path) -> list[Decision]:
    """The decisions with the open cells that an adjudicator filled in; empty ones stay open.

    Raises `DataError` for impossible cells, rows of items with nothing open, and cells that a
    majority had decided and that now say something else.
    """
    open_ = {decision.item_id for decision in decisions if decision.open}
    faults: list[Fault] = []
    unknown_row = "this item has nothing to adjudicate"
    rows = read_rows(path, ADJUDICATION_COLUMNS, open_, unknown_row, faults)
    settled = []
    for decision in decisions:
        row = rows.get(decision.item_id)
        if row is None:
            settled.append(decision)
            continue
        given = read_row("adjudicator", row)
        for label in LABELS:
            value, decided = given.labels[label], decision.labels[label]
            if label not in decision.open and value != decided:
                problem = f"the majority vote is {shown(label, decided)}"
                where = (path.name, row.addresses[label], _HEADERS[label])
                faults.append(Fault(*where, shown(label, value), problem))
        settled.append(_settled(decision, given))
    if faults:
        raise DataError(f"{path.name} has {len(faults)} fault(s):", faults)
    return settled


def _settled(decision: Decision, given: Annotation) -> Decision:
    """The decision with what the adjudicator gave for its open labels and its open reference."""
    filled = {**given.labels, _REFERENCE: given.reference or None}
    names = tuple(name for name in decision.open if filled[name] is not None)
    reference = given.reference if _REFERENCE in names else decision.reference
    return replace(
        decision,
        labels={**decision.labels, **{name: filled[name] for name in names if name in LABELS}},
        reference=reference,
        reference_status="adjudicated" if _REFERENCE in names else decision.reference_status,
        open=tuple(name for name in decision.open if name not in names),
        adjudicated=names,
    )


def to_dataset(name: str, assignment: Assignment, decisions: Sequence[Decision]) -> Dataset:
    """CXEIs with their labels; what is still open is None, so no task asks for it unnoticed."""
    items = {entry.item.id: entry.item for entry in assignment.items}
    cxeis = []
    for decision in decisions:
        item, labels = items[decision.item_id], cast("Mapping[str, Any]", decision.labels)
        cxeis.append(
            CXEI(
                id=item.id,
                original_text=item.text,
                reference=None if _REFERENCE in decision.open else decision.reference,
                components=Components(**{name: labels[name] for name in COMPONENTS}),
                intent=labels["intent"],
                toxicity=labels["toxicity"],
                source=f"{item.origin}: {item.file}, row {item.row}",
                revision="1",
            )
        )
    return Dataset(name=name, cxeis=tuple(cxeis))


def write_provenance(
    folder: Path,
    annotations: Sequence[Annotation],
    decisions: Sequence[Decision],
    found: Reliability,
) -> None:
    """`annotations.jsonl` (every annotator's labels), `decisions.jsonl` and `reliability.json`."""
    target = folder / PROVENANCE
    target.mkdir(parents=True, exist_ok=True)
    tables: dict[str, Sequence[Any]] = {"annotations": annotations, "decisions": decisions}
    for name, rows in tables.items():
        text = to_jsonl(map(asdict, rows))
        (target / f"{name}.jsonl").write_text(text, encoding="utf-8", newline="\n")
    report = to_json(found.as_dict(), indent=2) + "\n"
    (target / "reliability.json").write_text(report, encoding="utf-8")
