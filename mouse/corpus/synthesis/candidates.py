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
    found = [
        *_phrases(text, tokens),
        *_words(text, tokens, heard),
        *_characters(text, heard),
    ]
    unique = {(c.start, c.end, c.step.surface): c for c in reversed(found)}
    return sorted(unique.values(), key=lambda c: (c.start, c.end, c.step.surface))


def _candidate(
    text: str, start: int, end: int, surface: str, chain: tuple[str, ...], mechanism: Mechanism
) -> Candidate:
    step = Derivation(surface, chain, text[start:end], mechanism)
    return Candidate(start, end, step, COMPONENT_BITS[COMPONENT_OF[mechanism]])


def _tokens(text: str) -> list[tuple[int, int]]:
    import rjieba

    spans, cursor = [], 0
    for token in rjieba.cut(text):
        # The tokens of a sentence are the sentence; found again in case the library drops one.
        start = text.index(token, cursor)
        cursor = start + len(token)
        spans.append((start, cursor))
    return spans


def _phrases(text: str, tokens: list[tuple[int, int]]) -> Iterator[Candidate]:
    starts = {start for start, _ in tokens}
    ends = {end for _, end in tokens}
    for target, entries in substitutes.phrases().items():
        at = text.find(target)
        while at >= 0:
            end = at + len(target)
            # On word borders alone: 会考试 has 考试, 大老板凳 no 老板.
            if at in starts and end in ends:
                for entry in entries:
                    yield _candidate(text, at, end, entry.surface, entry.chain, entry.mechanism)
            at = text.find(target, at + 1)


def _words(text: str, tokens: list[tuple[int, int]], heard: list[str]) -> Iterator[Candidate]:
    for start, end in tokens:
        word = text[start:end]
        if not is_han(word):
            continue
        for symbol in substitutes.emoji_readings().get(word, ())[:_EMOJI_CHOICES]:
            yield _candidate(text, start, end, symbol, (), "symbol")
        if len(word) > 1:
            for other in substitutes.word_homophones(word, tuple(heard[start:end])):
                yield _candidate(text, start, end, other, (), "homophone")


def _characters(text: str, heard: list[str]) -> Iterator[Candidate]:
    shown: dict[str, list[tuple[str, str]]] = _emoji_by_sound()
    digits = substitutes.digit_readings()
    by_digit_sound = {usual_reading(numeral): (numeral, d) for numeral, d in digits.items()}
    for at, char in enumerate(text):
        if not is_han(char):
            continue
        end = at + 1
        for other in substitutes.character_homophones(char, heard[at]):
            yield _candidate(text, at, end, other, (), "homophone")
        for symbol in substitutes.emoji_readings().get(char, ())[:_EMOJI_CHOICES]:
            yield _candidate(text, at, end, symbol, (), "symbol")
        for reading, symbol in shown.get(heard[at], ()):
            if reading != char:
                name = substitutes.emoji_name(symbol)
                chain = (name, reading) if name else (reading,)
                yield _candidate(text, at, end, symbol, chain, "image_chain")
        for other in substitutes.splits(char):
            yield _candidate(text, at, end, other, (), "decomposition")
        for other in substitutes.lookalikes().get(char, ()):
            yield _candidate(text, at, end, other, (), "geometric")
        numeral, digit = by_digit_sound.get(heard[at], ("", ""))
        beside = text[max(0, at - 1) : at] + text[end : end + 1]
        if digit and char not in digits and not any(c.isascii() and c.isalnum() for c in beside):
            yield _candidate(text, at, end, digit, (numeral,), "digit")


def _emoji_by_sound() -> dict[str, list[tuple[str, str]]]:
    """Syllable → (character shown, its first emoji) of every emoji that shows one character."""
    found: dict[str, list[tuple[str, str]]] = {}
    for reading, symbols in substitutes.emoji_readings().items():
        if len(reading) == 1:
            found.setdefault(usual_reading(reading), []).append((reading, symbols[0]))
    return found
