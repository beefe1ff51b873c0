"""Several people's answers to one: strict majority, central reference, consensus of ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from mouse.corpus.construction.deduplication import fold_text
from mouse.judging.aggregate import aggregate

T = TypeVar("T", bound=Hashable)

CENTRAL_FROM = 0.6
"""Mean similarity to the others from which the most central reference stands without adjudication."""

ReferenceStatus = Literal["majority", "central", "undecided"]
Merge = Literal["majority", "median"]


def majority(votes: Sequence[T | None], asked: int) -> T | None:
    """The value of more than half of the `asked` annotators, empty cells counting against each; or None."""
    counts = Counter(vote for vote in votes if vote is not None)
    return next((value for value, count in counts.items() if 2 * count > asked), None)


def central_reference(references: Sequence[str], asked: int) -> tuple[str, ReferenceStatus]:
    """One of the references that annotators wrote, and how it was found.

    `majority`: more than half wrote it (width, spaces and punctuation aside; the first spelling).
    `central`: most similar to the others on average, and at least `CENTRAL_FROM` (rapidfuzz's
    normalised Indel similarity). `undecided`: the most central one, which somebody must look at;
    empty where nobody wrote any.
    """
    written = [text for text in references if text.strip()]
    if not written:
        return "", "undecided"
    folded = [fold_text(text) for text in written]
    agreed = majority(folded, asked)
    if agreed is not None:
        return written[folded.index(agreed)], "majority"
    if len(written) == 1:
        return written[0], "undecided"
    from rapidfuzz.distance import Indel

    means = [
        sum(Indel.normalized_similarity(a, b) for j, b in enumerate(folded) if j != i)
        / (len(folded) - 1)
        for i, a in enumerate(folded)
    ]
    best = max(range(len(means)), key=lambda at: (means[at], -at))
    return written[best], "central" if means[best] >= CENTRAL_FROM else "undecided"


@dataclass(frozen=True, slots=True)
class Consensus:
    """What the raters say together; `adjudicate` where they do not say it clearly."""

    score: int
    adjudicate: bool


def consensus(ratings: Sequence[int], how: Merge) -> Consensus:
    """One score from one or more. Raises `ValueError` without ratings.

    `majority`: what more than half of the raters gave; without one, the median, to be adjudicated
    (0, 1, 2 of three raters is 1). `median`: the middle one. Of two middle ones that differ both
    take the lower, the one that does not flatter the model, and it is to be adjudicated.
    """
    agreed = majority(ratings, len(ratings)) if how == "majority" else None
    if agreed is not None:
        return Consensus(agreed, adjudicate=False)
    lower = aggregate(ratings, "median", "lower")
    assert lower is not None
    unclear = how == "majority" or lower != aggregate(ratings, "median", "higher")
    return Consensus(lower, unclear)
