"""Paired comparisons: the tests agree with scipy, pair rows, and refuse what is not a pair."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mouse.comparison.aligned import Answers
from mouse.comparison.compare import Settings, compare_models
from mouse.contracts import Outcome, Prediction, Verdict
from mouse.corpus.items import COMPONENTS, INTENTS
from mouse.scoring.score import score_task

ACC = Settings(("td/acc",))


def model(task="td", *, right=0.6, seed=0, n=300, gold_seed=99, names=None, labels=None):
    """Predictions right with probability `right`, else any label; gold is shared by seed."""
    labels = labels or {"ir": INTENTS, "ms": "ABCD", "cc": "ABCD"}.get(task, ("0", "1"))
    gold_rng, rng = np.random.default_rng(gold_seed), np.random.default_rng(seed)
    rows, verdicts = [], []
    for i in range(n):
        for variant in COMPONENTS if task == "rc" else ("",):
            gold = labels[gold_rng.integers(len(labels))]
            guess = gold if rng.random() < right else labels[rng.integers(len(labels))]
            rows.append(Prediction(f"i{i}", variant, gold, guess, Outcome.VALID, guess, task))
        if task == "tr":
            verdicts.append(
                Verdict(f"i{i}", int(rng.choice(3, p=[1 - right, 0.1, right - 0.1])), "j", "judged")
            )
    return Answers(tuple(rows), tuple(verdicts))


def compare(task, **runs):
    result = compare_models(task, runs, {}, Settings(resamples=2000, permutations=2000))
    return result, {(c.metric, c.a, c.b): c for c in result.comparisons}


@pytest.mark.parametrize("task", ["tr", "rc", "ir", "td", "ms", "cc"])
def test_values_are_those_of_the_single_runs_and_differences_their_differences(task):
    a, b = model(task, seed=1), model(task, seed=2, right=0.5)
    _, found = compare(task, a=a, b=b)
    single = [
        {
            v.name: v.value
            for v in score_task(task, m.predictions, verdicts=m.verdicts, clusters={}, resamples=10)
        }
        for m in (a, b)
    ]
    for (name, *_), c in found.items():
        assert (c.value_a, c.value_b) == pytest.approx((single[0][name], single[1][name]))
        assert c.difference == pytest.approx(c.value_a - c.value_b)
        assert c.lo <= c.difference <= c.hi
        assert 0 < c.p_value <= 1
        assert c.status == "tested"


def test_accuracy_uses_mcnemar_and_agrees_with_its_own_count():
    from scipy.stats import binomtest

    a, b = model(seed=1), model(seed=2)
    _, found = compare("td", a=a, b=b)
    c = found["td/acc", "a", "b"]
    pairs = [
        (p.predicted == p.gold, q.predicted == q.gold)
        for p, q in zip(a.predictions, b.predictions, strict=True)
    ]
    only_a = sum(p and not q for p, q in pairs)
    only_b = sum(q and not p for p, q in pairs)
    assert c.test.startswith("McNemar")
    assert c.p_value == pytest.approx(binomtest(only_a, only_a + only_b).pvalue)
    assert c.ties == 300 - only_a - only_b


def test_permutation_test_agrees_with_scipys():
    """The same exchange of whole rows, done by scipy on row vectors, for MCC."""
    from scipy.stats import permutation_test
    from sklearn.metrics import matthews_corrcoef

    a, b = model(seed=1, right=0.55, n=150), model(seed=8, right=0.35, n=150)
    _, found = compare("td", a=a, b=b)
    gold = np.array([int(p.gold) for p in a.predictions])
    x, y = (np.array([int(p.predicted) for p in m.predictions]) for m in (a, b))

    def statistic(first, second):
        return matthews_corrcoef(gold, first) - matthews_corrcoef(gold, second)

    theirs = permutation_test(
        (x, y), statistic, permutation_type="samples", n_resamples=1000, vectorized=False,
        rng=np.random.default_rng(0),
    ).pvalue  # fmt: skip
    ours = found["td/mcc", "a", "b"].p_value
    assert 0.001 < theirs < 0.9
    assert ours == pytest.approx(theirs, abs=4 * math.sqrt(theirs * (1 - theirs) / 700) + 0.002)


def test_difference_interval_agrees_with_scipys_paired_bootstrap():
    from scipy.stats import bootstrap

    a, b = model("tr", seed=1), model("tr", seed=2, right=0.5)
    _, found = compare("tr", a=a, b=b)
    x, y = (np.array([v.score for v in m.verdicts]) / 2 for m in (a, b))
    theirs = bootstrap(
        (x, y),
        lambda p, q, axis: (p - q).mean(axis),
        paired=True,
        method="percentile",
        n_resamples=9999,
        rng=np.random.default_rng(0),
    ).confidence_interval
    c = found["tr/sem_acc", "a", "b"]
    width = theirs.high - theirs.low
    assert (c.lo, c.hi) == pytest.approx((theirs.low, theirs.high), abs=0.06 * width)


def test_pairing_narrows_the_interval_of_models_that_err_alike():
    a = model(seed=1)
    flip = {"0": "1", "1": "0"}
    rows = [
        Prediction(p.item_id, "", p.gold, flip[p.predicted] if i % 20 == 0 else p.predicted, p.outcome, None, "td")
        for i, p in enumerate(a.predictions)
    ]  # fmt: skip
    _, alike = compare("td", a=a, b=Answers(rows))
    _, apart = compare("td", a=a, b=model(seed=2))
    one, two = alike["td/acc", "a", "b"], apart["td/acc", "a", "b"]
    assert one.hi - one.lo < 0.6 * (two.hi - two.lo)
    assert one.detectable < 0.6 * two.detectable


@pytest.mark.parametrize("task", ["tr", "rc", "ir", "td", "cc"])
def test_a_model_against_itself_is_all_ties_and_never_significant(task):
    a = model(task)
    result, found = compare(task, a=a, b=a)
    for c in found.values():
        assert (c.difference, c.lo, c.hi, c.p_value) == (0, 0, 0, 1)
        assert c.ties == c.n_paired
    assert all(r.letters["a"] == r.letters["b"] == "a" for r in result.rankings)


def test_swapping_the_models_swaps_the_sign_only():
    a, b = model("ir", seed=1), model("ir", seed=2, right=0.5)
    _, forward = compare("ir", a=a, b=b)
    _, backward = compare("ir", b=b, a=a)
    for name in ("ir/bal_acc", "ir/macro_f1", "ir/mcc"):
        x, y = forward[name, "a", "b"], backward[name, "b", "a"]
        assert x.difference == pytest.approx(-y.difference)
        assert (x.lo, x.hi) == pytest.approx((-y.hi, -y.lo), abs=0.02)
        assert x.p_value == pytest.approx(y.p_value, abs=0.03)


def test_hundred_items_get_an_exact_interval_and_more_do_not():
    _, few = compare("cc", a=model("cc", n=100, seed=1), b=model("cc", n=100, seed=2))
    c = few["cc/acc", "a", "b"]
    assert c.exact_lo < c.difference < c.exact_hi
    _, many = compare("cc", a=model("cc", n=300, seed=1), b=model("cc", n=300, seed=2))
    assert math.isnan(many["cc/acc", "a", "b"].exact_lo)


def test_rows_without_partner_and_failed_rows_are_returned_and_not_compared():
    a, b = list(model(seed=1, n=50).predictions), list(model(seed=2, n=60).predictions)
    b[3] = Prediction("i3", "", b[3].gold, None, Outcome.FAILED, None, "td")
    result, found = compare("td", a=Answers(a), b=Answers(b))
    assert result.unpaired["a"] == ()
    assert result.unpaired["b"] == tuple((f"i{i}", "", 0) for i in range(50, 60))
    assert result.failed == (("i3", "", 0),)
    assert found["td/acc", "a", "b"].n_paired == 49


@pytest.mark.parametrize("task", ["rc", "tr"])
def test_a_failed_row_is_named_rightly_where_rows_are_reordered(task):
    a, b = model(task, n=20), model(task, n=20, seed=3)
    rows = list(b.predictions)[::-1]
    target = next(i for i, p in enumerate(rows) if p.item_id == "i7")
    old = rows[target]
    rows[target] = Prediction(old.item_id, old.variant, old.gold, None, Outcome.FAILED, None, task)
    result, _ = compare(task, a=a, b=Answers(rows, b.verdicts))
    assert result.failed == ((old.item_id, old.variant, 0),)


def test_order_of_rows_does_not_matter():
    a, b = model("rc", seed=1), model("rc", seed=2)
    _, forward = compare("rc", a=a, b=b)
    _, shuffled = compare("rc", a=Answers(a.predictions[::-1]), b=b)
    assert forward == shuffled


def test_nothing_in_common_is_no_pairs_and_not_a_p_value():
    a = model(n=5)
    b = Answers([Prediction("other", "", "1", "1", Outcome.VALID, None, "td")])
    result, found = compare("td", a=a, b=b)
    assert {c.status for c in found.values()} == {"no_pairs"}
    assert all(math.isnan(c.p_value) and math.isnan(c.p_holm) for c in found.values())
    assert len(result.unpaired["a"]) == 5


def test_clustered_rows_are_tested_by_clusters_not_by_mcnemar():
    """Rows doubled within clusters must not look like twice the evidence."""
    a, b = model(seed=1, n=80), model(seed=2, n=80, right=0.35)

    def double(m):
        return Answers(
            [Prediction(p.item_id + s, "", p.gold, p.predicted, p.outcome, None, "td") for p in m.predictions for s in "xy"]
        )  # fmt: skip

    clusters = {f"i{i}{s}": f"i{i}" for i in range(80) for s in "xy"}
    runs = {"a": double(a), "b": double(b)}
    doubled = compare_models("td", runs, clusters, Settings(("td/acc",), permutations=5000))
    (c,) = doubled.comparisons
    assert c.test.startswith("paired permutation over clusters")
    assert (c.n_paired, c.n_clusters) == (160, 80)
    single = compare_models("td", {"a": a, "b": b}, {}, ACC).comparisons[0]
    assert c.p_value == pytest.approx(single.p_value, abs=0.03)


def test_ranking_orders_models_and_letters_follow_holm():
    result = compare_models(
        "td",
        {
            "good": model(seed=1, right=0.9),
            "same": model(seed=4, right=0.88),
            "poor": model(seed=2, right=0.2),
        },
        {},
        ACC,
    )
    (ranking,) = result.rankings
    assert ranking.order[-1] == "poor"
    assert ranking.letters == {"good": "a", "same": "a", "poor": "b"}
    assert ranking.family == "td/acc, all 3 pairs of 3 models"
    assert all(c.p_holm >= c.p_value for c in result.comparisons)


def test_different_data_unknown_metrics_and_single_models_are_refused():
    with pytest.raises(ValueError, match="not on the same data"):
        compare("td", a=model(), b=model(gold_seed=1))
    with pytest.raises(ValueError, match="no metric 'td/kappa'"):
        compare_models("td", {"a": model(), "b": model()}, {}, Settings(("td/kappa",)))
    with pytest.raises(ValueError, match="at least two"):
        compare("td", a=model())
    with pytest.raises(ValueError, match="twice"):
        compare("td", a=model(), b=Answers(model().predictions * 2))
