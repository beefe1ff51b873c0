"""Judge against people on a sample with known weights: κ, equal ratings, marginals, corrected score.

A sample stratified by the judge's score has that score's shares by design, so everything is
estimated for the run's judged translations: each stratum counts as often as it occurs there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mouse.annotation.translations.units import SCORES, UnitKey
from mouse.metrics.agreement import Agreement, kappa_from_counts, landis_koch
from mouse.metrics.resampling import cluster_kinds, percentile_interval, resample_counts
from mouse.metrics.tables import FloatArray, IntArray

_V = len(SCORES)


@dataclass(frozen=True)
class Share:
    """A share in [0, 1] with its bootstrap interval."""

    value: float
    lo: float
    hi: float


@dataclass(frozen=True)
class AgainstJudge:
    """The judge against one list of human ratings.

    `confusion`: (3, 3) numbers of rated translations, judge's scores down, people's across.
    `raw`, `judge_shares`, `human_shares`: equal ratings and shares of 0, 1, 2 in the population.
    """

    qwk: Agreement
    raw: Share
    judge_shares: tuple[Share, ...]
    human_shares: tuple[Share, ...]
    confusion: tuple[tuple[int, ...], ...]


def against_judge(
    judge: Sequence[int],
    human: Sequence[int],
    *,
    strata: Sequence[str],
    sizes: Mapping[str, int],
    clusters: Sequence[str],
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> AgainstJudge:
    """Agreement of paired scores 0, 1, 2, weighted to the population.

    `strata`: (n,) stratum of each unit, `sizes`: stratum → units of it in the population. With one
    stratum the value and interval are `metrics.agreement.weighted_kappa`'s, clusters drawn
    together. With several, each is resampled by itself and its size as a draw from the population
    (units apart). Undefined, with the reason, without variation, without units, and where a
    stratum of the population has no rated unit.
    """
    a, b = np.asarray(judge, dtype=np.int64), np.asarray(human, dtype=np.int64)
    n = len(a)
    confusion = np.bincount(a * _V + b, minlength=_V * _V) if n else np.zeros(_V * _V, int)
    unseen = sorted(set(sizes) - set(strata))
    rng = np.random.default_rng(seed)
    if not n or unseen:
        counts, replicates = np.full(_V * _V, np.nan), np.full((1, _V * _V), np.nan)
        method = ""
    elif len(sizes) == 1:
        codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
        kinds = cluster_kinds(a * _V + b, codes, _V * _V)
        counts, replicates = kinds.total, resample_counts(kinds, resamples, rng)
        method = f"percentile bootstrap over {kinds.n_clusters} units"
    else:
        counts, replicates = _stratified(a * _V + b, np.asarray(strata), sizes, resamples, rng)
        method = f"weighted by stratum; percentile bootstrap within {len(sizes)} strata"
    if method:
        method += f", {resamples} resamples, seed {seed}"
    table, tables = counts.reshape(_V, _V), replicates.reshape(-1, _V, _V)
    raw = _share(np.trace(table), np.trace(tables, axis1=1, axis2=2), table, tables, confidence)
    value = float(kappa_from_counts(table))
    note = ""
    if not n:
        note = "undefined: no unit was rated"
    elif unseen:
        note = f"undefined: no translation that the judge scored {unseen[0]} was rated"
    elif np.isnan(value):
        note = "undefined: judge and people gave every unit the same rating"
    draws = kappa_from_counts(tables)
    low, high = (np.nan, np.nan) if note else percentile_interval(draws, confidence)
    left_out = int(np.isnan(draws).sum())
    if not note and left_out:
        note_ok = f"{left_out} resamples without variation were left out"
    else:
        note_ok = note
    return AgainstJudge(
        Agreement(
            "qwk",
            value,
            float(low),
            float(high),
            n,
            raw.value,
            "undefined" if note else "ok",
            landis_koch(value),
            method,
            note_ok,
        ),
        raw,
        _marginals(table.sum(1), tables.sum(2), table, tables, confidence),
        _marginals(table.sum(0), tables.sum(1), table, tables, confidence),
        tuple(tuple(int(x) for x in row) for row in confusion.reshape(_V, _V)),
    )


def _stratified(
    cells: IntArray,
    strata: np.ndarray,
    sizes: Mapping[str, int],
    resamples: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Population counts of the cells, (C,), and (R, C) bootstrap replicates of them."""
    names = sorted(sizes)
    size = np.array([sizes[name] for name in names], dtype=float)
    drawn_sizes = rng.multinomial(int(size.sum()), size / size.sum(), size=resamples)
    counts = np.zeros(_V * _V)
    replicates = np.zeros((resamples, _V * _V))
    for index, name in enumerate(names):
        own = np.bincount(cells[strata == name], minlength=_V * _V).astype(float)
        rated = int(own.sum())
        counts += own * size[index] / rated
        again = rng.multinomial(rated, own / rated, size=resamples)
        replicates += again * (drawn_sizes[:, index] / rated)[:, None]
    return counts, replicates


def _marginals(
    part: FloatArray, parts: FloatArray, table: FloatArray, tables: FloatArray, confidence: float
) -> tuple[Share, ...]:
    return tuple(_share(part[v], parts[:, v], table, tables, confidence) for v in range(_V))


def _share(
    part: float, parts: FloatArray, table: FloatArray, tables: FloatArray, confidence: float
) -> Share:
    low, high = percentile_interval(parts / tables.sum((1, 2)), confidence)
    return Share(float(part / table.sum()), low, high)


@dataclass(frozen=True)
class Corrected:
    """Sem.Acc corrected by people's ratings, over all scored translations, beside the raw one.

    `human_only`: from the ratings alone. `judge_bias`: judge minus people. All in [0, 1] but the
    bias. `n_human` of `n_judged` translations that met the judge were rated; `n_scored` counts
    those that score 0 by rule too.
    """

    value: float
    lo: float
    hi: float
    raw: float
    raw_lo: float
    raw_hi: float
    human_only: float
    judge_bias: float
    n_human: int
    n_judged: int
    n_scored: int
    status: Literal["ok", "undefined"]
    method: str
    note: str = ""


def corrected_score(
    human: Mapping[UnitKey, int],
    judge: Mapping[UnitKey, int],
    scored: int,
    *,
    stratified: bool,
    confidence: float = 0.95,
) -> Corrected:
    """`metrics.correct.corrected_sem_acc` of the judged translations, times their share of `scored`.

    The others are 0 whoever rates them, so they only scale: value p·m, variance
    p²·var(m) + m²·p(1-p)/scored (independent parts). Where people rated every judged translation
    there is nothing to correct: the value is their mean.
    """
    from scipy.special import ndtri

    from mouse.metrics.correct import corrected_sem_acc

    z = float(ndtri((1 + confidence) / 2))
    p = len(judge) / scored
    found = corrected_sem_acc(
        human,
        judge,
        sampling="stratified" if stratified else "random",
        confidence=confidence,
    )
    mean, error = found.value, (found.hi - found.lo) / (2 * z)
    method, note = found.method, found.note
    if len(human) > 1 and len(human) == len(judge):
        ratings = np.array(list(human.values()), dtype=float) / 2
        mean, error = float(ratings.mean()), float(ratings.std(ddof=1) / len(ratings) ** 0.5)
        method, note = "people rated every judged translation, normal interval", ""
    value, low, high = _scaled(mean, error, p, scored, z)
    raw, raw_low, raw_high = _scaled(found.raw, (found.raw_hi - found.raw) / z, p, scored, z)
    judge_bias = found.judge_bias
    human_only = p * found.human_only
    if stratified:
        # Plain means of a stratified sample are of no population.
        judge_bias, human_only = found.raw - mean, value
    if p < 1 and not note:
        method += f"; {p:.1%} of the scored translations met the judge, the others are 0"
    return Corrected(
        value,
        low,
        high,
        raw,
        raw_low,
        raw_high,
        human_only,
        judge_bias,
        len(human),
        len(judge),
        scored,
        "undefined" if note else "ok",
        method,
        note,
    )


def _scaled(mean: float, error: float, p: float, n: int, z: float) -> tuple[float, float, float]:
    value = p * mean
    spread = z * (p**2 * error**2 + mean**2 * p * (1 - p) / n) ** 0.5
    if np.isnan(value):
        return value, value, value
    return value, max(0.0, value - spread), min(1.0, value + spread)
