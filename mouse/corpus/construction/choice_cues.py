"""Surface cues that may give a right option away: each picks at most one option of an item.

A cue never sees which option is right. Where it fits two options alike it picks none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from mouse.corpus.items import ChoiceItem

Pick = Callable[[Sequence[str]], "int | None"]
"""Options → the index of the one that stands out, or None."""

OPTIONS_ONLY: dict[str, Pick] = {}
"""Cues that need the options alone, by name."""


def _cue(name: str) -> Callable[[Pick], Pick]:
    def keep(pick: Pick) -> Pick:
        OPTIONS_ONLY[name] = pick
        return pick

    return keep


def _only_best(scores: Sequence[float]) -> int | None:
    best = max(scores)
    return None if sum(score == best for score in scores) > 1 else list(scores).index(best)


def _only(flags: Sequence[bool]) -> int | None:
    return list(flags).index(True) if sum(flags) == 1 and len(flags) > 2 else None


@_cue("longest")
def _longest(options: Sequence[str]) -> int | None:
    return _only_best([len(option) for option in options])


@_cue("shortest")
def _shortest(options: Sequence[str]) -> int | None:
    return _only_best([-len(option) for option in options])


@_cue("only one with punctuation")
def _punctuated(options: Sequence[str]) -> int | None:
    return _only([_has(option, _is_punctuation) for option in options])


@_cue("only one without punctuation")
def _unpunctuated(options: Sequence[str]) -> int | None:
    return _only([not _has(option, _is_punctuation) for option in options])


@_cue("only one that ends with punctuation")
def _ends_punctuated(options: Sequence[str]) -> int | None:
    return _only([bool(option) and _is_punctuation(option.rstrip()[-1:]) for option in options])


@_cue("only one with letters or digits")
def _latin(options: Sequence[str]) -> int | None:
    return _only([bool(re.search("[A-Za-z0-9]", option)) for option in options])


@_cue("only one without letters or digits")
def _no_latin(options: Sequence[str]) -> int | None:
    return _only([not re.search("[A-Za-z0-9]", option) for option in options])


@_cue("only one with an emoji")
def _emoji(options: Sequence[str]) -> int | None:
    return _only([_has(option, _is_symbol) for option in options])


@_cue("only one without an emoji")
def _no_emoji(options: Sequence[str]) -> int | None:
    return _only([not _has(option, _is_symbol) for option in options])


@_cue("most like the other options")
def _central(options: Sequence[str]) -> int | None:
    return _only_best(_likeness(options))


@_cue("least like the other options")
def _odd(options: Sequence[str]) -> int | None:
    return _only_best([-likeness for likeness in _likeness(options)])


def shares_most_characters(item: ChoiceItem) -> int | None:
    """The option that shares more Chinese characters with the question than any other does.

    The question is the text and, for a cloze, the dialogue; a common word in all options counts
    for none of them.
    """
    question = {char for char in item.context + item.text if _is_han(char)}
    shared = [{char for char in option if _is_han(char)} & question for option in item.options]
    everywhere = set.intersection(*shared)
    return _only_best([len(found - everywhere) for found in shared])


QUESTION_CUE = "shares most characters with the question"


def picks(item: ChoiceItem) -> dict[str, int | None]:
    """Every cue's pick for an item; `QUESTION_CUE` is the one that reads the question too."""
    found = {name: pick(item.options) for name, pick in OPTIONS_ONLY.items()}
    found[QUESTION_CUE] = shares_most_characters(item)
    return found


def _likeness(options: Sequence[str]) -> list[float]:
    """Mean similarity of each option to the others; rounded, so that equal ones stay equal."""
    from rapidfuzz.distance import Indel

    return [
        round(
            sum(
                Indel.normalized_similarity(option, other)
                for at, other in enumerate(options)
                if at != own
            )
            / max(1, len(options) - 1),
            9,
        )
        for own, option in enumerate(options)
    ]


def _has(text: str, test: Callable[[str], bool]) -> bool:
    return any(map(test, text))


def _is_punctuation(char: str) -> bool:
    return bool(char) and unicodedata.category(char)[0] == "P"


def _is_symbol(char: str) -> bool:
    return unicodedata.category(char) == "So"


def _is_han(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff" or "\u3400" <= char <= "\u4dbf"
