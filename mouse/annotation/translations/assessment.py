"""All that people's ratings say of a run's judge: from returned sheets to numbers, nothing written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mouse.annotation.translations.population import Population, Unit
from mouse.annotation.translations.sheet import Key, KeyRow, Returned
from mouse.annotation.votes import Consensus, Merge, consensus
from mouse.errors import UserError
from mouse.metrics.agreement import Agreement
from mouse.metrics.alpha import krippendorff_alpha
from mouse.metrics.correct import Corrected, corrected_sem_acc
from mouse.metrics.judge_agreement import SCORES, AgainstJudge, against_judge


@dataclass(frozen=True)
class Rated:
    """One translation with what everybody said of it."""

    entry: KeyRow
    unit: Unit
    consensus: Consensus
    ratings: Mapping[int, int]
    """Rater → rating, of those who gave one."""
    comments: Mapping[int, str]
    decided: bool = False
    """The consensus is an adjudicator's, because the raters had none."""


@dataclass(frozen=True)
class Assessment:
    """The judge of one run measured against people.

    `validated`: whether the QWK with the consensus reaches `min_qwk`; None where none is asked.
    """

    rated: tuple[Rated, ...]
    consensus: AgainstJudge
    raters: Mapping[int, AgainstJudge]
    alpha: Agreement | None
    """Among the raters; None for one rater."""
    corrected: Corrected
    merge: Merge
    min_qwk: float | None
    validated: bool | None
    missing: tuple[str, ...]
    absent: tuple[int, ...]
    notes: tuple[str, ...]

    @property
    def adjudicate(self) -> tuple[Rated, ...]:
        """The translations on which the raters do not agree clearly."""
        return tuple(unit for unit in self.rated if unit.consensus.adjudicate)

    def metrics(self) -> dict[str, float]:
        """The numbers by their MLflow names; NaN where undefined."""
        found: dict[str, float] = {
            "judge/human_n": len(self.rated),
            "judge/human_raters": len(self.raters),
            "judge/human_missing": len(self.missing),
            "judge/human_adjudicate": len(self.adjudicate),
            "judge/human_decided": sum(unit.decided for unit in self.rated),
            "judge/human_bias": self.corrected.judge_bias,
            "tr/sem_acc_human": self.corrected.human_only,
        }
        _interval(found, "judge/human_qwk", self.consensus.qwk)
        _interval(found, "judge/human_raw_agreement", self.consensus.raw)
        for score in SCORES:
            _interval(found, f"judge/human_share_{score}", self.consensus.human_shares[score])
            _interval(found, f"judge/judge_share_{score}", self.consensus.judge_shares[score])
        for rater, against in self.raters.items():
            _interval(found, f"judge/rater_{rater}_qwk", against.qwk)
            found[f"judge/rater_{rater}_raw_agreement"] = against.raw.value
        if self.alpha is not None:
            _interval(found, "judge/human_alpha", self.alpha)
            found["judge/human_alpha_raw_agreement"] = self.alpha.raw_agreement
        _interval(found, "tr/sem_acc_corrected", self.corrected)
        return found

    @property
    def sentence(self) -> str:
        """What a table says of the judge, in one sentence."""
        qwk = self.consensus.qwk
        if qwk.status == "undefined":
            measured = f"QWK against people is {qwk.note} ({qwk.n} translations)"
        else:
            measured = (
                f"QWK against people {qwk.value:.3f} [{qwk.lo:.3f}, {qwk.hi:.3f}] on {qwk.n} "
                f"translations ({qwk.band})"
            )
        if self.validated is None:
            return f"{measured}; no judge.min_qwk was asked for"
        return (
            f"judge {'validated' if self.validated else 'not validated'}: {measured}, "
            f"{self.min_qwk:g} needed"
        )


def _interval(found: dict[str, float], name: str, estimate: Any) -> None:
    found[name], found[f"{name}_lo"], found[f"{name}_hi"] = estimate.value, estimate.lo, estimate.hi


def assess(
    population: Population,
    key: Key,
    returned: Returned,
    *,
    decisions: Mapping[str, int] | None = None,
    merge: Merge = "majority",
    min_qwk: float | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> Assessment:
    """Measure the judge. `decisions`: row id → rating, used where the raters do not agree clearly."""
    rated = _rated(population, key, returned, merge, decisions or {})

    def measured(units: Sequence[Rated], people: Sequence[int]) -> AgainstJudge:
        return against_judge(
            [one.unit.score for one in units],
            people,
            strata=[one.entry.stratum for one in units],
            sizes=key.strata,
            clusters=[one.unit.cluster for one in units],
            resamples=resamples,
            confidence=confidence,
        )

    whole = measured(rated, [unit.consensus.score for unit in rated])
    persons = [sheet.person for sheet in returned.sheets]
    raters = {}
    for person in persons:
        own = [unit for unit in rated if person in unit.ratings]
        raters[person] = measured(own, [unit.ratings[person] for unit in own])
    alpha = None
    if len(persons) > 1:
        matrix = [[unit.ratings.get(person, np.nan) for unit in rated] for person in persons]
        alpha = krippendorff_alpha(np.array(matrix), resamples=resamples, confidence=confidence)
    corrected = corrected_sem_acc(
        {one.unit.key: one.consensus.score for one in rated},
        {unit.key: unit.score for unit in population.units},
        population.scored,
        sampling="stratified" if key.stratify == "score" else "random",
        confidence=confidence,
    )
    return Assessment(
        rated=rated,
        consensus=whole,
        raters=raters,
        alpha=alpha,
        corrected=corrected,
        merge=merge,
        min_qwk=min_qwk,
        # NaN reaches nothing.
        validated=None if min_qwk is None else whole.qwk.value >= min_qwk,
        missing=returned.missing,
        absent=returned.absent,
        notes=tuple(_notes(population, key, returned, rated)),
    )


def _rated(
    population: Population, key: Key, returned: Returned, merge: Merge, decisions: Mapping[str, int]
) -> tuple[Rated, ...]:
    units = population.by_key
    rated = []
    for entry in key.rows:
        row = entry.row
        unit = units.get((entry.item_id, entry.repeat))
        if unit is None:
            raise UserError(
                f"the key's row {row} is item {entry.item_id!r}, which is no judged "
                "translation of this run."
            )
        ratings = {s.person: s.answers[row] for s in returned.sheets if row in s.answers}
        if not ratings:
            continue
        comments = {s.person: s.comments[row] for s in returned.sheets if row in s.comments}
        voted = consensus(list(ratings.values()), merge)
        decided = voted.adjudicate and row in decisions
        if decided:
            voted = Consensus(decisions[row], adjudicate=False)
        rated.append(Rated(entry, unit, voted, ratings, comments, decided))
    return tuple(rated)


def _notes(
    population: Population, key: Key, returned: Returned, rated: tuple[Rated, ...]
) -> list[str]:
    notes = []
    if key.stratify == "score":
        notes.append(
            "The sample is stratified by the judge's score: κ, shares and Sem.Acc are weighted to "
            "the run, α and the confusion matrix are of the sample as drawn."
        )
    if population.repeated:
        notes.append(
            "Some translations share an expression (groups or repeats): the corrected Sem.Acc's "
            "interval takes them as independent and is too narrow by that."
        )
    if unrated := len(key.rows) - len(rated):
        notes.append(
            f"{unrated} of {len(key.rows)} sampled translations have no rating; the estimates take "
            "the others for a random part."
        )
    if returned.absent:
        who = ", ".join(map(str, returned.absent))
        notes.append(f"No rating came back from rater {who}.")
    return notes
