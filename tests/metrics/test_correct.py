"""The corrected score covers the truth where the judge is biased and the raw one does not."""

from __future__ import annotations

import numpy as np
import pytest

from mouse.metrics.correct import corrected_sem_acc, ppi_mean, stratified_mean


def ratings(rng, n, shape=()):
    """Human 0/1/2 ratings, and those of a judge who gives one point too many to a third."""
    human = rng.choice(3, p=[0.45, 0.15, 0.4], size=(*shape, n))
    judge = np.where(rng.random((*shape, n)) < 0.33, np.minimum(human + 1, 2), human)
    return human, judge


TRUTH = (0.15 + 2 * 0.4) / 2


def test_estimate_and_interval_equal_ppi_python_at_the_same_weight():
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    rng = np.random.default_rng(0)
    human, judge = (x / 2 for x in ratings(rng, 1099))
    y, f, rest = human[:150], judge[:150], judge[150:]
    for weight in (0.0, 0.6, 1.0):
        estimate, error, used = ppi_mean(y, f, rest, weight=weight)
        low, high = ppi_mean_ci(y, f, rest, alpha=0.05, lam=weight)
        assert used == weight
        assert estimate == pytest.approx(ppi_mean_pointestimate(y, f, rest, lam=weight)[0])
        # theirs divides by n, ours by n - 1
        assert 2 * 1.959964 * error == pytest.approx((high - low)[0], rel=0.005)


def test_chosen_weight_is_ppi_pythons():
    from ppi_py import ppi_mean_pointestimate

    rng = np.random.default_rng(1)
    human, judge = (x / 2 for x in ratings(rng, 1099))
    estimate, error, weight = ppi_mean(human[:150], judge[:150], judge[150:])
    theirs = ppi_mean_pointestimate(human[:150], judge[:150], judge[150:])[0]
    assert 0.5 < weight < 1
    assert estimate == pytest.approx(theirs, abs=0.05 * error)


@pytest.mark.slow
@pytest.mark.parametrize("sampling", ["random", "stratified"])
def test_corrected_interval_covers_and_raw_does_not(sampling):
    rng = np.random.default_rng(7)
    covered = raw_covered = 0
    trials = 2000
    for _ in range(trials):
        human, judge = ratings(rng, 1099)
        if sampling == "random":
            chosen = rng.permutation(1099)[:150]
        else:
            chosen = np.concatenate(
                [rng.permutation(np.flatnonzero(judge == s))[:50] for s in range(3)]
            )
        result = corrected_sem_acc(
            {int(i): float(human[i]) for i in chosen},
            dict(enumerate(judge.tolist())),
            sampling=sampling,
        )
        covered += result.lo <= TRUTH <= result.hi
        raw_covered += result.raw_lo <= TRUTH <= result.raw_hi
    assert 0.93 <= covered / trials <= 0.97
    assert raw_covered / trials < 0.01


def test_correction_is_more_precise_than_people_alone():
    rng = np.random.default_rng(3)
    human, judge = ratings(rng, 1099)
    result = corrected_sem_acc(
        {i: float(human[i]) for i in range(150)}, dict(enumerate(judge.tolist()))
    )
    alone = 2 * 1.96 * (human[:150] / 2).std(ddof=1) / 150**0.5
    assert result.hi - result.lo < 0.8 * alone
    assert result.judge_bias > 0.05
    assert result.raw > result.value
    assert (result.n_human, result.n_judged) == (150, 1099)


def test_a_perfect_judge_is_trusted_fully_and_a_constant_one_not_at_all():
    rng = np.random.default_rng(0)
    human, _ = ratings(rng, 600)
    everyone = dict(enumerate(human.tolist()))
    rated = {i: float(human[i]) for i in range(100)}
    perfect = corrected_sem_acc(rated, everyone)
    assert perfect.value == pytest.approx(perfect.raw, abs=0.005)
    right = human / 2
    assert ppi_mean(right[:100], right[:100], right[100:])[2] > 0.8
    constant = corrected_sem_acc(rated, dict.fromkeys(range(600), 1))
    assert ppi_mean(right[:100], np.full(100, 0.5), np.full(500, 0.5))[2] == 0
    assert constant.value == pytest.approx(constant.human_only)


def test_stratified_mean_weighs_scores_by_their_share():
    human = np.array([0.0, 0.0, 1.0, 1.0])
    judge = np.array([0.0, 0.0, 1.0, 1.0])
    estimate, _ = stratified_mean(human, judge, np.array([0.0] * 4 + [1.0] * 12))
    assert estimate == pytest.approx(14 / 20)
    with pytest.raises(ValueError, match=r"scored 0\.5"):
        stratified_mean(human, judge, np.array([0.5]))


def test_too_few_ratings_are_undefined_and_unknown_units_refused():
    result = corrected_sem_acc({"a": 1}, {"a": 1, "b": 2, "c": 0})
    assert result.status == "undefined"
    assert np.isnan(result.value)
    assert result.raw == 0.5
    unseen = corrected_sem_acc(
        {"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 0, "d": 0}, sampling="stratified"
    )
    assert (unseen.status, unseen.note) == (
        "undefined",
        "undefined: no unit that the judge scored 0 was rated by people",
    )
    with pytest.raises(ValueError, match="no judge's score"):
        corrected_sem_acc({"x": 1}, {"a": 1})
