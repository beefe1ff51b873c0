"""Reads the filled sheets of an export back, with every fault named by file and cell address.

Whose sheet a file is stands in its first header, not in its name, so raters may rename files; a
copy handed in twice, or a sheet of another export, shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mouse.annotation.sheets import FilledRow, read_filled, read_header
from mouse.annotation.translations.guidelines import columns
from mouse.annotation.translations.key import Key
from mouse.annotation.translations.sheets_out import FOR_RATERS
from mouse.errors import DataError, Fault, UserError

ADJUDICATION = "adjudication.xlsx"
"""The sheet of final decisions (see `adjudication`), which is no rater's."""
_IDENTITY = re.compile(r"^\S+ ([0-9a-f]{8})-(\d+)$")


@dataclass(frozen=True)
class RaterSheet:
    """What one rater handed in. `missing`: cells left empty by address, and rows that are gone."""

    rater: int
    file: str
    ratings: dict[str, int]
    """Row id → rating, of the rows that have one."""
    comments: dict[str, str]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Returned:
    """All sheets that came back, by rater; `absent`: raters whose sheet has no rating at all."""

    sheets: tuple[RaterSheet, ...]
    absent: tuple[int, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Every missing cell as `file!address`."""
        return tuple(f"{sheet.file}!{cell}" for sheet in self.sheets for cell in sheet.missing)


def read_sheets(folder: Path, key: Key) -> Returned:
    """Read every XLSX and CSV of the folder and of its for_raters.

    An untouched file beside a filled one of the same rater (the CSV beside the XLSX) is passed over.

    Raises:
        DataError: with every fault of every file: an impossible rating, an id that the export does
            not have or that occurs twice, a sheet of another export, two different sheets of one
            rater.
        UserError: nothing was filled in.
    """
    faults: list[Fault] = []
    read: dict[int, list[RaterSheet]] = {}
    for path in sheet_files(folder, FOR_RATERS):
        rater = whose(path, key.code, key.raters, faults)
        if rater is None:
            continue
        try:
            rows = read_filled(path, columns(key.lang, key.code, rater))
        except DataError as error:
            faults += error.faults or [Fault(path.name, 1, "(file)", "", str(error))]
            continue
        sheet = _sheet(path.name, rater, rows, key, faults)
        if sheet.ratings:
            read.setdefault(rater, []).append(sheet)
    for sheets in read.values():
        faults += _contradictions(sheets)
    if faults:
        raise DataError(f"the sheets in {folder} have {len(faults)} fault(s):", faults)
    if not read:
        raise UserError(f"no sheet in {folder} has a rating yet: put the filled sheets there.")
    chosen = tuple(read[rater][0] for rater in sorted(read))
    absent = tuple(rater for rater in range(1, key.raters + 1) if rater not in read)
    return Returned(chosen, absent)


def sheet_files(folder: Path, handed_out: str, passed_over: str = ADJUDICATION) -> Iterable[Path]:
    """Sheets of a folder and of the one inside it that was handed out, the XLSX first.

    Not the file that is nobody's sheet, and not the lock files of an open spreadsheet program.
    """
    found = [
        path
        for place in (folder, folder / handed_out)
        if place.is_dir()
        for path in place.iterdir()
        if path.suffix.lower() in (".xlsx", ".csv")
        and not path.name.startswith((".", "~"))
        and path.name != passed_over
    ]
    return sorted(found, key=lambda path: (path.suffix.lower() != ".xlsx", path.name))


def whose(path: Path, code: str, people: int, faults: list[Fault]) -> int | None:
    """The number of the person whose sheet it is; None, with a fault, for a sheet of no use.

    `code`: of the export that the sheet has to be of; `people`: how many sheets that export has.
    """
    try:
        header = read_header(path)
    except UserError as error:
        faults.append(Fault(path.name, 1, "(file)", "", str(error)))
        return None
    identities = [found for cell in header if (found := _IDENTITY.match(cell))]
    if len(identities) != 1:
        problem = "no column is headed by the export's code, so it cannot be told whose sheet it is"
        faults.append(Fault(path.name, 1, "header", ", ".join(header), problem))
        return None
    stated, person = identities[0].group(1), int(identities[0].group(2))
    if stated != code:
        problem = f"a sheet of another export; this key is of {code}"
        faults.append(Fault(path.name, 1, "header", stated, problem))
        return None
    if not 1 <= person <= people:
        problem = f"the export has sheets 1 to {people}"
        faults.append(Fault(path.name, 1, "header", person, problem))
        return None
    return person


def _sheet(
    name: str, rater: int, rows: Sequence[FilledRow], key: Key, faults: list[Fault]
) -> RaterSheet:
    known = key.by_row
    ratings: dict[str, int] = {}
    comments: dict[str, str] = {}
    missing: list[str] = []
    for row in rows:
        if row.id not in known:
            problem = "the export has no row with this id"
            faults.append(Fault(name, row.addresses["id"], "id", row.id, problem))
            continue
        value = row.values["rating"]
        if value is None:
            missing.append(row.addresses["rating"])
        else:
            ratings[row.id] = int(value)
        if row.texts.get("comment"):
            comments[row.id] = row.texts["comment"]
    gone = sorted(set(known) - {row.id for row in rows})
    return RaterSheet(
        rater, name, ratings, comments, (*missing, *(f"{row} (row is gone)" for row in gone))
    )


def _contradictions(sheets: Sequence[RaterSheet]) -> list[Fault]:
    first = sheets[0]
    return [
        Fault(
            other.file,
            "-",
            "(file)",
            f"rater {other.rater}",
            f"{first.file} is the same rater's sheet with other ratings; keep one of the two",
        )
        for other in sheets[1:]
        if other.ratings != first.ratings
    ]
