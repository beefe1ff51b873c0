"""Judge against people on a sample with known weights: κ, equal ratings, marginals.

A sample stratified by the judge's score has that score's shares by design, so everything is
estimated for the run's judged translations: each stratum counts as often as it occurs there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mouse.metrics.agreement import SCORES, Agreement, coefficient, kappa_from_counts, undefined
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
    cells = np.asarray(judge, dtype=np.int64) * _V + np.asarray(human, dtype=np.int64)
    n = len(cells)
    confusion = np.bincount(cells, minlength=_V * _V).reshape(_V, _V)
    unseen = sorted(set(sizes) - set(strata))
    rng = np.random.default_rng(seed)
    why = ""
    if not n or unseen:
        counts, replicates = np.full(_V * _V, np.nan), np.full((1, _V * _V), np.nan)
        why = (
            f"no translation that the judge scored {unseen[0]} was rated"
            if n
            else "no unit was rated"
        )
        method = ""
    elif len(sizes) == 1:
        codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
        kinds = cluster_kinds(cells, codes, _V * _V)
        counts, replicates = kinds.total, resample_counts(kinds, resamples, rng)
        method = f"percentile bootstrap over {kinds.n_clusters} units"
    else:
        counts, replicates = _stratified(cells, np.asarray(strata), sizes, resamples, rng)
        method = f"weighted by stratum; percentile bootstrap within {len(sizes)} strata"
    if method:
        method += f", {resamples} resamples, seed {seed}"
    table, tables = counts.reshape(_V, _V), replicates.reshape(-1, _V, _V)
    everything = tables.sum((1, 2))

    def share(part: float, parts: FloatArray) -> Share:
        return Share(
            float(part / table.sum()), *percentile_interval(parts / everything, confidence)
        )

    raw = share(np.trace(table), np.trace(tables, axis1=1, axis2=2))
    value = float(kappa_from_counts(table))
    if not why and np.isnan(value):
        why = "judge and people gave every unit the same rating"
    if why:
        qwk = undefined("qwk", n, raw.value, why, method)
    else:
        draws = kappa_from_counts(tables)
        qwk = coefficient("qwk", value, draws, n, raw.value, method, confidence)
    return AgainstJudge(
        qwk,
        raw,
        tuple(share(table[v].sum(), tables[:, v].sum(1)) for v in SCORES),
        tuple(share(table[:, v].sum(), tables[:, :, v].sum(1)) for v in SCORES),
        tuple(tuple(map(int, row)) for row in confusion),
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
