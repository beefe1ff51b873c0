"""The sheet on which somebody decides the translations that the raters do not agree on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mouse.annotation.folders import read_rows
from mouse.annotation.guidelines import guidelines
from mouse.annotation.sheets import SheetColumn, read_filled, read_header, write_xlsx
from mouse.annotation.translations.assessment import Assessment
from mouse.annotation.translations.sheet import ADJUDICATION, Key, columns, shown
from mouse.errors import DataError, Fault


def read_decisions(folder: Path, key: Key) -> dict[str, int]:
    """Row id → decided rating in adjudication.xlsx, if there is one; `DataError` with every fault."""
    path = folder / ADJUDICATION
    if not path.exists():
        return {}
    faults: list[Fault] = []
    layout, header = _layout(key), read_header(path)
    rows = {}
    if layout[0].header in header:
        rows = read_rows(path, layout, key.by_row, "the export has no such row", faults)
    else:
        problem = f"not the adjudication sheet of export {key.code}"
        faults.append(Fault(path.name, 1, "header", ", ".join(header), problem))
    if faults:
        raise DataError(f"{path} cannot be used:", faults)
    return {row.id: int(value) for row in rows.values() if (value := row.values["rating"])}


def write_adjudication(
    folder: Path, key: Key, found: Assessment, decisions: Mapping[str, int]
) -> Path | None:
    """Write the rows that need a decision, those decided filled in; None where none does.

    A sheet that has all these rows already is left as it is. As blind as the raters' sheets, but
    for the raters' ratings.
    """
    open_ = [one for one in found.rated if one.consensus.adjudicate or one.decided]
    path = folder / ADJUDICATION
    if not open_:
        return None
    layout, wanted = _layout(key), {one.entry.row for one in open_}
    if path.exists() and wanted <= {row.id for row in read_filled(path, layout)}:
        return path
    rows = [
        {
            **shown(one.entry.row, one.unit),
            "ratings": ", ".join(map(str, sorted(one.ratings.values()))),
            "rating": str(decisions.get(one.entry.row, "")),
            "comment": " / ".join(one.comments.values()),
        }
        for one in open_
    ]
    write_xlsx(path, layout, rows, guidelines("rating", key.lang))
    return path


def _layout(key: Key) -> tuple[SheetColumn, ...]:
    row, original, reference, translation, rating, comment = columns(key.lang, key.code, 0)
    header = row.header.removesuffix("-0") + "-A"
    given = SheetColumn("ratings", {"zh": "各评分", "en": "ratings given"}[key.lang], 12)
    return (replace(row, header=header), original, reference, translation, given, rating, comment)
