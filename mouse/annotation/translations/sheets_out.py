"""Writes the sheets of an export, one a rater, and the key beside them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mouse.annotation.sheets import write_csv, write_xlsx
from mouse.annotation.translations.guidelines import columns, guidelines
from mouse.annotation.translations.key import KEY_FILE, Key, make_key, write_key
from mouse.annotation.translations.sampling import Stratify, draw
from mouse.annotation.translations.units import Population, Unit, UnitKey
from mouse.errors import UserError

FOR_RATERS = "for_raters"
MAX_RATERS = 50


def export(
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
    bytes.

    Raises:
        UserError: a number is out of range, or the folder holds an export already.
    """
    if not 1 <= raters <= MAX_RATERS:
        raise UserError(f"--raters {raters}: from 1 to {MAX_RATERS} raters are possible.")
    text = guidelines(lang)
    if (folder / KEY_FILE).exists():
        raise UserError(
            f"{folder / KEY_FILE} exists: its sheets may be out for rating; give another --out."
        )
    drawn = draw(population.units, n, seed, stratify)
    strata: dict[str, int] = {}
    for unit in population.units:
        name = str(unit.score) if stratify == "score" else "all"
        strata[name] = strata.get(name, 0) + 1
    key = make_key(
        drawn,
        run_id=run_id,
        predictions_sha256=population.predictions_sha256,
        seed=seed,
        stratify=stratify,
        raters=raters,
        lang=lang,
        strata=dict(sorted(strata.items())),
        scored=population.scored,
    )
    units = {unit.key: unit for unit in population.units}
    hashes: dict[str, str] = {}
    for rater in range(1, raters + 1):
        layout = columns(lang, key.code, rater)
        rows = _rows(key, units)
        random.Random(f"order {seed} {rater}").shuffle(rows)
        for suffix in ("xlsx", "csv"):
            path = folder / FOR_RATERS / f"rater_{rater}.{suffix}"
            if suffix == "xlsx":
                write_xlsx(path, layout, rows, text)
            else:
                write_csv(path, layout, rows)
            hashes[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    key = replace(key, sheets=hashes)
    # Last, so that a folder with a key has all its sheets.
    write_key(folder, key)
    return key


def _rows(key: Key, units: Mapping[UnitKey, Unit]) -> list[dict[str, str]]:
    rows = []
    for entry in key.rows:
        unit = units[entry.item_id, entry.repeat]
        rows.append(
            {
                "id": entry.row,
                "original": unit.original,
                "reference": unit.reference,
                "translation": unit.translation,
            }
        )
    return rows
