"""All substitutions that a plain sentence admits, each with its derivation and components."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mouse.corpus.chinese.characters import is_han
from mouse.corpus.chinese.readings import readings_in_context, usual_reading
from mouse.corpus.items import Derivation
from mouse.corpus.labels import COMPONENT_BITS, COMPONENT_OF, Mechanism
from mouse.corpus.synthesis import substitutes

_EMOJI_CHOICES = 3
_Found = tuple[int, int, str, tuple[str, ...], Mechanism]
"""(start, end, surface, chain, mechanism): text[start:end] may be written as the surface."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """text[start:end] may be written as `step.surface`; `bits` is its component as a bit."""

    start: int
    end: int
    step: Derivation
    bits: int


def candidates(text: str) -> list[Candidate]:
    """Every substitution of the sentence, by position; deterministic.

    Homophonic: words and characters that sound the same, digits by way of their numeral, emoji
    whose name sounds like the character (🌶️ → 辣椒 → 辣 → 啦). Visual: characters taken apart,
    look-alikes. Semantic: emoji that show the word or stand for it, dialect, memes.
    """
    heard = readings_in_context(text)
    if len(heard) != len(text):
        # Not seen, but a reading that is out of step with the text would make false derivations.
        heard = [usual_reading(char) for char in text]
    tokens = _tokens(text)
    unique: dict[tuple[int, int, str], Candidate] = {}
    for found in (_phrases(text, tokens), _words(text, tokens, heard), _characters(text, heard)):
        for start, end, surface, chain, mechanism in found:
            step = Derivation(surface, chain, text[start:end], mechanism)
            candidate = Candidate(start, end, step, COMPONENT_BITS[COMPONENT_OF[mechanism]])
            unique.setdefault((start, end, surface), candidate)
    return [unique[key] for key in sorted(unique)]


def _tokens(text: str) -> list[tuple[int, int]]:
    import rjieba

    spans, cursor = [], 0
    for token in rjieba.cut(text):
        # The tokens of a sentence are the sentence; found again in case the library drops one.
        start = text.index(token, cursor)
        cursor = start + len(token)
        spans.append((start, cursor))
    return spans


def _phrases(text: str, tokens: list[tuple[int, int]]) -> Iterator[_Found]:
    starts, ends = {start for start, _ in tokens}, {end for _, end in tokens}
    for target, found in substitutes.phrases().items():
        at = text.find(target)
        while at >= 0:
            end = at + len(target)
            # On word borders alone: 会考试 has 考试, 大老板凳 no 老板.
            if at in starts and end in ends:
                for substitute in found:
                    yield at, end, substitute.surface, substitute.chain, substitute.mechanism
            at = text.find(target, at + 1)


def _words(text: str, tokens: list[tuple[int, int]], heard: list[str]) -> Iterator[_Found]:
    for start, end in tokens:
        word = text[start:end]
        if not is_han(word):
            continue
        for symbol in substitutes.emoji_readings().get(word, ())[:_EMOJI_CHOICES]:
            yield start, end, symbol, (), "symbol"
        if len(word) > 1:
            for other in substitutes.word_homophones(word, tuple(heard[start:end])):
                yield start, end, other, (), "homophone"


def _characters(text: str, heard: list[str]) -> Iterator[_Found]:
    # Syllable → (character shown, its first emoji) of every emoji that shows one character.
    shown: dict[str, list[tuple[str, str]]] = {}
    for reading, symbols in substitutes.emoji_readings().items():
        if len(reading) == 1:
            shown.setdefault(usual_reading(reading), []).append((reading, symbols[0]))
    digits = substitutes.digit_readings()
    by_digit_sound = {usual_reading(numeral): (numeral, d) for numeral, d in digits.items()}
    for at, char in enumerate(text):
        if not is_han(char):
            continue
        end = at + 1
        direct: tuple[tuple[Mechanism, tuple[str, ...]], ...] = (
            ("homophone", tuple(substitutes.character_homophones(char, heard[at]))),
            ("symbol", substitutes.emoji_readings().get(char, ())[:_EMOJI_CHOICES]),
            ("decomposition", substitutes.splits(char)),
            ("geometric", substitutes.lookalikes().get(char, ())),
        )
        for mechanism, surfaces in direct:
            for surface in surfaces:
                yield at, end, surface, (), mechanism
        for reading, symbol in shown.get(heard[at], ()):
            if reading != char:
                name = substitutes.emoji_name(symbol)
                yield at, end, symbol, (name, reading) if name else (reading,), "image_chain"
        numeral, digit = by_digit_sound.get(heard[at], ("", ""))
        beside = text[max(0, at - 1) : at] + text[end : end + 1]
        if digit and char not in digits and not any(c.isascii() and c.isalnum() for c in beside):
            yield at, end, digit, (numeral,), "digit"
