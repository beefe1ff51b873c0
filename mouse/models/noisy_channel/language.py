"""Word costs from wordfreq, and an index of words by how they sound.

A cost is -ln P(word) in nats: 2.8 for 的, about 17 for a word seen once in 25 million. The model
is a unigram one; what holds sentences together is that long words beat the characters they
consist of.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from itertools import product

from mouse.models.noisy_channel.sounds import codes

MAX_WORD = 4
"""Longest word that is looked up, in characters."""
MIN_FREQUENCY = 2e-8
"""Rarer words are noise in a web corpus: names, typing errors, parts of other scripts."""
UNKNOWN_CHAR = 15.0
"""Cost of a character that no word list knows, in nats."""
OTHER_CHAR = 6.0
"""Cost of a character outside the Chinese script (letter, digit, punctuation) kept as it is."""
_CANDIDATES = {1: 24, 2: 10, 3: 5, 4: 3}


def is_han(char: str) -> bool:
    """True for CJK ideographs, the extensions and 〇 included."""
    return (
        "\u4e00" <= char <= "\u9fff"
        or "\u3400" <= char <= "\u4dbf"
        or char == "〇"
        or ("\U00020000" <= char <= "\U0003ffff")
    )


@cache
def simplified(char: str) -> str:
    """The simplified form of one character, by OpenCC; the character itself where it has none."""
    return _converter().convert(char)


@cache
def _converter():  # type: ignore[no-untyped-def]
    import opencc

    return opencc.OpenCC("t2s")


class Language:
    """Costs of words and the words that sound like a given string of syllable codes."""

    def __init__(self, extra: Mapping[str, float] | None = None) -> None:
        """`extra`: words of the genre that a general list lacks or undervalues, with frequencies."""
        from wordfreq import get_frequency_dict

        self.cost: dict[str, float] = {}
        frequencies = {
            word: frequency
            for word, frequency in get_frequency_dict("zh", "best").items()
            if frequency >= MIN_FREQUENCY and len(word) <= MAX_WORD and all(map(is_han, word))
        }
        for word, frequency in (extra or {}).items():
            frequencies[word] = max(frequency, frequencies.get(word, 0.0))
        self.by_sound: dict[str, list[tuple[float, str]]] = {}
        for word in sorted(frequencies, key=lambda w: (-frequencies[w], w)):
            self.cost[word] = -math.log(frequencies[word])
            keep = _CANDIDATES.get(len(word), 3)
            for key in self._keys(word):
                bucket = self.by_sound.setdefault(key, [])
                if len(bucket) < keep:
                    bucket.append((self.cost[word], word))

    @staticmethod
    def _keys(word: str) -> list[str]:
        return ["".join(parts) for parts in product(*(codes(char) for char in word))]

    def char_cost(self, char: str) -> float:
        """Cost of one character standing alone, whatever its script."""
        known = self.cost.get(char)
        if known is not None:
            return known
        return UNKNOWN_CHAR if is_han(char) else OTHER_CHAR
