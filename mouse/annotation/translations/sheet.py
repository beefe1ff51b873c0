"""The sheets on which people rate translations 0, 1 or 2, and the key that says which row is which."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mouse.annotation.folders import (
    PersonSheet,
    check_unused,
    code_of,
    read_identified,
    read_key,
    read_rows,
    sheet_files,
    write_key,
)
from mouse.annotation.guidelines import LANGS, guidelines
from mouse.annotation.sheets import SheetColumn, write_csv, write_xlsx
from mouse.annotation.translations.population import (
    Drawn,
    Population,
    Stratify,
    Unit,
    draw,
    stratum,
)
from mouse.errors import DataError, Fault, UserError

KEY_FILE = "key.json"
FOR_RATERS = "for_raters"
ADJUDICATION = "adjudication.xlsx"
"""The sheet of final decisions (see `adjudication`), which is no rater's."""
FORMAT = 1
MAX_RATERS = 50
WARNING = (
    "Do not hand this file to raters: it says which row is which translation of which run, and "
    "with that they are no longer blind. Hand out the folder for_raters only."
)
_HEADERS = {
    "zh": ("编号", "原文", "参考译文", "待评译文", "评分 0/1/2", "备注（可不填）"),
    "en": (
        *("id", "original", "reference", "translation to rate"),
        *("rating 0/1/2", "comment (optional)"),
    ),
}


def columns(lang: str, code: str, rater: int) -> tuple[SheetColumn, ...]:
    """The columns of one rater's sheet; the first header says whose sheet of which export it is."""
    if lang not in LANGS:
        raise UserError(f"--lang {lang}: one of {', '.join(LANGS)} is expected.")
    row, original, reference, translation, rating, comment = _HEADERS[lang]
    return (
        SheetColumn("id", f"{row} {code}-{rater}", 13),
        SheetColumn("original", original, 36),
        SheetColumn("reference", reference, 36),
        SheetColumn("translation", translation, 36),
        SheetColumn("rating", rating, 9, ("0", "1", "2")),
        SheetColumn("comment", comment, 22, free=True),
    )


def shown(row: str, unit: Unit) -> dict[str, str]:
    """The cells of a translation's row that are filled in before it goes out."""
    return {
        "id": row,
        "original": unit.original,
        "reference": unit.reference,
        "translation": unit.translation,
    }


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One row of the sheets: its id there, and the translation behind it."""

    row: str
    item_id: str
    repeat: int
    stratum: str
    weight: float


@dataclass(frozen=True)
class Key:
    """All that is needed to read the sheets back; `code` stands in every sheet's first header.

    `strata`: number of judged translations of each stratum in the run. `scored`: translations of
    the run with a score. `sheets`: SHA-256 of each file as it was handed out.
    """

    run_id: str
    predictions_sha256: str
    seed: int
    stratify: Stratify
    raters: int
    lang: str
    strata: Mapping[str, int]
    scored: int
    rows: tuple[KeyRow, ...]
    code: str = ""
    sheets: Mapping[str, str] = field(default_factory=dict)

    @property
    def by_row(self) -> dict[str, KeyRow]:
        return {row.row: row for row in self.rows}


def save_key(folder: Path, key: Key) -> None:
    """Write `key.json`, which begins with a warning not to hand it out."""
    write_key(folder / KEY_FILE, key, warning=WARNING, format=FORMAT)


def load_key(folder: Path) -> Key:
    """The key of an export's folder. Raises `UserError` where there is none, or it is not a key."""
    return read_key(folder / KEY_FILE, Key, "export")


def _rows(drawn: Sequence[Drawn]) -> tuple[KeyRow, ...]:
    """The sampled units as r001, r002, … in their random order."""
    width = max(3, len(str(len(drawn))))
    return tuple(
        KeyRow(f"r{number:0{width}d}", d.unit.item_id, d.unit.repeat, d.stratum, d.weight)
        for number, d in enumerate(drawn, 1)
    )


def export_sheets(
    population: Population,
    folder: Path,
    *,
    run_id: str,
    n: int = 150,
    seed: int = 0,
    raters: int = 3,
    stratify: Stratify = "none",
    lang: str = "zh",
) -> Key:
    """Draw `n` translations and write `folder`/key.json and for_raters/rater_1.xlsx, .csv, ….

    Every rater gets the same rows in an order of their own. The same arguments write the same
    bytes. Raises `UserError` where a number is out of range, or the folder holds an export already.
    """
    if not 1 <= raters <= MAX_RATERS:
        raise UserError(f"--raters {raters}: from 1 to {MAX_RATERS} raters are possible.")
    columns(lang, "", 0)
    check_unused(folder / KEY_FILE)
    drawn = draw(population.units, n, seed, stratify)
    strata = Counter(stratum(unit, stratify) for unit in population.units)
    key = Key(
        run_id=run_id,
        predictions_sha256=population.predictions_sha256,
        seed=seed,
        stratify=stratify,
        raters=raters,
        lang=lang,
        strata=dict(sorted(strata.items())),
        scored=population.scored,
        rows=_rows(drawn),
    )
    key = replace(key, code=code_of(key))
    hashes: dict[str, str] = {}
    for rater in range(1, raters + 1):
        layout = columns(lang, key.code, rater)
        rows = [shown(row.row, d.unit) for row, d in zip(key.rows, drawn, strict=True)]
        random.Random(f"order {seed} {rater}").shuffle(rows)
        path = folder / FOR_RATERS / f"rater_{rater}.xlsx"
        write_xlsx(path, layout, rows, guidelines("rating", lang))
        write_csv(path.with_suffix(".csv"), layout, rows)
        for file in (path, path.with_suffix(".csv")):
            hashes[file.name] = hashlib.sha256(file.read_bytes()).hexdigest()
    key = replace(key, sheets=hashes)
    save_key(folder, key)
    return key


@dataclass(frozen=True)
class Returned:
    """All sheets that came back, by rater; `absent`: raters whose sheet has no rating at all.

    A sheet's `answers`: row id → rating, of the rows that have one.
    """

    sheets: tuple[PersonSheet, ...]
    absent: tuple[int, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Every missing cell as `file!address`."""
        return tuple(f"{sheet.file}!{cell}" for sheet in self.sheets for cell in sheet.missing)


def import_sheets(folder: Path, key: Key) -> Returned:
    """Read every rater's sheet in the folder and in `for_raters`, whatever the files are called.

    Raises:
        DataError: with every fault: impossible ratings, unknown or doubled rows, sheets of another
            export, two different sheets of one rater.
        UserError: no sheet has a rating.
    """

    def read(path: Path, rater: int, faults: list[Fault]) -> PersonSheet:
        layout, unknown_row = (
            columns(key.lang, key.code, rater),
            "the export has no row with this id",
        )
        rows = read_rows(path, layout, key.by_row, unknown_row, faults)
        ratings = {i: int(value) for i, row in rows.items() if (value := row.values["rating"])}
        comments = {i: text for i, row in rows.items() if (text := row.texts.get("comment"))}
        missing = [address for row in rows.values() for address in row.missing]
        missing += [f"{row} (row is gone)" for row in sorted(set(key.by_row) - set(rows))]
        return PersonSheet(rater, path.name, ratings, tuple(missing), comments)

    faults: list[Fault] = []
    files = sheet_files(folder, FOR_RATERS, ADJUDICATION)
    found = read_identified(files, key.code, key.raters, read, ("rater", "ratings"), faults)
    if faults:
        raise DataError(f"the sheets in {folder} have {len(faults)} fault(s):", faults)
    sheets = tuple(sheet for sheet in found.values() if sheet.answers)
    if not sheets:
        raise UserError(f"no sheet in {folder} has a rating yet: put the filled sheets there.")
    there = {sheet.person for sheet in sheets}
    return Returned(sheets, tuple(r for r in range(1, key.raters + 1) if r not in there))
