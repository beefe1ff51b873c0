"""Which characters of one sentence are found again in another, and where two sentences differ.

Both the copy filter and the rule judge compare what a sentence says, not how it is set: see
`comparable`. Alignments are of least edit distance (Levenshtein), by rapidfuzz, and so always
the same for the same pair.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein


@dataclass(frozen=True, slots=True)
class Span:
    """A place where two sentences differ: `left[left_start:left_end]` against the right's."""

    left_start: int
    left_end: int
    right_start: int
    right_end: int


def comparable(text: str) -> str:
    """What is compared: NFKC and casefolded, without space, punctuation and invisible characters.

    Variation selectors, joiners and control characters go (emoji presentation), as do all of
    Unicode's P and Z; letters, digits, ideographs, emoji and other symbols stay. Applying it
    twice changes nothing.
    """
    previous = None
    while text != previous:
        # Taking a space out can bring a letter and its accent together: until nothing changes.
        previous = text
        folded = unicodedata.normalize("NFKC", text).casefold()
        text = "".join(c for c in folded if not _is_setting(c))
    return text


def _is_setting(char: str) -> bool:
    if char in "\ufe0e\ufe0f":
        return True
    return unicodedata.category(char)[0] in "PZC"


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
