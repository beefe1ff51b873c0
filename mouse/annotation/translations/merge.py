"""Several people's ratings of one translation to one, and which of them need a second look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mouse.judging.aggregate import aggregate

Merge = Literal["majority", "median"]


@dataclass(frozen=True, slots=True)
class Consensus:
    """What the raters say together; `adjudicate` where they do not say it clearly."""

    score: int
    adjudicate: bool


def consensus(ratings: Sequence[int], how: Merge) -> Consensus:
    """One score from one or more.

    `majority`: what more than half of the raters gave; without one, the median, to be adjudicated
    (0, 1, 2 of three raters is 1). `median`: the middle one. Of two middle ones that differ both
    take the lower, the one that does not flatter the model, and it is to be adjudicated. Raises
    `ValueError` without ratings.
    """
    if how == "majority" and ratings:
        score, count = Counter(ratings).most_common(1)[0]
        if 2 * count > len(ratings):
            return Consensus(score, False)
    lower = aggregate(ratings, "median", "lower")
    higher = aggregate(ratings, "median", "higher")
    assert lower is not None
    return Consensus(lower, how == "majority" or lower != higher)
