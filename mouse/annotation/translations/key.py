"""The key of an export: which row is which translation. It stays with whoever runs the study."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from mouse.annotation.translations.sampling import Drawn, Stratify
from mouse.errors import UserError

KEY_FILE = "key.json"
FORMAT = 1
WARNING = (
    "Do not hand this file to raters: it says which row is which translation of which run, and "
    "with that they are no longer blind. Hand out the folder for_raters only."
)


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


def make_key(
    drawn: Sequence[Drawn],
    *,
    run_id: str,
    predictions_sha256: str,
    seed: int,
    stratify: Stratify,
    raters: int,
    lang: str,
    strata: Mapping[str, int],
    scored: int,
) -> Key:
    """Number the sampled units r001, r002, … in their random order."""
    width = max(3, len(str(len(drawn))))
    rows = tuple(
        KeyRow(f"r{number:0{width}d}", d.unit.item_id, d.unit.repeat, d.stratum, d.weight)
        for number, d in enumerate(drawn, 1)
    )
    key = Key(run_id, predictions_sha256, seed, stratify, raters, lang, dict(strata), scored, rows)
    canonical = json.dumps(asdict(key), sort_keys=True, ensure_ascii=False)
    return replace(key, code=hashlib.sha256(canonical.encode()).hexdigest()[:8])


def write_key(folder: Path, key: Key) -> None:
    content = {"warning": WARNING, "format": FORMAT, **asdict(key)}
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    (folder / KEY_FILE).write_text(text, encoding="utf-8")


def read_key(folder: Path) -> Key:
    """The key of an export's folder.

    Raises:
        UserError: there is none, or it is not a key.
    """
    path = folder / KEY_FILE
    if not path.is_file():
        raise UserError(
            f"{path} does not exist: give the folder that export wrote, with {KEY_FILE} in it."
        )
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw.pop("format") != FORMAT:
            raise UserError(f"{path} was written by another version of mouse; export again.")
        raw.pop("warning", None)
        rows = tuple(KeyRow(**row) for row in raw.pop("rows"))
        return Key(rows=rows, **raw)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{path} is not a key that export wrote: {error}.") from error
