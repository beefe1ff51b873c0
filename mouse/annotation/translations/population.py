"""What people can rate of a run, the translations that its judge scored, and samples of it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mouse.errors import UserError
from mouse.tasks.translation import Translation
from mouse.tracking.stored import StoredRun

TASK = Translation.code
Stratify = Literal["none", "score"]
UnitKey = tuple[str, int]
"""Item id and repeat: one translation."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One translation with its judge's score."""

    item_id: str
    repeat: int
    original: str
    reference: str
    translation: str
    score: int
    cluster: str
    """Units that stem from one expression share it."""

    @property
    def key(self) -> UnitKey:
        return (self.item_id, self.repeat)


@dataclass(frozen=True)
class Population:
    """The judged translations of a run, by item id and repeat.

    `scored`: all translations with a score; those beyond `units` are 0 by rule (copied, refused,
    unreadable) and never met the judge, so people are not asked about them either.
    """

    units: tuple[Unit, ...]
    scored: int
    predictions_sha256: str

    @property
    def by_key(self) -> dict[UnitKey, Unit]:
        return {unit.key: unit for unit in self.units}

    @property
    def repeated(self) -> bool:
        """True where some units share a cluster."""
        return len({unit.cluster for unit in self.units}) < len(self.units)


def population(run: StoredRun) -> Population:
    """The judged translations of a run; `UserError` where there are none."""
    if TASK not in run.tasks:
        raise UserError(
            f"run {run.run_id[:8]} ({run.model}) has no translations to rate: its tasks are "
            f"{', '.join(run.tasks) or 'none'}; make one with task={TASK}."
        )
    rows = run.predictions[TASK].to_dict("records")
    scored = [row for row in rows if row["score"] == row["score"] and row["score"] is not None]
    units = [
        Unit(
            item_id=row["item_id"],
            repeat=int(row["repeat"]),
            original=_text(row["text"]),
            reference=_text(row["gold"]),
            translation=_text(row["predicted"]),
            score=int(row["score"]),
            cluster=_text(row["cluster"]) or row["item_id"],
        )
        for row in scored
        if row["verdict_status"] == "judged"
    ]
    if not units:
        raise UserError(
            f"no translation of run {run.run_id[:8]} ({run.model}) was scored by a judge: repeat "
            "the run with a judge (judge=rule, judge=deepseek-v3.2, …); stored answers are used."
        )
    return Population(
        tuple(sorted(units, key=lambda unit: unit.key)),
        len(scored),
        hashlib.sha256((run.folder / f"predictions/{TASK}.parquet").read_bytes()).hexdigest(),
    )


def _text(value: Any) -> str:
    """A missing text comes out of a data frame as NaN, which is true."""
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One sampled unit; `weight` is how many units of the population it stands for."""

    unit: Unit
    stratum: str
    weight: float


def draw(units: Sequence[Unit], n: int, seed: int, stratify: Stratify) -> list[Drawn]:
    """Draw `n` of the units without replacement, in random order; the same for the same seed.

    Stratified, every score gives the same number of units as far as it has them; the weights undo
    that in every estimate. Raises `UserError` for an impossible `n`.
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
        strata.setdefault(stratum(unit, stratify), []).append(unit)
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


def stratum(unit: Unit, stratify: Stratify) -> str:
    """The name of a unit's stratum: its judge's score, or `all` in a simple random sample."""
    return str(unit.score) if stratify == "score" else "all"


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
