"""Estimates are of the run, not of the sample: weights undo stratification; intervals cover."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mouse.metrics.agreement import kappa_from_counts, weighted_kappa
from mouse.metrics.correct import corrected_sem_acc
from mouse.metrics.judge_agreement import against_judge

JOINT = np.array([[0.30, 0.03, 0.01], [0.04, 0.06, 0.02], [0.04, 0.10, 0.40]])
"""P(judge, people): a judge that is too kind."""
SIZES = {"0": 340, "1": 120, "2": 540}


def pairs(rng, n):
    cells = rng.choice(9, p=JOINT.ravel(), size=n)
    return cells // 3, cells % 3


def test_a_simple_random_sample_gives_weighted_kappas_value_and_interval():
    judge, human = pairs(np.random.default_rng(0), 120)
    clusters = [f"c{i // 2}" for i in range(120)]
    found = against_judge(
        judge, human, strata=["all"] * 120, sizes={"all": 500}, clusters=clusters, resamples=500
    )
    same = weighted_kappa(
        judge.tolist(),
        human.tolist(),
        clusters=[i // 2 for i in range(120)],
        resamples=500,
    )
    assert (found.qwk.value, found.qwk.lo, found.qwk.hi) == pytest.approx(
        (same.value, same.lo, same.hi)
    )
    assert found.qwk.band == same.band
    assert found.raw.value == pytest.approx(same.raw_agreement)
    assert found.raw.lo < found.raw.value < found.raw.hi
    assert sum(share.value for share in found.human_shares) == pytest.approx(1)
    assert sum(map(sum, found.confusion)) == 120


@pytest.mark.slow
def test_a_stratified_sample_estimates_the_runs_kappa_where_plain_kappa_is_biased():
    rng = np.random.default_rng(1)
    judge = np.repeat([0, 1, 2], [340, 120, 540])
    truth = float(kappa_from_counts(JOINT))
    weighted, plain, covered = [], [], 0
    trials = 200
    for trial in range(trials):
        human = np.array([rng.choice(3, p=JOINT[j] / JOINT[j].sum()) for j in judge])
        chosen = np.concatenate(
            [rng.choice(np.flatnonzero(judge == s), 60, False) for s in range(3)]
        )
        found = against_judge(
            judge[chosen],
            human[chosen],
            strata=[str(j) for j in judge[chosen]],
            sizes=SIZES,
            clusters=[str(i) for i in chosen],
            resamples=300,
            seed=trial,
        )
        weighted.append(found.qwk.value)
        covered += found.qwk.lo <= truth <= found.qwk.hi
        table = np.bincount(judge[chosen] * 3 + human[chosen], minlength=9).reshape(3, 3)
        plain.append(float(kappa_from_counts(table.astype(float))))
        assert [share.value for share in found.judge_shares] == pytest.approx([0.34, 0.12, 0.54])
    error = np.std(weighted) / trials**0.5
    assert abs(np.mean(weighted) - truth) < 4 * error + 0.005
    assert abs(np.mean(plain) - truth) > 10 * error
    # 95% nominal, 200 trials: three standard errors are 4.6 points.
    assert 0.90 <= covered / trials <= 0.995


@pytest.mark.slow
@pytest.mark.parametrize("stratified", [False, True])
def test_the_corrected_scores_interval_covers_and_the_raw_one_does_not(stratified):
    """The run is a sample of all that could be translated; a sixth of it is 0 by rule."""
    rng = np.random.default_rng(3)
    p_judged = 1000 / 1200
    truth = p_judged * float(JOINT.sum(0) @ [0, 0.5, 1])
    covered = raw_covered = human_between = 0
    trials = 1500
    for _ in range(trials):
        judged = int(rng.binomial(600, p_judged))
        judge, human = pairs(rng, judged)
        if stratified:
            chosen = np.concatenate(
                [rng.permutation(np.flatnonzero(judge == s))[:40] for s in range(3)]
            )
        else:
            chosen = rng.permutation(judged)[:120]
        found = corrected_sem_acc(
            {(str(i), 0): int(human[i]) for i in chosen},
            {(str(i), 0): int(judge[i]) for i in range(judged)},
            600,
            sampling="stratified" if stratified else "random",
        )
        covered += found.lo <= truth <= found.hi
        raw_covered += found.raw_lo <= truth <= found.raw_hi
        human_between += found.judge_bias > 0
    assert 0.93 <= covered / trials <= 0.97
    assert raw_covered / trials < 0.7
    assert human_between / trials > 0.95


def test_rating_everything_leaves_nothing_to_correct():
    human = {(str(i), 0): i % 3 for i in range(30)}
    judge = {(str(i), 0): min(2, i % 3 + 1) for i in range(30)}
    found = corrected_sem_acc(human, judge, 40)
    assert found.status == "ok"
    assert found.value == pytest.approx(0.75 * 0.5)
    assert found.raw == pytest.approx(0.75 * (0.5 + 1 + 1) / 3)
    assert "every judged translation" in found.method


def test_what_cannot_be_told_says_why():
    same = against_judge(
        [2] * 5, [2] * 5, strata=["all"] * 5, sizes={"all": 9}, clusters=list("abcde")
    )
    assert math.isnan(same.qwk.value)
    assert same.qwk.note == "undefined: judge and people gave every unit the same rating"
    assert same.raw.value == 1
    unseen = against_judge(
        [2, 2], [2, 1], strata=["2", "2"], sizes={"0": 3, "2": 9}, clusters=["a", "b"]
    )
    assert unseen.qwk.note == "undefined: no translation that the judge scored 0 was rated"
    assert math.isnan(unseen.qwk.value) and math.isnan(unseen.raw.value)
    none = against_judge([], [], strata=[], sizes={"all": 3}, clusters=[])
    assert none.qwk.note == "undefined: no unit was rated"
    few = corrected_sem_acc({("a", 0): 1}, {("a", 0): 1, ("b", 0): 2, ("c", 0): 0}, 3)
    assert few.status == "undefined" and "1 units rated" in few.note
