"""Which common words and characters sound like another (tones aside) without looking like it."""

from __future__ import annotations

from functools import cache
from typing import Any

from mouse.corpus.synthesis.tables import is_han, parts_of, rude_words

WORDS = 40_000
"""Most frequent words of wordfreq's Chinese list among which homophones are sought."""
CHARACTERS = 2_500
WORD_CHOICES = 8
CHARACTER_CHOICES = 6

_VARIANTS = tuple(
    map(
        frozenset,
        ("的得地", "他她它", "做作", "哪那", "象像", "惟唯", "份分", "帐账", "么吗嘛", "啊呀"),
    )
)
"""Characters that writers mix up or choose by grammar: no substitution that anyone would see."""


def readings(text: str) -> list[str]:
    """(len(text),) toneless pinyin of each character in its context; other characters as they are."""
    from pypinyin import lazy_pinyin

    # Its stub allows text alone, but a list is taken as one entry a character.
    by_character: Any = list
    return lazy_pinyin(text, errors=by_character)


@cache
def syllable(char: str) -> str:
    """A character's usual reading."""
    return readings(char)[0]


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
    if word == other:
        return False
    for a, b in zip(word, other, strict=True):
        if a != b and (
            parts_of(a) & parts_of(b) or any(a in group and b in group for group in _VARIANTS)
        ):
            return False
    return True


@cache
def _frequent() -> list[str]:
    import rjieba
    from wordfreq import top_n_list

    rude = rude_words()
    return [
        word
        for word in top_n_list("zh", WORDS)
        if is_han(word)
        and len(word) <= 3
        and not any(bad in word for bad in rude)
        # Names of persons would put real people into sentences about somebody else.
        and not any(tag.startswith("nr") for _, tag in rjieba.tag(word))
    ]


@cache
def _words_by_sound() -> dict[tuple[str, ...], tuple[str, ...]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for word in _frequent():
        if len(word) > 1:
            found.setdefault(tuple(readings(word)), []).append(word)
    return {sound: tuple(words) for sound, words in found.items()}


@cache
def _characters_by_sound() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for char in [word for word in _frequent() if len(word) == 1][:CHARACTERS]:
        found.setdefault(syllable(char), []).append(char)
    return {sound: tuple(chars) for sound, chars in found.items()}
