"""Checked against known truths: intervals cover in 93 to 97% of trials, tests err in at most 5.5%.

The population of each simulation is a table of cell probabilities, so the true value of a metric
is the metric of that table. Seeds are fixed.
"""

from __future__ import annotations

import numpy as np
import pytest

from mouse.comparison.aligned import Aligned
from mouse.metrics.agreement import kappa_from_counts
from mouse.metrics.balanced_accuracy import BALANCED_ACCURACY
from mouse.metrics.exact import mcnemar_exact
from mouse.metrics.f1 import F1
from mouse.metrics.macro_f1 import MACRO_F1
from mouse.metrics.mcc import MCC
from mouse.metrics.paired import PairedRows, metric_values, permutation_p, swapped_counts
from mouse.metrics.resampling import (
    ClusterKinds,
    cluster_kinds,
    percentile_interval,
    resample_counts,
)
from mouse.metrics.sem_acc import SEM_ACC
from mouse.scoring.task_tables import TaskTables
from mouse.tasks.registry import get_task

TRIALS = 800
RESAMPLES = 600


def confusion_population(k: int, right: float, invalid: float = 0.04) -> np.ndarray:
    """(K, K + 1) cell probabilities: unequal classes, hits with probability `right`, rest spread."""
    shares = np.arange(k, 0, -1) / np.arange(k, 0, -1).sum()
    p = np.full((k, k), (1 - right - invalid) / (k - 1))
    np.fill_diagonal(p, right)
    return shares[:, None] * np.column_stack([p, np.full(k, invalid)])


def coverage(population: np.ndarray, metric, n: int, seed: int = 0) -> float:
    """Share of `TRIALS` samples of n whose interval holds the population's value."""
    truth = float(metric(population))
    rng = np.random.default_rng(seed)
    flat = population.ravel()
    hits = 0
    for counts in rng.multinomial(n, flat, size=TRIALS):
        seen = np.flatnonzero(counts)
        kinds = ClusterKinds(np.eye(flat.size)[seen], counts[seen])
        drawn = resample_counts(kinds, RESAMPLES, rng).reshape(-1, *population.shape)
        low, high = percentile_interval(metric(drawn))
        hits += low <= truth <= high
    return hits / TRIALS


@pytest.mark.parametrize(
    ("metric", "k", "n"),
    [
        (F1, 2, 1099),
        (MCC, 4, 100),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                (MCC, 2, 1099),
                (BALANCED_ACCURACY, 2, 1099),
                (MACRO_F1, 2, 1099),
                (BALANCED_ACCURACY, 4, 400),
                (MACRO_F1, 4, 400),
            )
        ),
    ],
    ids=lambda x: getattr(x, "name", str(x)),
)
def test_bootstrap_interval_covers(metric, k, n):
    assert 0.93 <= coverage(confusion_population(k, 0.6), metric.from_counts, n) <= 0.97


def test_sem_acc_interval_covers():
    population = np.array([0.02, 0.05, 0.45, 0.1, 0.38, 0, 0])
    assert 0.93 <= coverage(population, SEM_ACC.from_counts, 1099) <= 0.97


def test_kappa_interval_covers_at_150_rated_units():
    population = np.array([[0.35, 0.06, 0.02], [0.05, 0.1, 0.07], [0.01, 0.06, 0.28]])
    assert 0.93 <= coverage(population, kappa_from_counts, 150) <= 0.97


def test_interval_over_clusters_covers_and_one_over_rows_does_not():
    """Four perturbations of an expression, mostly right or wrong together."""
    rng = np.random.default_rng(5)
    truth, n, size = 0.6, 300, 4
    hits = {"clusters": 0, "rows": 0}
    for _ in range(TRIALS):
        base = rng.random(n) < truth
        own = rng.random((n, size)) < truth
        right = np.where(rng.random((n, size)) < 0.8, base[:, None], own).astype(int)
        for unit in hits:
            cluster = np.repeat(np.arange(n), size) if unit == "clusters" else np.arange(n * size)
            kinds = cluster_kinds(right.ravel(), cluster, 2)
            counts = resample_counts(kinds, RESAMPLES, rng)
            low, high = percentile_interval(counts[:, 1] / counts.sum(1))
            hits[unit] += low <= truth <= high
    assert 0.93 <= hits["clusters"] / TRIALS <= 0.97
    assert hits["rows"] / TRIALS < 0.8


def pair_of(task: str, cells: np.ndarray, shape: tuple[int, ...]) -> Aligned:
    """Two models' (2, n) cells as `align` would have aligned them."""
    n, width = cells.shape[1], int(np.prod(shape))
    cluster = np.arange(n)
    tables = tuple(TaskTables(task, row, cluster, (shape,)) for row in cells)
    kinds = cluster_kinds(
        np.concatenate([cells[0], cells[1] + width]), np.tile(cluster, 2), 2 * width
    )
    return Aligned(PairedRows(("a", "b"), cells, kinds), tables, {}, ())


def false_positive_rates(task: str, population: np.ndarray, alike: float, trials: int, n: int):
    """How often each metric's permutation test is at p ≤ 0.05 for two equally good models.

    Both draw from the same conditional distribution of answers; on a share `alike` of the items
    they say the same.
    """
    rng = np.random.default_rng(11)
    columns = [
        c for c in get_task(task).columns if c.metric.name not in ("judge_coverage", "copy_rate")
    ]
    rejected = np.zeros(len(columns))
    shape = population.shape if task == "tr" else (len(population), population.shape[1] + 1)
    for _ in range(trials):
        if task == "tr":
            cells = rng.choice(population.size, p=population, size=(2, n))
        else:
            gold = rng.choice(len(population), p=population.sum(1), size=n)
            given = population / population.sum(1, keepdims=True)
            answers = (rng.random((2, n, 1)) > given.cumsum(1)[gold]).sum(-1)
            cells = gold * shape[1] + answers
        cells[1] = np.where(rng.random(n) < alike, cells[0], cells[1])
        aligned = pair_of(task, cells, shape)
        rows, metrics = aligned.rows, aligned.metrics([column.name for column in columns])
        values = metric_values(rows, metrics, rows.kinds.total[None])[..., 0]
        swapped = swapped_counts(rows, 199, rng)
        for m, metric in enumerate(metrics):
            difference = float(values[0, m] - values[1, m])
            rejected[m] += permutation_p(rows, metric, 0, 1, swapped, difference) <= 0.05
    return dict(zip([c.name for c in columns], rejected / trials, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "population", "n"),
    [
        ("td", confusion_population(2, 0.65), 120),
        ("ir", confusion_population(4, 0.4), 80),
        ("tr", np.array([0.02, 0.05, 0.45, 0.1, 0.38, 0, 0]), 120),
    ],
    ids=["td", "ir", "tr"],
)
def test_permutation_tests_reject_true_hypotheses_in_at_most_one_of_twenty(task, population, n):
    rates = false_positive_rates(task, population, alike=0.4, trials=1200, n=n)
    assert max(rates.values()) <= 0.055
    assert max(rates.values()) >= 0.035  # and are not idle


def test_a_permutation_test_rejects_a_true_hypothesis_seldom():
    """The quick form of the above: 5% of 150 trials are 7.5, and over 15 in one of 200 cases."""
    population = confusion_population(2, 0.65)
    rates = false_positive_rates("td", population, alike=0.4, trials=150, n=120)
    assert 0 < max(rates.values()) <= 0.1


def test_mcnemar_never_exceeds_its_level():
    """Computed, not simulated: for every number of discordant pairs up to 40, and three more."""
    from scipy.stats import binom

    for m in (*range(1, 41), 60, 100, 200):
        p = np.array([mcnemar_exact(b, m - b) for b in range(m + 1)])
        assert binom.pmf(np.arange(m + 1), m, 0.5)[p <= 0.05].sum() <= 0.05 + 1e-12


def coverage_of_a_difference(alike: float, trials: int) -> float:
    """Two models of different quality that share part of their answers; MCC's difference."""
    rng = np.random.default_rng(3)
    good, poor = confusion_population(2, 0.7), confusion_population(2, 0.55)
    n, shape = 400, (2, 4)
    mixed = alike * good + (1 - alike) * poor
    truth = float(MCC.from_counts(good) - MCC.from_counts(mixed))
    column = next(c for c in get_task("td").columns if c.name == "td/mcc")
    hits = 0
    for _ in range(trials):
        gold = rng.choice(2, p=good.sum(1), size=n)
        cells = np.empty((2, n), dtype=np.int64)
        for m, population in enumerate((good, poor)):
            given = population / population.sum(1, keepdims=True)
            cells[m] = gold * 4 + (rng.random((n, 1)) > given.cumsum(1)[gold]).sum(-1)
        cells[1] = np.where(rng.random(n) < alike, cells[0], cells[1])
        aligned = pair_of("td", cells, shape)
        counts = resample_counts(aligned.rows.kinds, RESAMPLES, rng)
        replicates = metric_values(aligned.rows, aligned.metrics([column.name]), counts)[:, 0]
        low, high = percentile_interval(replicates[0] - replicates[1])
        hits += low <= truth <= high
    return hits / trials


@pytest.mark.slow
@pytest.mark.parametrize("alike", [0.0, 0.5])
def test_interval_of_a_paired_difference_covers(alike):
    assert 0.93 <= coverage_of_a_difference(alike, TRIALS) <= 0.97


def test_interval_of_a_paired_difference_covers_mostly():
    """The quick form of the above: of 100 trials 95, give or take 6."""
    assert coverage_of_a_difference(0.5, 100) >= 0.89
