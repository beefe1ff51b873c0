"""The tables of `data/lexicon`, read once and typed, and the emoji's names in Chinese.

`model=lexicon` decodes with them, the synthesizer turns them round, and the loader of ToxiCloakCN
finds in them what an emoji is called. What the columns mean stands at the top of each table.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import cast

from mouse.corpus.labels import Mechanism
from mouse.corpus.resources import data_path, read_table


@dataclass(frozen=True, slots=True)
class Emoji:
    """An emoji and what it is read as, the usual first: what it means, sounds like, looks like."""

    symbol: str
    meant: tuple[str, ...]
    heard: tuple[str, ...] = ()
    looks_like: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Meme:
    """A fixed expression; `alone`: read so only where it makes up a whole clause."""

    surface: str
    meaning: str
    """In Standard Chinese; `=` where the wording is kept."""
    mechanism: Mechanism
    alone: bool


@cache
def emoji_table() -> tuple[Emoji, ...]:
    return tuple(
        Emoji(symbol, *(tuple(cell.split()) for cell in cells))
        for symbol, *cells in read_table("lexicon/emoji.tsv")
    )


@cache
def library_emoji_names() -> dict[str, str]:
    """Emoji → its Chinese name in the library `emoji`, without colons and skin tones."""
    import emoji

    emoji.config.load_language("zh")
    names = {
        symbol: entry.get("zh", "").strip(":").split("_")[0]
        for symbol, entry in emoji.EMOJI_DATA.items()
    }
    return {symbol: name for symbol, name in names.items() if name}


@cache
def memes() -> tuple[Meme, ...]:
    return tuple(
        Meme(surface, meaning, cast(Mechanism, mechanism), flags == ["alone"])
        for surface, meaning, mechanism, *flags in read_table("lexicon/memes.tsv")
    )


@cache
def readings_of(name: str) -> dict[str, tuple[str, ...]]:
    """Sign → the characters it is read as, best first; `name` is `digits` or `letters`."""
    return {row[0]: tuple(row[1].split()) for row in read_table(f"lexicon/{name}.tsv")}


@cache
def turned_letters() -> dict[str, str]:
    """Letter printed upside down → the upright one."""
    return {row[0]: row[1] for row in read_table("lexicon/turned.tsv")}


@cache
def lookalikes() -> tuple[tuple[str, str], ...]:
    """(surface, character it is written for) of what looks alike."""
    return tuple((row[0], row[1]) for row in read_table("lexicon/lookalikes.tsv"))


@cache
def weights(name: str) -> dict[str, float]:
    """Word → number; `name` is `rude` (weights) or `words` (frequencies)."""
    return {row[0]: float(row[1]) for row in read_table(f"lexicon/{name}.tsv")}


@cache
def lexicon_hash() -> str:
    """SHA-256 over all tables, by name: part of the identity of `model=lexicon`."""
    digest = hashlib.sha256()
    for path in sorted(data_path("lexicon").glob("*.tsv")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
