"""Decides which of equal and nearly equal texts stay, and says of each other one why it goes."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mouse.corpus.near_duplicates import THRESHOLD, near_duplicates

Reason = Literal["same text", "same but for width, case, spaces and punctuation", "near-duplicate"]


@dataclass(frozen=True, slots=True)
class Duplicate:
    """`index` goes because `kept` stays; `similarity` in [0, 1] as in `near_duplicates`."""

    index: int
    kept: int
    reason: Reason
    similarity: float


def fold_text(text: str) -> str:
    """A text without width, case, spaces and punctuation; itself where nothing would be left."""
    wide = unicodedata.normalize("NFKC", text).casefold()
    folded = "".join(c for c in wide if unicodedata.category(c)[0] not in "PZC")
    return folded or text


def duplicates(
    texts: Sequence[str], preferred: Sequence[bool] | None = None, threshold: float = THRESHOLD
) -> list[Duplicate]:
    """Every text that goes, by index. A kept text is like no other kept one.

    The first of a pair stays, but a `preferred` text (one that was written by hand) before any
    other. A text goes only if it is like one that stays itself, so chains of small changes do not
    swallow texts that are far apart. `threshold` in (0.8, 1]; `ValueError` else.
    """
    wanted = preferred or [False] * len(texts)
    order = sorted(range(len(texts)), key=lambda at: (not wanted[at], at))
    by_text: dict[str, int] = {}
    by_fold: dict[str, int] = {}
    gone: dict[int, Duplicate] = {}
    rest = []
    for at in order:
        folded = fold_text(texts[at])
        if texts[at] in by_text:
            gone[at] = Duplicate(at, by_text[texts[at]], "same text", 1.0)
        elif folded in by_fold:
            kept = by_fold[folded]
            reason: Reason = "same but for width, case, spaces and punctuation"
            gone[at] = Duplicate(at, kept, reason, _similarity(texts[at], texts[kept]))
        else:
            by_text[texts[at]] = by_fold[folded] = at
            rest.append(at)
    like: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for i, j, similarity in near_duplicates(
        [texts[at] for at in rest], [str(at) for at in rest], threshold
    ):
        # `rest` is in order of preference, so the second of a pair is the one that may go.
        like[rest[j]].append((rest[i], similarity))
    near: dict[int, int] = {}
    for at in rest:
        staying = [(kept, similarity) for kept, similarity in like[at] if kept not in gone]
        if staying:
            kept, similarity = max(staying, key=lambda pair: (pair[1], -pair[0]))
            gone[at] = Duplicate(at, kept, "near-duplicate", similarity)
            near[at] = kept
    return [_represented(d, near, texts) for _, d in sorted(gone.items())]


def _represented(found: Duplicate, near: Mapping[int, int], texts: Sequence[str]) -> Duplicate:
    """Where the kept text went later as a near-duplicate, what stays for it stays for this one too."""
    if found.kept not in near:
        return found
    kept = near[found.kept]
    return Duplicate(
        found.index, kept, "near-duplicate", _similarity(texts[found.index], texts[kept])
    )


def _similarity(a: str, b: str) -> float:
    from rapidfuzz.distance import Indel

    return float(Indel.normalized_similarity(a, b))
