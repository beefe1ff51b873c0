"""The lexicon tables and the packages' tables, in the form that hypotheses are made from."""

from __future__ import annotations

import hashlib
from functools import cache, cached_property

from mouse.corpus.character_parts import decomposition_table
from mouse.corpus.mechanisms import COMPONENT_OF
from mouse.corpus.resources import data_path, read_table

HOMOPHONIC, VISUAL, SEMANTIC = 1, 2, 4
PICTURE = 8
"""A picture read by its name: semantic where the name itself is meant, homophonic where only its
sound is, which shows when the word is looked up."""
TURNED = 16
"""Upside-down letters: visual alone, whatever they spell (the paper's Table 1)."""
KIND_BITS = {"homophonic": HOMOPHONIC, "visual": VISUAL, "semantic": SEMANTIC}


class Tables:
    """The lexicon tables in the form the arcs are made from."""

    def __init__(self) -> None:
        self.emoji = {
            bare_emoji(row[0]): _emoji_readings(row[1:]) for row in read_table("lexicon/emoji.tsv")
        }
        self.digits = {row[0]: tuple(row[1].split()) for row in read_table("lexicon/digits.tsv")}
        self.letters = {row[0]: tuple(row[1].split()) for row in read_table("lexicon/letters.tsv")}
        self.turned = {row[0]: row[1] for row in read_table("lexicon/turned.tsv")}
        self.lookalikes: dict[str, list[str]] = {}
        for row in read_table("lexicon/lookalikes.tsv"):
            self.lookalikes.setdefault(row[0], []).append(row[1])
        self.memes: dict[str, dict[str, tuple[str, int, bool]]] = {}
        for row in read_table("lexicon/memes.tsv"):
            kinds = KIND_BITS[COMPONENT_OF[row[2]]]  # type: ignore[index]
            meaning = row[0] if row[1] == "=" else row[1]
            entry = (meaning, kinds, len(row) > 3 and row[3] == "alone")
            self.memes.setdefault(row[0][0].casefold(), {})[row[0].casefold()] = entry

    @cached_property
    def joined(self) -> dict[str, dict[str, str]]:
        """First component → {components side by side → the character they make}."""
        table = decomposition_table()
        found: dict[str, dict[str, str]] = {}
        for char in sorted(table):
            if not "\u4e00" <= char <= "\u9fff":
                continue
            for parts in table[char]:
                surface = "".join(parts)
                if 2 <= len(parts) <= 3 and len(surface) == len(parts):
                    found.setdefault(surface[0], {}).setdefault(surface, char)
        return found

    @cached_property
    def emoji_names(self) -> dict[str, str]:
        """Bare emoji → its Chinese name in the library `emoji`, without skin tones and colons."""
        import emoji

        emoji.config.load_language("zh")
        names: dict[str, str] = {}
        for symbol, entry in emoji.EMOJI_DATA.items():
            name = entry.get("zh", "").strip(":").split("_")[0]
            if name:
                names.setdefault(bare_emoji(symbol), name)
        return names


def _emoji_readings(cells: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """(reading, bit of how it is reached) of an emoji, best first: meant, heard, only looked like."""
    ways = zip(cells, (PICTURE, HOMOPHONIC, VISUAL), strict=False)
    return tuple((reading, bit) for cell, bit in ways for reading in cell.split())


def bare_emoji(symbol: str) -> str:
    """An emoji without presentation selectors and skin tones."""
    return "".join(c for c in symbol if c not in "\ufe0f\ufe0e" and not "🏻" <= c <= "🏿") or symbol


@cache
def lexicon_hash() -> str:
    """SHA-256 over all tables, by name: part of the identity of `model=lexicon`."""
    digest = hashlib.sha256()
    for path in sorted(data_path("lexicon").glob("*.tsv")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
