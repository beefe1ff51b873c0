"""`score_task`: names, values, intervals, bounds and notes of whole tasks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mouse.contracts import Outcome, Prediction, Verdict
from mouse.corpus.items import COMPONENTS, INTENTS
from mouse.errors import UserError
from mouse.scoring.score import score_task
from mouse.tasks.registry import get_task


def prediction(item, gold, predicted, *, task="td", variant="", outcome=None, repeat=0):
    if outcome is None:
        outcome = Outcome.VALID if predicted is not None else Outcome.REFUSAL
    return Prediction(item, variant, gold, predicted, outcome, predicted, task, repeat)


def random_task(task, n=300, seed=0):
    """Predictions right about 60% of the time, with some refusals; verdicts for tr."""
    rng = np.random.default_rng(seed)
    labels = {"ir": INTENTS, "ms": "ABCD", "cc": "ABCD"}.get(task, ("0", "1"))
    predictions, verdicts = [], []
    for i in range(n):
        for variant in COMPONENTS if task == "rc" else ("",):
            gold = labels[rng.integers(len(labels))]
            guess = gold if rng.random() < 0.5 else labels[rng.integers(len(labels))]
            predictions.append(
                prediction(
                    f"i{i}",
                    gold,
                    None if rng.random() < 0.05 else guess,
                    task=task,
                    variant=variant,
                )
            )
        if task == "tr" and predictions[-1].outcome is Outcome.VALID:
            verdicts.append(Verdict(f"i{i}", int(rng.integers(3)), "judge", "judged"))
    return predictions, verdicts


def score(task, predictions, verdicts=(), clusters=None, **kwargs):
    kwargs.setdefault("resamples", 500)
    values = score_task(task, predictions, verdicts=verdicts, clusters=clusters or {}, **kwargs)
    return {value.name: value for value in values}


NAMES = {
    "tr": "sem_acc perfect_rate copy_rate score_0 score_1 score_2 judge_coverage",
    "rc": "bal_acc macro_f1 "
    + " ".join(f"{m}_{c}" for m in ("bal_acc", "macro_f1", "mcc") for c in COMPONENTS),
    "ir": "bal_acc macro_f1 acc mcc",
    "td": "acc f1 mcc precision recall",
    "ms": "acc mcc",
    "cc": "acc mcc",
}


@pytest.mark.parametrize("task", NAMES)
def test_every_task_reports_its_metrics_with_ordered_intervals(task):
    values = score(task, *random_task(task))
    metrics = {column.name: column.metric for column in get_task(task).columns}
    assert list(values) == [f"{task}/{name}" for name in NAMES[task].split()]
    assert set(get_task(task).headline_names) <= set(values)
    for name, value in values.items():
        assert value.lo <= value.value <= value.hi, name
        assert value.worst == value.best == pytest.approx(value.value)
        metric = metrics[name]
        assert (value.unit, value.higher_is_better) == (metric.unit, metric.higher_is_better)


@pytest.mark.parametrize("task", NAMES)
def test_result_depends_on_seed_and_not_on_order(task):
    predictions, verdicts = random_task(task)
    forward = score(task, predictions, verdicts)
    backward = score(task, predictions[::-1], verdicts[::-1])
    assert forward == backward
    other = score(task, predictions, verdicts, seed=1)
    head = get_task(task).headline_names[0]
    assert other[head].value == forward[head].value
    assert (other[head].lo, other[head].hi) != (forward[head].lo, forward[head].hi)


def test_interval_agrees_with_scipy_on_toxicity():
    """Percentile bootstrap of scipy, resampling row indices, on the same 300 rows."""
    from scipy.stats import bootstrap
    from sklearn.metrics import f1_score, matthews_corrcoef

    predictions, _ = random_task("td", n=300, seed=3)
    values = score("td", predictions, resamples=20_000)
    gold = np.array([int(p.gold) for p in predictions])
    predicted = np.array([int(p.predicted) if p.predicted else -1 for p in predictions])

    def f1(rows):
        return f1_score(gold[rows], predicted[rows], labels=[1], average="macro")

    def mcc(rows):
        return matthews_corrcoef(gold[rows], predicted[rows])

    for name, statistic in (("td/f1", f1), ("td/mcc", mcc)):
        theirs = bootstrap(
            (np.arange(300),),
            statistic,
            n_resamples=1_000,
            vectorized=False,
            method="percentile",
            rng=np.random.default_rng(0),
        ).confidence_interval
        width = theirs.high - theirs.low
        assert values[name].lo == pytest.approx(theirs.low, abs=0.08 * width)
        assert values[name].hi == pytest.approx(theirs.high, abs=0.08 * width)


def test_interval_agrees_with_scipy_on_vectorised_accuracy_and_sem_acc():
    from scipy.stats import bootstrap

    predictions, verdicts = random_task("tr", n=400, seed=5)
    value = score("tr", predictions, verdicts, resamples=20_000)["tr/sem_acc"]
    by_item = {v.item_id: v.score for v in verdicts}
    half = np.array([by_item.get(p.item_id, 0) / 2 for p in predictions])
    theirs = bootstrap(
        (half,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    width = theirs.high - theirs.low
    assert value.value == pytest.approx(half.mean())
    assert (value.lo, value.hi) == pytest.approx((theirs.low, theirs.high), abs=0.03 * width)


def test_repeats_of_an_item_do_not_pass_for_independent_items():
    once, _ = random_task("cc", n=100)
    five = [
        prediction(p.item_id, p.gold, p.predicted, task="cc", repeat=r)
        for p in once
        for r in range(5)
    ]
    alone, repeated = score("cc", once)["cc/acc"], score("cc", five)["cc/acc"]
    assert repeated.value == pytest.approx(alone.value)
    assert repeated.hi - repeated.lo == pytest.approx(alone.hi - alone.lo, rel=0.15)


def test_clusters_widen_the_interval_of_rows_that_agree():
    rows, _ = random_task("td", n=200)
    pairs = [prediction(p.item_id + s, p.gold, p.predicted) for p in rows for s in "ab"]
    clusters = {p.item_id: p.item_id[:-1] for p in pairs}
    alone = score("td", pairs)["td/acc"]
    paired = score("td", pairs, clusters=clusters)["td/acc"]
    assert paired.hi - paired.lo == pytest.approx(math.sqrt(2) * (alone.hi - alone.lo), rel=0.15)


def test_rc_headline_is_the_mean_of_the_components_and_resampled_with_them():
    predictions, _ = random_task("rc")
    values = score("rc", predictions)
    for metric in ("bal_acc", "macro_f1"):
        parts = [values[f"rc/{metric}_{c}"].value for c in COMPONENTS]
        assert values[f"rc/{metric}"].value == pytest.approx(np.mean(parts))
    assert values["rc/bal_acc"].n == 900
    assert values["rc/bal_acc_visual"].n == 300


def test_rc_answers_that_agree_over_components_do_not_narrow_the_mean():
    """Were the components resampled apart, the mean's interval would shrink by sqrt(3)."""
    rows, _ = random_task("td", n=300)
    same = [
        prediction(p.item_id, p.gold, p.predicted, task="rc", variant=c)
        for p in rows
        for c in COMPONENTS
    ]
    values = score("rc", same, resamples=4000)
    mean, one = values["rc/bal_acc"], values["rc/bal_acc_visual"]
    assert (mean.lo, mean.hi) == pytest.approx((one.lo, one.hi), abs=1e-12)


def test_component_without_labels_is_left_out_of_the_mean():
    predictions = [p for p in random_task("rc")[0] if p.variant != "visual"]
    values = score("rc", predictions)
    assert math.isnan(values["rc/bal_acc_visual"].value)
    assert values["rc/bal_acc_visual"].note.startswith("undefined")
    expected = np.mean([values[f"rc/bal_acc_{c}"].value for c in ("homophonic", "semantic")])
    assert values["rc/bal_acc"].value == pytest.approx(expected)


def test_failed_is_no_answer_and_only_moves_the_bounds():
    rows = [prediction(f"i{i}", "1", "1") for i in range(6)]
    rows += [prediction(f"w{i}", "0", "1") for i in range(2)]
    rows += [prediction(f"f{i}", "0", None, outcome=Outcome.FAILED) for i in range(2)]
    value = score("td", rows)["td/acc"]
    assert (value.value, value.n) == (0.75, 8)
    assert (value.worst, value.best) == pytest.approx((0.6, 0.8))


@pytest.mark.parametrize(
    "outcome",
    [Outcome.REFUSAL, Outcome.UNPARSEABLE, Outcome.TRUNCATED, Outcome.CONTENT_FILTERED],
)
def test_an_invalid_answer_is_wrong_and_valid_only_stands_beside(outcome):
    rows = [prediction(f"i{i}", "1", "1") for i in range(3)]
    rows.append(prediction("x", "1", None, outcome=outcome))
    value = score("td", rows)["td/acc"]
    assert (value.value, value.valid_only) == (0.75, 1.0)
    verdicts = [Verdict(f"i{i}", 2, "judge", "judged") for i in range(3)]
    value = score("tr", rows, verdicts)["tr/sem_acc"]
    assert (value.value, value.valid_only) == (0.75, 1.0)


def test_translation_counts_copies_scores_and_failed_judgements():
    rows = [prediction(f"i{i}", "对", "答", task="tr") for i in range(6)]
    rows[0] = prediction("i0", "对", "答", task="tr", outcome=Outcome.COPIED)
    verdicts = [
        Verdict("i0", 0, "judge", "copied"),
        Verdict("i1", 2, "judge", "judged"),
        Verdict("i2", 2, "judge", "judged"),
        Verdict("i3", 1, "judge", "judged"),
        Verdict("i4", None, "judge", "failed"),
    ]  # i5 has no verdict at all
    values = score("tr", rows, verdicts)
    assert values["tr/sem_acc"].value == pytest.approx(5 / 8)
    assert values["tr/perfect_rate"].value == 0.5
    assert values["tr/copy_rate"].value == pytest.approx(1 / 6)
    assert [values[f"tr/score_{s}"].value for s in (0, 1, 2)] == [0.25, 0.25, 0.5]
    assert values["tr/judge_coverage"].value == pytest.approx(3 / 5)
    assert (values["tr/sem_acc"].worst, values["tr/sem_acc"].best) == pytest.approx(
        (5 / 12, 9 / 12)
    )
    # For a metric that should be low, the worst is the greatest.
    assert values["tr/score_0"].worst > values["tr/score_0"].best


def test_a_failed_judge_lowers_its_coverage_and_a_failed_request_does_not():
    rows = [prediction(f"i{i}", "对", "答", task="tr") for i in range(4)]
    verdicts = [Verdict(f"i{i}", 2, "judge", "judged") for i in range(2)]
    verdicts.append(Verdict("i2", None, "judge", "judge_failed"))
    verdicts.append(Verdict("i3", None, "judge", "failed"))
    rows[3] = prediction("i3", "对", None, task="tr", outcome=Outcome.FAILED)
    values = score("tr", rows, verdicts)
    assert values["tr/judge_coverage"].value == pytest.approx(2 / 3)
    assert (values["tr/sem_acc"].value, values["tr/sem_acc"].worst) == (1.0, 0.5)
    assert values["tr/copy_rate"].best == 0
    assert values["tr/copy_rate"].worst == 0.25  # only the failed request could have been a copy


def test_translation_without_any_verdict_is_undefined_not_zero():
    rows = [prediction("a", "对", "答", task="tr"), prediction("b", "对", None, task="tr")]
    value = score("tr", rows)["tr/sem_acc"]
    assert math.isnan(value.value)
    assert "no translation has a verdict" in value.note
    assert (value.worst, value.best) == (0.0, 0.5)


@pytest.mark.parametrize("task", NAMES)
def test_no_predictions_and_nothing_but_failures_are_undefined(task):
    for rows in ([], [prediction("a", "1", None, task=task, outcome=Outcome.FAILED)]):
        if task in ("ms", "cc", "ir"):
            rows = (
                [prediction("a", "A" if task != "ir" else "Comment", None, outcome=Outcome.FAILED)]
                if rows
                else []
            )
        if task == "rc":
            rows = (
                [prediction("a", "1", None, variant="visual", outcome=Outcome.FAILED)]
                if rows
                else []
            )
        for value in score(task, rows).values():
            assert math.isnan(value.value) and math.isnan(value.lo)
            assert value.note.startswith("undefined")


def test_perfect_score_of_few_items_names_the_exact_interval():
    value = score("cc", [prediction(f"i{i}", "A", "A") for i in range(50)])["cc/acc"]
    assert (value.value, value.lo, value.hi) == (1, 1, 1)
    assert value.note == "exact (Clopper-Pearson) interval 0.929 to 1.000"


def test_contradictions_are_refused_by_name():
    with pytest.raises(ValueError, match="'toxic' is none of"):
        score("td", [prediction("a", "toxic", "1")])
    with pytest.raises(ValueError, match="valid prediction 'maybe'"):
        score("td", [prediction("a", "1", "maybe")])
    with pytest.raises(ValueError, match="unknown variants"):
        score("rc", [prediction("a", "1", "1", variant="acoustic")])
    with pytest.raises(UserError, match="no task 'xx'"):
        score("xx", [])
    twice = [Verdict("a", 1, "x", "judged"), Verdict("a", 2, "y", "judged")]
    with pytest.raises(ValueError, match="two verdicts"):
        score("tr", [prediction("a", "对", "答")], twice)
