"""Sheets go out, come back filled in, and become CXEIs whose labels are the votes."""

import json
from pathlib import Path
from random import Random

import pytest
from openpyxl import load_workbook
from simulate_annotators import annotated_row, fill_in, true_labels

from mouse.annotation.labelling import decisions as votes
from mouse.annotation.labelling.reliability import reliability
from mouse.annotation.labelling.sheet import (
    COLUMNS,
    LABELS,
    export_sheets,
    import_sheets,
    read_assignment,
)
from mouse.corpus.construction.collecting import Collected
from mouse.corpus.labels import INTENT_ZH
from mouse.corpus.load import load
from mouse.corpus.write import write
from mouse.errors import DataError, UserError

SAMPLE = load("sample").cxeis[:24]
ITEMS = [Collected(item.id, item.original_text, "manual", "sample", 1) for item in SAMPLE]
TRUTH = {item.id: item for item in SAMPLE}


@pytest.fixture
def handed(tmp_path: Path):
    """(folder, assignment): four annotators, three an item."""
    return tmp_path, export_sheets(ITEMS, 4, 3, 0, tmp_path)


def fill(folder: Path, assignment, error: float = 0.0, only: str = "") -> None:
    for number, name in enumerate(assignment.annotators):
        if only and name != only:
            continue
        mine = [entry.item.id for entry in assignment.items if name in entry.annotators]
        chance = Random(number)
        cells = {item: annotated_row(TRUTH[item], error, chance) for item in mine}
        fill_in(folder / "sheets" / f"{name}.xlsx", COLUMNS, cells)


def test_the_sheets_hold_what_was_assigned_blinded_and_with_drop_downs(handed) -> None:
    folder, assignment = handed
    assert read_assignment(folder) == assignment
    for name in assignment.annotators:
        book = load_workbook(folder / "sheets" / f"{name}.xlsx")
        ids = [row[0].value for row in book["rows"].iter_rows(min_row=2)]
        given = [entry.item.id for entry in assignment.items if name in entry.annotators]
        assert sorted(ids) == sorted(given) and ids != given
        lists = {str(v.formula1) for v in book["rows"].data_validations.dataValidation}
        assert '"是,否"' in lists
        assert any("情绪表达" in choices and "幽默与梗" in choices for choices in lists)
        # Excel takes at most 255 characters in a list.
        assert all(len(choices) <= 257 for choices in lists)
        shown = {cell.value for row in book["rows"].iter_rows(min_row=2) for cell in row}
        assert not shown & {TRUTH[item].reference for item in given}


def test_perfect_annotators_give_back_the_truth(handed, tmp_path: Path) -> None:
    folder, assignment = handed
    fill(folder, assignment)
    annotations = import_sheets(folder, assignment)
    assert len(annotations) == 3 * len(ITEMS)
    assert not any(a.missing for a in annotations)
    decisions = votes.decide(assignment, annotations)
    dataset = votes.to_dataset("x", assignment, decisions)
    for item in dataset.cxeis:
        truth = TRUTH[item.id]
        assert (item.original_text, item.reference) == (truth.original_text, truth.reference)
        assert true_labels(item) == true_labels(truth)
        assert item.source.startswith("manual: ")
    out = tmp_path / "out"
    write(dataset, out)
    votes.write_provenance(out, annotations, decisions, reliability(annotations, 20))
    assert load("files", path=out).fingerprint == dataset.fingerprint
    kept = [
        json.loads(line)
        for line in (out / "provenance" / "annotations.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(kept) == len(annotations)
    assert {(row["item_id"], row["annotator"]) for row in kept} == {
        (entry.item.id, name) for entry in assignment.items for name in entry.annotators
    }
    assert votes.write_adjudication(out / "a.xlsx", assignment, annotations, decisions) == 0


def test_faults_of_all_sheets_are_named_together(handed) -> None:
    folder, assignment = handed
    fill(folder, assignment)
    sheets = folder / "sheets"
    (sheets / "annotator_04.xlsx").unlink()
    book = load_workbook(sheets / "annotator_01.xlsx")
    gone = book["rows"]["A3"].value
    book["rows"]["A3"] = "stranger"
    book["rows"]["D2"] = "也许"
    book.save(sheets / "annotator_01.xlsx")
    book = load_workbook(sheets / "annotator_02.xlsx")
    stolen = next(e.item.id for e in assignment.items if "annotator_02" not in e.annotators)
    book["rows"]["A4"] = stolen
    book.save(sheets / "annotator_02.xlsx")
    with pytest.raises(DataError) as caught:
        import_sheets(folder, assignment)
    text = str(caught.value)
    assert "annotator_01.xlsx, row D2, 谐音: one of 是, 否 is needed" in text
    assert (
        f"annotator_02.xlsx, row A4, 编号: not an item of annotator_02 (found '{stolen}')" in text
    )
    assert "annotator_04.xlsx" in text and "no such sheet" in text
    assert gone not in ("", None)


def test_empty_cells_are_addresses_and_leave_a_label_open(handed) -> None:
    folder, assignment = handed
    fill(folder, assignment)
    target = assignment.items[0]
    for name in target.annotators[:2]:
        fill_in(
            folder / "sheets" / f"{name}.xlsx",
            COLUMNS,
            {target.item.id: {"intent": None, "reference": None}},
        )
    annotations = import_sheets(folder, assignment)
    missing = [cell for a in annotations for cell in a.missing]
    assert sorted(cell[0] for cell in missing) == ["C", "C", "G", "G"]
    decision = votes.decide(assignment, annotations)[0]
    assert decision.open == ("intent", "reference")
    item = votes.to_dataset("x", assignment, [decision]).cxeis[0]
    assert item.intent is None and item.reference is None
    assert item.components == TRUTH[item.id].components


def test_adjudication_fills_what_is_open_and_nothing_else(handed, tmp_path: Path) -> None:
    folder, assignment = handed
    fill(folder, assignment)
    target = assignment.items[0]
    truth = TRUTH[target.item.id]
    others = [INTENT_ZH["Comment"], "情绪表达", "催促"]
    for name, intent in zip(target.annotators, others, strict=True):
        cells = {target.item.id: {"intent": intent}}
        fill_in(folder / "sheets" / f"{name}.xlsx", COLUMNS, cells)
    annotations = import_sheets(folder, assignment)
    decisions = votes.decide(assignment, annotations)
    sheet = tmp_path / "adjudication.xlsx"
    assert votes.write_adjudication(sheet, assignment, annotations, decisions) == 1
    row = [cell.value for cell in load_workbook(sheet)["rows"][2]]
    assert row[0] == target.item.id and row[2] == "意图"
    assert all(name in row[3] for name in others)
    assert votes.adjudicate(decisions, sheet) == decisions
    columns = votes.ADJUDICATION_COLUMNS
    fill_in(sheet, columns, {target.item.id: {"intent": "催促"}})
    settled = votes.adjudicate(decisions, sheet)
    assert settled[0].labels["intent"] == "Urging" and settled[0].open == ()
    assert settled[0].adjudicated == ("intent",)
    assert settled[1:] == decisions[1:]
    wrong = "否" if truth.components.visual else "是"
    fill_in(sheet, columns, {target.item.id: {"visual": wrong}})
    with pytest.raises(DataError, match="the majority vote is"):
        votes.adjudicate(decisions, sheet)


def test_sheets_in_use_are_not_overwritten(handed) -> None:
    folder, _ = handed
    with pytest.raises(UserError, match="may be in use"):
        export_sheets(ITEMS, 4, 3, 0, folder)


def test_erring_annotators_are_outvoted(handed) -> None:
    folder, assignment = handed
    fill(folder, assignment, error=0.1)
    dataset = votes.to_dataset(
        "x", assignment, votes.decide(assignment, import_sheets(folder, assignment))
    )
    labels = [
        true_labels(item)[label] == true_labels(TRUTH[item.id])[label]
        for item in dataset.cxeis
        for label in LABELS
    ]
    # One annotator alone is right in 90%; 2.8% of the votes of three go wrong, 24 items here.
    assert sum(labels) / len(labels) > 0.92
