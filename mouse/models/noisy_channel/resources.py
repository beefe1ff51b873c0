"""Finds and reads the lexicon tables (`data/lexicon/*.tsv`) in a wheel or in a checkout."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from mouse.errors import UserError

_PACKAGED = Path(__file__).resolve().parents[2] / "data" / "lexicon"
_CHECKOUT = Path(__file__).resolve().parents[3] / "data" / "lexicon"


@cache
def lexicon_dir() -> Path:
    """Folder of the tables: the installed package's own first, else the checkout's.

    Raises `UserError` where neither is there.
    """
    for folder in (_PACKAGED, _CHECKOUT):
        if folder.is_dir():
            return folder
    raise UserError(
        f"The lexicon tables are not in {_PACKAGED}: this installation of mouse is incomplete, "
        "install it again."
    )


def read_table(name: str) -> list[tuple[str, ...]]:
    """Rows of `<name>.tsv`, cells as written; lines that start with `##` and blank ones are left out.

    A comment takes two signs because `#` itself may be a surface.
    """
    rows = []
    text = (lexicon_dir() / f"{name}.tsv").read_text(encoding="utf-8")
    for line in text.split("\n"):
        if line.strip() and not line.startswith("##"):
            rows.append(tuple(line.split("\t")))
    return rows


@cache
def lexicon_hash() -> str:
    """SHA-256 over all tables, by name: part of the identity of `model=lexicon`."""
    digest = hashlib.sha256()
    for path in sorted(lexicon_dir().glob("*.tsv")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
