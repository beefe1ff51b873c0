"""What the people who fill in sheets are told: one text file a kind of sheet and language."""

from __future__ import annotations

from pathlib import Path

LANGS = ("zh", "en")


def guidelines(name: str, lang: str = "zh") -> list[str]:
    """The lines of `NAME.LANG.txt` for the second sheet of a workbook; the first is the title."""
    path = Path(__file__).with_name(f"{name}.{lang}.txt")
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
