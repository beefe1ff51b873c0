"""What may stand for what: the lexicon's tables turned round, the semantic table, and homophones.

Left out is whatever would leave a label in doubt: look-alikes that mean the same, gestures that
have no one reading, homophones that also look alike, rude words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import cast

from mouse.corpus.chinese import lexicon
from mouse.corpus.chinese.characters import decomposition_table, is_han
from mouse.corpus.chinese.readings import readings_in_context, usual_reading
from mouse.corpus.labels import Mechanism
from mouse.corpus.resources import read_table

WORDS = 40_000
"""Most frequent words of wordfreq's Chinese list among which homophones are sought."""
CHARACTERS = 2_500
WORD_CHOICES = 8
CHARACTER_CHOICES = 6

_LOOSE = frozenset("💁💨👉👈✋☝🤞")
"""Emoji whose reading in the table is one of many: nobody would find it in a sentence."""
_SAME_SENSE = frozenset("冇囝囡尔妳祢嘦廾彣嗰麽奀啲叻")
"""Look-alikes that are another word of about the same sense, so that the look alone would not hold."""
_STROKES = frozenset("丶丿乀一丨乙亅乚𠃌乛")
_VARIANTS = tuple(
    map(
        frozenset,
        ["的得地", "他她它", "做作", "哪那", "象像", "惟唯", "份分", "帐账", "么吗嘛", "啊呀"],
    )
)
"""Characters that writers mix up or choose by grammar: no substitution that anyone would see."""


@dataclass(frozen=True, slots=True)
class Substitute:
    """`surface` may stand for a target by way of `chain`."""

    surface: str
    chain: tuple[str, ...]
    mechanism: Mechanism


def _grouped(pairs: list[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for key, value in pairs:
        found.setdefault(key, {})[value] = None
    return {key: tuple(values) for key, values in found.items()}


@cache
def emoji_readings() -> dict[str, tuple[str, ...]]:
    """Reading in Chinese characters → the emoji that show it, by their usual reading alone."""
    # One emoji with and without its presentation selector is one surface, not two.
    shown: dict[str, tuple[str, str]] = {}
    for row in lexicon.emoji_table():
        bare, reading = row.symbol.rstrip("\ufe0f"), next(iter(row.meant), "")
        if bare not in _LOOSE and is_han(reading):
            shown.setdefault(bare, (reading, row.symbol))
    return _grouped(list(shown.values()))


@cache
def emoji_name(symbol: str) -> str:
    """The whole name whose short form is an emoji's usual reading (🍺 啤 → 啤酒); empty if none."""
    for row in lexicon.emoji_table():
        if row.symbol == symbol:
            short, *others = row.meant
            return next((name for name in others if short in name), "")
    return ""


@cache
def lookalikes() -> dict[str, tuple[str, ...]]:
    """Character → characters of its shape that do not mean the same; they may sound alike."""
    return _grouped(
        [
            (meant, surface)
            for surface, meant in lexicon.lookalikes()
            if is_han(surface) and is_han(meant) and surface not in _SAME_SENSE
        ]
    )


@cache
def phrases() -> dict[str, tuple[Substitute, ...]]:
    """Word or phrase → memes, codes and figurative words that stand for it."""
    found: dict[str, dict[str, Substitute]] = {}
    for meme in lexicon.memes():
        surface, meaning = meme.surface, meme.meaning
        if not meme.alone and len(meaning) > 1 and is_han(meaning) and surface not in meaning:
            substitute = Substitute(surface, (), meme.mechanism)
            found.setdefault(meaning, {}).setdefault(surface, substitute)
    for target, surface, chain, mechanism in read_table("synthesis/semantic.tsv"):
        substitute = Substitute(surface, tuple(chain.split()), cast(Mechanism, mechanism))
        found.setdefault(target, {})[surface] = substitute
    return {target: tuple(substitutes.values()) for target, substitutes in found.items()}


@cache
def digit_readings() -> dict[str, str]:
    """Chinese numeral → its digit."""
    digits = lexicon.readings_of("digits").items()
    return {readings[0]: digit for digit, readings in digits if len(digit) == 1}


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


def word_homophones(word: str, sound: tuple[str, ...]) -> list[str]:
    """Common words that are read as `word` is read here, the most frequent first."""
    same = _words_by_sound().get(sound, ())
    return [other for other in same if _differ(word, other)][:WORD_CHOICES]


def character_homophones(char: str, sound: str) -> list[str]:
    """Common characters whose usual reading is `sound`, the most frequent first."""
    same = _characters_by_sound().get(sound, ())
    return [other for other in same if _differ(char, other)][:CHARACTER_CHOICES]


def _differ(word: str, other: str) -> bool:
    """True where every changed character is another one to eye and mind, so that sound alone
    carries the substitution: no part shared (清 and 情), no variant (的 and 地)."""
    return word != other and not any(
        a != b and (parts_of(a) & parts_of(b) or any({a, b} <= group for group in _VARIANTS))
        for a, b in zip(word, other, strict=True)
    )


@cache
def _frequent() -> list[str]:
    import rjieba
    from wordfreq import top_n_list

    rude = lexicon.weights("rude")
    return [
        word
        for word in top_n_list("zh", WORDS)
        if is_han(word)
        and len(word) <= 3
        # A label of toxicity would no longer hold.
        and not any(bad in word for bad in rude)
        # Names of persons would put real people into sentences about somebody else.
        and not any(tag.startswith("nr") for _, tag in rjieba.tag(word))
    ]


@cache
def _words_by_sound() -> dict[tuple[str, ...], tuple[str, ...]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for word in _frequent():
        if len(word) > 1:
            found.setdefault(tuple(readings_in_context(word)), []).append(word)
    return {sound: tuple(words) for sound, words in found.items()}


@cache
def _characters_by_sound() -> dict[str, tuple[str, ...]]:
    characters = [word for word in _frequent() if len(word) == 1][:CHARACTERS]
    return _grouped([(usual_reading(char), char) for char in characters])
