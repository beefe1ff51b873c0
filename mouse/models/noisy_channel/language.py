"""The language model: word costs from wordfreq, and an index of words by how they sound.

A cost is -ln P(word) in nats: 2.8 for 的, about 17 for a word seen once in 25 million. The model
is a unigram one; what holds sentences together is that long words beat the characters they
consist of.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import product

from mouse.corpus.chinese.characters import is_ideograph
from mouse.corpus.chinese.lexicon import weights
from mouse.corpus.chinese.readings import common_readings, fold

MAX_WORD = 4
"""Longest word that is looked up, in characters."""
MIN_FREQUENCY = 2e-8
"""Rarer words are noise in a web corpus: names, typing errors, parts of other scripts."""
UNKNOWN_CHAR = 15.0
"""Cost of a character that no word list knows, in nats."""
OTHER_CHAR = 6.0
"""Cost of a character outside the Chinese script (letter, digit, punctuation) kept as it is."""
_CANDIDATES = {1: 24, 2: 10, 3: 5, 4: 3}
"""Words that the index keeps for one sound, by their length in characters."""

_CODES: dict[str, str] = {}


@cache
def code(syllable: str) -> str:
    """One private-use character for the folded class, so that keys are short strings."""
    return _CODES.setdefault(fold(syllable), chr(0xE000 + len(_CODES)))


@cache
def codes(char: str) -> tuple[str, ...]:
    """Folded codes of a character's common readings."""
    return tuple(dict.fromkeys(map(code, common_readings(char))))


@cache
def sounds_alike(left: str, right: str) -> int:
    """0 where two characters share a toneless reading, 1 where only a folded one, 2 where none."""
    if set(common_readings(left)) & set(common_readings(right)):
        return 0
    return 1 if set(codes(left)) & set(codes(right)) else 2


class Language:
    """Costs of words, and the words that sound like a given string of syllable codes.

    To wordfreq's list come the words of the genre that it lacks or undervalues.
    """

    def __init__(self) -> None:
        from wordfreq import get_frequency_dict

        self.cost: dict[str, float] = {}
        self.by_sound: dict[str, list[tuple[float, str]]] = {}
        frequencies = {
            word: frequency
            for word, frequency in get_frequency_dict("zh", "best").items()
            if frequency >= MIN_FREQUENCY and len(word) <= MAX_WORD and all(map(is_ideograph, word))
        }
        for word, frequency in weights("words").items():
            frequencies[word] = max(frequency, frequencies.get(word, 0.0))
        for word in sorted(frequencies, key=lambda w: (-frequencies[w], w)):
            self.cost[word] = -math.log(frequencies[word])
            for key in map("".join, product(*map(codes, word))):
                bucket = self.by_sound.setdefault(key, [])
                if len(bucket) < _CANDIDATES.get(len(word), 3):
                    bucket.append((self.cost[word], word))

    def char_cost(self, char: str) -> float:
        """Cost of one character standing alone, whatever its script."""
        return self.cost.get(char, UNKNOWN_CHAR if is_ideograph(char) else OTHER_CHAR)
