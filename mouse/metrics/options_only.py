"""Whether right options can be told from the options alone: a cue's hits, positions, all cues together.

The reader of all cues votes with each weighted by how it did on the other items (leave one out).
Were the right option any one alike, no reading of the options could beat chance; so its score is
compared with the same reader's scores where the right options are drawn at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mouse.metrics.tables import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class OptionsOnlyScore:
    """`accuracy`: expected share right, ties shared; `chance`: what `model=uniform` expects.

    `p`: share of random right options (with the real one) on which the reader does as well.
    """

    accuracy: float
    chance: float
    p: float
    permutations: int


def options_only_score(
    picks: Sequence[Sequence[int | None]],
    answers: Sequence[int],
    sizes: Sequence[int],
    permutations: int = 2_000,
    seed: int = 0,
) -> OptionsOnlyScore:
    """Score of the reader on items whose cues picked `picks` (item by cue; None: no pick).

    `answers`: the right option's index; `sizes`: the number of options. An item by itself has
    nothing to learn from and scores chance.
    """
    # (items, options, cues): 1 where a cue picks the option.
    picked = np.array([[-1 if pick is None else pick for pick in row] for row in picks])
    votes = (picked[:, None, :] == np.arange(max(sizes))[:, None]).astype(float)
    size = np.array(sizes)
    chance = float((1 / size).mean())
    score = _accuracy(votes, np.array(answers), size)
    draw = np.random.default_rng(seed)
    as_good = sum(
        _accuracy(votes, draw.integers(0, size), size) >= score - 1e-12 for _ in range(permutations)
    )
    return OptionsOnlyScore(score, chance, (1 + as_good) / (1 + permutations), permutations)


def _accuracy(votes: FloatArray, answers: IntArray, sizes: IntArray) -> float:
    """Expected share right of the leave-one-out reader, ties shared."""
    n, width, _ = votes.shape
    hits = votes[np.arange(n), answers]
    tried = votes.sum(1)
    # What each item's reader has seen: all other items.
    seen_hits, seen = hits.sum(0) - hits, tried.sum(0) - tried
    expected = (tried / sizes[:, None]).sum(0) - tried / sizes[:, None]
    # Log odds of the pick being right over what chance gives, one imagined pick of chance added.
    odds = np.log((seen_hits + 1) / (seen - seen_hits + sizes.mean() - 1))
    base = np.log((expected + 1) / (seen - expected + sizes.mean() - 1))
    scores = np.einsum("ioc,ic->io", votes, odds - base)
    scores[np.arange(width)[None, :] >= sizes[:, None]] = -np.inf
    best = scores >= scores.max(1, keepdims=True) - 1e-9
    return float((best[np.arange(n), answers] / best.sum(1)).mean())


def at_least(successes: int, chances: Sequence[float]) -> float:
    """P(at least `successes`) of independent events with these chances (Poisson binomial, exact)."""
    distribution = np.ones(1)
    for chance in chances:
        distribution = np.convolve(distribution, [1 - chance, chance])
    return float(min(1.0, distribution[successes:].sum()))


def position_p(answers: Sequence[int], sizes: Sequence[int], permutations: int, seed: int) -> float:
    """p of the chi-square statistic of answer positions, by simulation: exact for small sets."""
    width = max(sizes)
    expected = np.array([sum(1 / size for size in sizes if at < size) for at in range(width)])

    def statistic(places: Any) -> Any:
        counts = np.stack([(places == at).sum(-1) for at in range(width)], -1)
        return ((counts - expected) ** 2 / expected).sum(-1)

    chance = np.random.default_rng(seed)
    drawn = chance.integers(0, np.array(sizes), (permutations, len(sizes)))
    # A statistic of the same counts may differ in its last bits.
    exceeding = int((statistic(drawn) >= statistic(np.array(answers)) - 1e-9).sum())
    return (1 + exceeding) / (1 + permutations)
