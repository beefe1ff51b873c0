"""Which characters of one sentence are found again in another, and where two sentences differ.

Both the copy filter and the rule judge compare what a sentence says, not how it is set: see
`comparable` and `folded`. Alignments are of least edit distance (Levenshtein), by rapidfuzz, and so always
the same for the same pair.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from rapidfuzz.distance import Levenshtein

from mouse.answers.normalise import characters


@dataclass(frozen=True, slots=True)
class Span:
    """A place where two sentences differ: `left[left_start:left_end]` against the right's."""

    left_start: int
    left_end: int
    right_start: int
    right_end: int


def comparable(text: str) -> str:
    """What an answer is compared with the reference by: its characters, however they are set.

    Canonical composition and lower case, without space, punctuation and invisible characters
    (variation selectors, joiners, control characters). Compatibility forms stay what they are:
    🉑 is not 可 and ⑧ is not 8, since writing the one for the other may be the very substitution
    that is to be undone. Applying it twice changes nothing.
    """
    return _settled(text, lambda form: unicodedata.normalize("NFC", form).lower())


def folded(text: str) -> str:
    """What an answer is compared with the *original* by: `comparable`, and forms folded too.

    Compatibility forms (NFKC: ⑧ is 8, 🉑 is 可, Ａ is a), letters in circles and squares, keycaps,
    skin tones, and traditional for simplified characters: handing the original back in another
    of these forms transforms nothing.
    """
    return _settled(text, lambda form: _simplify(_TONES.sub("", characters(form))).casefold())


def _settled(text: str, form: Callable[[str], str]) -> str:
    """`form` and the removal of what only sets the text, repeated until nothing changes."""
    previous = None
    # Taking a space out can bring a letter and its accent together; folding need not be idempotent
    # for every character of Unicode, so the number of rounds is bounded.
    for _ in range(8):
        if text == previous:
            break
        previous = text
        text = form("".join(c for c in text if not _is_setting(c)))
    return text


_TONES = re.compile("[\U0001f3fb-\U0001f3ff]")


def _simplify(text: str) -> str:
    return text if text.isascii() else _to_simplified().convert(text)


@cache
def _to_simplified() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")


def _is_setting(char: str) -> bool:
    category = unicodedata.category(char)
    # Unassigned (Cn) is an emoji that is newer than this Python's Unicode.
    return char in "\ufe0e\ufe0f" or (category[0] in "PZC" and category not in ("Cn", "Co"))


def differences(left: str, right: str) -> list[Span]:
    """Maximal places where two strings differ, in order; empty for equal strings."""
    spans: list[Span] = []
    for op in Levenshtein.opcodes(left, right):
        if op.tag == "equal":
            continue
        if spans and spans[-1].left_end == op.src_start and spans[-1].right_end == op.dest_start:
            last = spans.pop()
            spans.append(Span(last.left_start, op.src_end, last.right_start, op.dest_end))
        else:
            spans.append(Span(op.src_start, op.src_end, op.dest_start, op.dest_end))
    return spans


def found_in(wanted: str, other: str) -> list[bool]:
    """For each character of `wanted`, whether the alignment with `other` finds it there."""
    flags = [False] * len(wanted)
    for op in Levenshtein.opcodes(wanted, other):
        if op.tag == "equal":
            flags[op.src_start : op.src_end] = [True] * (op.src_end - op.src_start)
    return flags


def similarity(left: str, right: str) -> float:
    """1 - edit distance / longer length, in [0, 1]; 1.0 for two empty strings."""
    return float(Levenshtein.normalized_similarity(left, right))
