"""Which translations people rate: a simple random sample, or one stratified by the judge's score."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mouse.annotation.translations.units import Unit
from mouse.errors import UserError

Stratify = Literal["none", "score"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """One sampled unit; `weight` is how many units of the population it stands for."""

    unit: Unit
    stratum: str
    """The judge's score where the sample is stratified by it, `all` where not."""
    weight: float


def draw(units: Sequence[Unit], n: int, seed: int, stratify: Stratify) -> list[Drawn]:
    """Draw `n` of the units without replacement, in random order; the same for the same seed.

    Stratified, every score gives the same number of units as far as it has them, so that rare
    scores are rated often enough; the weights undo that in every estimate.

    Raises:
        UserError: `n` is below 2, more than there are, or too few for every stratum.
    """
    if n < 2:
        raise UserError(f"--n {n}: at least 2 translations must be rated.")
    if n > len(units):
        raise UserError(
            f"--n {n}: the run has only {len(units)} judged translations; give --n {len(units)} "
            "or fewer."
        )
    strata: dict[str, list[Unit]] = {}
    for unit in sorted(units, key=lambda one: one.key):
        strata.setdefault(str(unit.score) if stratify == "score" else "all", []).append(unit)
    if n < 2 * len(strata):
        raise UserError(
            f"--n {n}: a sample stratified over {len(strata)} scores needs at least "
            f"{2 * len(strata)} translations."
        )
    sizes = allocate({name: len(members) for name, members in strata.items()}, n)
    rng = random.Random(f"sample {seed}")
    drawn = [
        Drawn(unit, name, len(strata[name]) / sizes[name])
        for name in sorted(strata)
        for unit in rng.sample(strata[name], sizes[name])
    ]
    rng.shuffle(drawn)
    return drawn


def allocate(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """Share `n` out equally over strata of these sizes; what a small one lacks, others give.

    A remainder goes to the larger strata first. The values sum to `n`, none exceeds its stratum.
    """
    given = dict.fromkeys(sizes, 0)
    left = n
    while left:
        open_ = [name for name in sizes if given[name] < sizes[name]]
        open_.sort(key=lambda name: (-(sizes[name] - given[name]), name))
        share = max(1, left // len(open_))
        for name in open_:
            taken = min(share, sizes[name] - given[name], left)
            given[name] += taken
            left -= taken
    return given
