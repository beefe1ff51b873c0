"""Surface cues that may give a right option away: each picks at most one option of an item.

A cue never sees which option is right. Where it fits two options alike it picks none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from mouse.corpus.chinese.characters import is_ideograph
from mouse.corpus.items import ChoiceItem

Pick = Callable[[Sequence[str]], "int | None"]
"""Options → the index of the one that stands out, or None."""


def picks(item: ChoiceItem) -> dict[str, int | None]:
    """Every cue's pick for an item; `QUESTION_CUE` is the one that reads the question too."""
    found = {name: pick(item.options) for name, pick in OPTIONS_ONLY.items()}
    return {**found, QUESTION_CUE: _shares_most_characters(item)}


def _greatest(score: Callable[[str], float]) -> Pick:
    return lambda options: _only_best([score(option) for option in options])


def _only(has: Callable[[str], bool], *, without: bool = False) -> Pick:
    """The one option that has (or `without`: lacks) something, of three or more."""

    def pick(options: Sequence[str]) -> int | None:
        flags = [has(option) is not without for option in options]
        return flags.index(True) if sum(flags) == 1 and len(flags) > 2 else None

    return pick


def _only_best(scores: Sequence[float]) -> int | None:
    best = max(scores)
    return None if scores.count(best) > 1 else scores.index(best)


def _likeness(options: Sequence[str]) -> list[float]:
    """Mean similarity of each option to the others; rounded, so that equal ones stay equal."""
    from rapidfuzz.distance import Indel

    return [
        round(
            sum(Indel.normalized_similarity(option, other) for other in others)
            / max(1, len(others)),
            9,
        )
        for at, option in enumerate(options)
        for others in ([*options[:at], *options[at + 1 :]],)
    ]


def _shares_most_characters(item: ChoiceItem) -> int | None:
    """The option that shares more Chinese characters with the question than any other does.

    The question is the text and, for a cloze, the dialogue; a common word in all options counts
    for none of them.
    """
    question = {char for char in item.context + item.text if is_ideograph(char)}
    shared = [set(option) & question for option in item.options]
    everywhere = set.intersection(*shared)
    return _only_best([len(found - everywhere) for found in shared])


def _has_punctuation(text: str) -> bool:
    return any(unicodedata.category(char)[0] == "P" for char in text)


def _has_latin(text: str) -> bool:
    return bool(re.search("[A-Za-z0-9]", text))


def _has_emoji(text: str) -> bool:
    return any(unicodedata.category(char) == "So" for char in text)


OPTIONS_ONLY: dict[str, Pick] = {
    "longest": _greatest(len),
    "shortest": _greatest(lambda option: -len(option)),
    "only one with punctuation": _only(_has_punctuation),
    "only one without punctuation": _only(_has_punctuation, without=True),
    "only one that ends with punctuation": _only(lambda o: _has_punctuation(o.rstrip()[-1:])),
    "only one with letters or digits": _only(_has_latin),
    "only one without letters or digits": _only(_has_latin, without=True),
    "only one with an emoji": _only(_has_emoji),
    "only one without an emoji": _only(_has_emoji, without=True),
    "most like the other options": lambda options: _only_best(_likeness(options)),
    "least like the other options": lambda options: _only_best([-x for x in _likeness(options)]),
}
"""Cues that need the options alone, by name."""
QUESTION_CUE = "shares most characters with the question"
