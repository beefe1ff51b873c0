"""Scores by label: groups partition the items, and intervals do not vanish where all agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mouse.reporting.label_tables import by_label, wilson
from mouse.reporting.study import make_study

from mouse.corpus.labels import INTENT_FAMILIES
from mouse.tracking import reader


@given(st.integers(1, 400), st.floats(0, 1))
def test_wilsons_interval_holds_the_mean_and_is_never_a_point(n: int, mean: float) -> None:
    lo, hi = wilson(mean, n)
    assert 0 <= lo <= mean + 1e-12 and mean - 1e-12 <= hi <= 1 and hi - lo > 1e-4


def test_wilsons_interval_is_statsmodels() -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for count, n in ((0, 5), (3, 10), (97, 100)):
        expected = proportion.proportion_confint(count, n, method="wilson")
        assert wilson(count / n, n) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("task", ["tr", "td", "ir"])
def test_groups_of_each_kind_add_up_to_the_score_over_all(tracked, task: str) -> None:  # type: ignore[no-untyped-def]
    runs = [reader.open_run(run) for run in reader.runs("model = good", experiment="study")]
    study = make_study("s", runs)
    table = by_label(study, task)
    whole = study.entries[0].value("tr/sem_acc" if task == "tr" else f"{task}/acc")
    # No item here has all components known, so no combination has an item.
    assert [block.title for block in table.blocks] == ["intent", "family", "toxicity"]
    for block in table.blocks:
        if block.title == "family":
            # Others belongs to no family.
            assert [title for title, _ in block.rows] == list(INTENT_FAMILIES)
            assert sum(int(c[0].note.removeprefix("n = ")) for _, c in block.rows) == 70
            continue
        sizes = [int(cells[0].note.removeprefix("n = ")) for _, cells in block.rows]
        means = [cells[0].value for _, cells in block.rows]
        assert sum(sizes) == 80
        weighted = sum(n * mean for n, mean in zip(sizes, means, strict=True)) / 80
        assert weighted == pytest.approx(whole)
