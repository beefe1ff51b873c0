"""What a comparison adds to the paired statistics: bounds, families, which metrics, which rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mouse.comparison.aligned import Answers
from mouse.comparison.compare import (
    Settings,
    TaskComparison,
    compare_models,
    default_metrics,
    difference_bounds,
    metric_limits,
    metrics_of,
    over_family,
)
from mouse.contracts import Outcome, Prediction
from mouse.errors import UserError
from mouse.scoring.score import score_task

ANSWER = st.sampled_from(["0", "1", "refused", "failed"])


def predictions(gold: list[str], answers: list[str]) -> list[Prediction]:
    kinds = {"refused": Outcome.REFUSAL, "failed": Outcome.FAILED}
    return [
        Prediction(
            item_id=f"i{number}",
            variant="",
            gold=right,
            predicted=given if given in "01" else None,
            outcome=kinds.get(given, Outcome.VALID),
            raw_text=given,
            task="td",
        )
        for number, (right, given) in enumerate(zip(gold, answers, strict=True))
    ]


@given(
    rows=st.lists(st.tuples(st.sampled_from("01"), ANSWER, ANSWER), min_size=2, max_size=7).filter(
        lambda rows: sum((a == "failed") + (b == "failed") for _, a, b in rows) <= 3
    )
)
@settings(max_examples=15)
def test_whatever_the_failed_answers_had_been_the_difference_lies_within_its_bounds(
    rows: list[tuple[str, str, str]],
) -> None:
    gold, a, b = (list(column) for column in zip(*rows, strict=True))
    clusters = {f"i{number}": f"i{number}" for number in range(len(rows))}
    answers = {"a": Answers(predictions(gold, a)), "b": Answers(predictions(gold, b))}
    limits = metric_limits("td", answers, clusters)
    failed = [
        (m, i) for m, given in enumerate((a, b)) for i, x in enumerate(given) if x == "failed"
    ]
    for filling in product(("0", "1", "refused"), repeat=len(failed)):
        filled = [list(a), list(b)]
        for (model, place), value in zip(failed, filling, strict=True):
            filled[model][place] = value
        values = [
            {
                m.name: m.value
                for m in score_task("td", predictions(gold, given), clusters=clusters, resamples=1)
            }
            for given in filled
        ]
        for metric in ("td/acc", "td/f1"):
            low, high = difference_bounds(limits["a"][metric], limits["b"][metric])
            difference = values[0][metric] - values[1][metric]
            if difference == difference:
                assert low - 1e-9 <= difference <= high + 1e-9


def compared(seed: int) -> TaskComparison:
    gold = [str(number % 2) for number in range(60)]
    shares = {"a": 2, "b": 3, "c": 59}
    answers = {
        name: Answers(
            predictions(
                gold, [g if i % (every + seed) else str(1 - int(g)) for i, g in enumerate(gold)]
            )
        )
        for name, every in shares.items()
    }
    clusters = {f"i{number}": f"i{number}" for number in range(60)}
    paired = compare_models("td", answers, clusters, Settings(resamples=200, permutations=200))
    return TaskComparison(
        "td", tuple(answers), 60, 60, {}, paired.comparisons, paired.rankings, {}, (), (), ()
    )


def test_a_family_names_itself_and_its_size_and_only_raises_p_values() -> None:
    tasks = [compared(0), replace(compared(1), task="ms")]  # a family is over distinct tasks
    assert over_family(tasks, "metric", 0.05) == tasks
    for scope, size in (("task", 15), ("all", 30)):
        for before, after in zip(tasks, over_family(tasks, scope, 0.05), strict=True):
            assert {c.family.rpartition(", ")[2] for c in after.comparisons} == {f"{size} tests"}
            assert {r.family for r in after.rankings} == {c.family for c in after.comparisons}
            for one, other in zip(before.comparisons, after.comparisons, strict=True):
                assert other.p_holm >= one.p_holm and other.p_value == one.p_value


def test_letters_follow_the_wider_family() -> None:
    task = over_family([compared(0)], "all", 0.05)[0]
    for ranking in task.rankings:
        for c in task.comparisons:
            if c.metric == ranking.metric:
                shared = set(ranking.letters[c.a]) & set(ranking.letters[c.b])
                assert bool(shared) is not (c.p_holm <= 0.05)


def test_metrics_are_the_papers_unless_named() -> None:
    assert default_metrics("td") == ("td/acc", "td/f1", "td/mcc")
    assert default_metrics("rc")[2:] == ("rc/mcc_homophonic", "rc/mcc_visual", "rc/mcc_semantic")
    assert metrics_of("td", None) == default_metrics("td")
    assert metrics_of("cc", ["acc", "td/f1"]) == ("cc/acc",)
    assert metrics_of("ms", ["sem_acc"]) == ()
    assert "tr/judge_coverage" not in metrics_of("tr", ())
    with pytest.raises(UserError, match="no task has it"):
        metrics_of("td", ["auc"])
