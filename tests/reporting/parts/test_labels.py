"""Scores by label: groups partition the items, and intervals do not vanish where all agree."""

from __future__ import annotations

import pytest

from mouse.corpus.labels import INTENT_FAMILIES
from mouse.reporting.parts.labels import by_label
from mouse.reporting.report import make_report
from mouse.tracking import reader


@pytest.mark.parametrize("task", ["tr", "td", "ir"])
def test_groups_of_each_kind_add_up_to_the_score_over_all(tracked, task: str) -> None:  # type: ignore[no-untyped-def]
    runs = [reader.open_run(run) for run in reader.runs("model = good", experiment="study")]
    study = make_report("s", runs)
    table = by_label(study, task)
    whole = study.contestants[0].value("tr/sem_acc" if task == "tr" else f"{task}/acc")
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
