"""What people can rate of a run: the translations that its judge scored."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mouse.errors import UserError

if TYPE_CHECKING:
    from mouse.tracking.stored import StoredRun

SCORES = (0, 1, 2)
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
    def judged_share(self) -> float:
        return len(self.units) / self.scored

    @property
    def repeated(self) -> bool:
        """True where some units share a cluster."""
        return len({unit.cluster for unit in self.units}) < len(self.units)


def population(run: StoredRun) -> Population:
    """The judged translations of a run.

    Raises:
        UserError: the run has no translations, or none that a judge scored.
    """
    path = run.folder / "predictions" / "tr.parquet"
    if "tr" not in run.tasks:
        raise UserError(
            f"run {run.run_id[:8]} ({run.model}) has no translations to rate: its tasks are "
            f"{', '.join(run.tasks) or 'none'}; make one with task=tr."
        )
    rows = run.predictions["tr"].to_dict("records")
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
        hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def _text(value: Any) -> str:
    """A missing text comes out of a data frame as NaN, which is true."""
    return value if isinstance(value, str) else ""
