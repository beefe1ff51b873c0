"""Checked against known truths: intervals cover in 93 to 97% of trials, tests err in at most 5.5%.

The population of each simulation is a table of cell probabilities, so the true value of a metric
is the metric of that table. Seeds are fixed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from mouse.contracts import Outcome, Prediction, Verdict
from mouse.corpus.items import INTENTS
from mouse.metrics.agreement import kappa_from_counts
from mouse.metrics.balanced_accuracy import BALANCED_ACCURACY
from mouse.metrics.f1 import F1
from mouse.metrics.macro_f1 import MACRO_F1
from mouse.metrics.mcc import MCC
from mouse.metrics.mcnemar import mcnemar_exact
from mouse.metrics.paired import compare_models
from mouse.metrics.resampling import (
    ClusterKinds,
    cluster_kinds,
    percentile_interval,
    resample_counts,
)
from mouse.metrics.sem_acc import SEM_ACC
from mouse.scoring.result import Answers
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


def drawn(task: str, labels: Sequence[str], gold: np.ndarray, given: np.ndarray) -> Answers:
    """Answers with these indices of labels; one past the last label is an invalid answer."""
    rows = tuple(
        Prediction(f"i{number}", "", labels[g], None, Outcome.UNPARSEABLE, "", task)
        if a == len(labels)
        else Prediction(f"i{number}", "", labels[g], labels[a], Outcome.VALID, labels[a], task)
        for number, (g, a) in enumerate(zip(gold.tolist(), given.tolist(), strict=True))
    )
    return Answers(rows)


def judged(scores: np.ndarray) -> Answers:
    """Translations with these scores."""
    rows = [
        Prediction(f"i{number}", "", "参考", "译文", Outcome.VALID, "译文", "tr")
        for number in range(len(scores))
    ]
    verdicts = [
        Verdict(f"i{number}", score, "j", "judged") for number, score in enumerate(scores.tolist())
    ]
    return Answers(tuple(rows), tuple(verdicts))


def answers(population: np.ndarray, gold: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One model's answers to items of these classes, from the population's rows."""
    given = population / population.sum(1, keepdims=True)
    return (rng.random((len(gold), 1)) > given.cumsum(1)[gold]).sum(-1)


def pair(
    task: str, population: np.ndarray, n: int, alike: float, rng: np.random.Generator
) -> dict[str, Answers]:
    """Two equally good models, which on a share `alike` of the n items say the same."""
    same = rng.random(n) < alike
    if task == "tr":
        a, b = rng.choice(len(population), p=population, size=(2, n))
        return {"a": judged(a), "b": judged(np.where(same, a, b))}
    labels = INTENTS if task == "ir" else ("0", "1")
    # Labels that nobody is asked about and nobody gives stay out of every macro average.
    labels = labels[: len(population)]
    gold = rng.choice(len(population), p=population.sum(1), size=n)
    a, b = answers(population, gold, rng), answers(population, gold, rng)
    return {
        "a": drawn(task, labels, gold, a),
        "b": drawn(task, labels, gold, np.where(same, a, b)),
    }


def false_positive_rates(
    task: str, population: np.ndarray, alike: float, trials: int, n: int
) -> list[float]:
    """How often each metric's permutation test is at p ≤ 0.05 for two equally good models."""
    rng = np.random.default_rng(11)
    rejected: Counter[str] = Counter()
    # Shares of right answers have an exact test instead, and its own test below.
    metrics = [
        column.name
        for column in get_task(task).columns
        if column.metric.compares_models and not column.metric.binomial
    ]
    for trial in range(trials):
        runs = pair(task, population, n, alike, rng)
        result = compare_models(
            task,
            runs,
            clusters={},
            metrics=metrics,
            resamples=1,
            permutations=199,
            seed=trial,
        )
        for one in result.comparisons:
            rejected[one.metric] += one.p_value <= 0.05
    return [rejected[name] / trials for name in metrics]


TASKS = pytest.mark.parametrize(
    ("task", "population", "n"),
    [
        ("td", confusion_population(2, 0.65), 120),
        ("ir", confusion_population(4, 0.4), 80),
        ("tr", np.array([0.12, 0.4, 0.48]), 240),
    ],
    ids=["td", "ir", "tr"],
)


@pytest.mark.slow
@TASKS
def test_permutation_tests_reject_true_hypotheses_in_at_most_one_of_twenty(task, population, n):
    rates = false_positive_rates(task, population, alike=0.4, trials=1200, n=n)
    assert max(rates) <= 0.055
    assert max(rates) >= 0.035  # and are not idle


def test_a_permutation_test_rejects_a_true_hypothesis_seldom():
    """The quick form of the above: 150 trials, in which 5% is at most 15 (99% of the time)."""
    rates = false_positive_rates("td", confusion_population(2, 0.65), alike=0.4, trials=150, n=60)
    assert 0 < max(rates) <= 0.1


def test_mcnemar_never_exceeds_its_level():
    """Computed, not simulated: for every number of discordant pairs up to 200."""
    from scipy.stats import binom

    for m in range(1, 201):
        p = np.array([mcnemar_exact(b, m - b) for b in range(m + 1)])
        assert binom.pmf(np.arange(m + 1), m, 0.5)[p <= 0.05].sum() <= 0.05 + 1e-12


def coverage_of_a_difference(alike: float, trials: int) -> float:
    """Two models of different quality that share part of their answers; MCC's difference."""
    rng = np.random.default_rng(3)
    good, poor = confusion_population(2, 0.7), confusion_population(2, 0.55)
    mixed = alike * good + (1 - alike) * poor
    truth = float(MCC.from_counts(good) - MCC.from_counts(mixed))
    n, hits = 400, 0
    for trial in range(trials):
        gold = rng.choice(2, p=good.sum(1), size=n)
        a, b = answers(good, gold, rng), answers(poor, gold, rng)
        b = np.where(rng.random(n) < alike, a, b)
        runs = {name: drawn("td", ("0", "1"), gold, said) for name, said in (("a", a), ("b", b))}
        [found] = compare_models(
            "td",
            runs,
            clusters={},
            metrics=["td/mcc"],
            resamples=RESAMPLES,
            permutations=1,
            seed=trial,
        ).comparisons
        hits += found.lo <= truth <= found.hi
    return hits / trials


@pytest.mark.slow
@pytest.mark.parametrize("alike", [0.0, 0.5])
def test_interval_of_a_paired_difference_covers(alike):
    assert 0.93 <= coverage_of_a_difference(alike, TRIALS) <= 0.97


def test_interval_of_a_paired_difference_covers_mostly():
    """The quick form of the above: of 100 trials 95, give or take 5."""
    assert coverage_of_a_difference(0.5, 100) >= 0.89
