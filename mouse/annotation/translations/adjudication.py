"""The sheet on which somebody decides the translations that the raters do not agree on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mouse.annotation.sheets import Column, read_filled, read_header, write_xlsx
from mouse.annotation.translations.assessment import Assessment
from mouse.annotation.translations.guidelines import columns, guidelines
from mouse.annotation.translations.key import Key
from mouse.annotation.translations.sheets_in import ADJUDICATION
from mouse.annotation.translations.units import Population
from mouse.errors import DataError, Fault


def read_decisions(folder: Path, key: Key) -> dict[str, int]:
    """Row id → decided rating, of the rows of adjudication.xlsx that have one.

    Empty where there is no such file. Raises `DataError` for impossible cells, unknown rows and a
    sheet of another export.
    """
    path = folder / ADJUDICATION
    if not path.exists():
        return {}
    layout = _layout(key)
    header = read_header(path)
    if layout[0].header not in header:
        problem = f"not the adjudication sheet of export {key.code}"
        raise DataError(
            f"{path} cannot be used:", [Fault(path.name, 1, "header", ", ".join(header), problem)]
        )
    rows = read_filled(path, layout)
    if strange := [row for row in rows if row.id not in key.by_row]:
        raise DataError(
            f"{path} cannot be used:",
            [
                Fault(path.name, row.addresses["id"], "id", row.id, "the export has no such row")
                for row in strange
            ],
        )
    return {row.id: int(value) for row in rows if (value := row.values["rating"]) is not None}


def write_adjudication(
    folder: Path, key: Key, people: Population, found: Assessment, decisions: Mapping[str, int]
) -> Path | None:
    """Write the rows that need a decision, those decided filled in; None where none does.

    A sheet that has all these rows already is left as it is. As blind as the raters' sheets, but
    for the raters' ratings.
    """
    open_ = [unit for unit in found.rated if unit.consensus.adjudicate or unit.decided]
    path = folder / ADJUDICATION
    if not open_:
        return None
    layout = _layout(key)
    if path.exists() and {unit.row for unit in open_} <= {r.id for r in read_filled(path, layout)}:
        return path
    units = {unit.key: unit for unit in people.units}
    rows = []
    for rated in open_:
        unit = units[rated.key]
        decided = decisions.get(rated.row)
        rows.append(
            {
                "id": rated.row,
                "original": unit.original,
                "reference": unit.reference,
                "translation": unit.translation,
                "ratings": ", ".join(str(rating) for rating in sorted(rated.ratings.values())),
                "rating": "" if decided is None else str(decided),
                "comment": " / ".join(rated.comments.values()),
            }
        )
    write_xlsx(path, layout, rows, guidelines(key.lang))
    return path


def _layout(key: Key) -> tuple[Column, ...]:
    row, original, reference, translation, rating, comment = columns(key.lang, key.code, 0)
    header = row.header.removesuffix("-0") + "-A"
    given = Column("ratings", {"zh": "各评分", "en": "ratings given"}[key.lang], 12)
    return (replace(row, header=header), original, reference, translation, given, rating, comment)
