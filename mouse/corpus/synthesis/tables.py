"""Reads what may stand for what: the lexicon's tables, turned round, and the semantic table.

The files under `data/lexicon` are `model=lexicon`'s; they are read as data, since a data set must
not depend on a model's code. Left out is whatever would leave a label in doubt: look-alikes that
mean the same, and gestures that have no one reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import cast

from mouse.corpus.character_parts import decomposition_table
from mouse.corpus.mechanisms import Mechanism
from mouse.corpus.resources import read_table

_LOOSE = frozenset("💁💨👉👈✋☝🤞")
"""Emoji whose reading in the table is one of many: nobody would find it in a sentence."""
_SAME_SENSE = frozenset("冇囝囡尔妳祢嘦廾彣嗰麽奀啲叻")
"""Look-alikes that are another word of about the same sense, so that the look alone would not hold."""
_STROKES = frozenset("丶丿乀一丨乙亅乚𠃌乛")


@dataclass(frozen=True, slots=True)
class Entry:
    """`surface` may stand for a target by way of `chain`."""

    surface: str
    chain: tuple[str, ...]
    mechanism: Mechanism


@cache
def emoji_readings() -> dict[str, tuple[str, ...]]:
    """Reading in Chinese characters → the emoji that show it, by their usual reading alone."""
    found: dict[str, list[str]] = {}
    bare_seen = set()
    for row in read_table("lexicon/emoji.tsv"):
        symbol, reading = row[0], next(iter(row[1].split()), "")
        bare = symbol.rstrip("\ufe0f")
        # One emoji with and without its presentation selector is one surface, not two.
        if bare in bare_seen or bare in _LOOSE or not is_han(reading):
            continue
        bare_seen.add(bare)
        found.setdefault(reading, []).append(symbol)
    return {reading: tuple(symbols) for reading, symbols in found.items()}


@cache
def emoji_name(symbol: str) -> str:
    """The whole name whose short form is an emoji's usual reading (🍺 啤 → 啤酒); empty if none."""
    for row in read_table("lexicon/emoji.tsv"):
        if row[0] == symbol:
            short, *others = row[1].split()
            return next((name for name in others if short in name), "")
    return ""


@cache
def lookalikes() -> dict[str, tuple[str, ...]]:
    """Character → characters of its shape that do not mean the same; they may sound alike."""
    found: dict[str, list[str]] = {}
    for surface, meant, *_ in read_table("lexicon/lookalikes.tsv"):
        if is_han(surface) and is_han(meant) and surface not in _SAME_SENSE:
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
def splits(char: str) -> tuple[str, ...]:
    """A character taken apart into two characters written side by side (好 → 女子)."""
    found = [
        "".join(parts)
        for parts in decomposition_table().get(char, [])
        if len(parts) == 2 and all(is_han(part) and part not in _STROKES for part in parts)
    ]
    return tuple(dict.fromkeys(surface for surface in found if len(surface) == 2))


@cache
def parts_of(char: str) -> frozenset[str]:
    """A character and all parts that any decomposition of it names."""
    listed = decomposition_table().get(char, [])
    return frozenset([char, *(part for parts in listed for part in parts)]) - _STROKES


def is_han(text: str) -> bool:
    """True for text of Chinese characters alone (URO block, which fonts and pinyin cover)."""
    return bool(text) and all("\u4e00" <= char <= "\u9fff" for char in text)
