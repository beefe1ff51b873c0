"""Replayed people in a report: each by name, averaged by group, with the spread between them."""

from __future__ import annotations

import statistics
from dataclasses import replace

import pytest

from mouse.reporting.parts.items import items_of
from mouse.reporting.parts.people import spread_cells, table6
from mouse.reporting.parts.results import table3
from mouse.reporting.parts.running import cost
from mouse.reporting.report import make_report
from mouse.tracking import reader

GROUPS = {"familiar": ("阿一", "阿二", "阿三"), "unfamiliar": ("b1", "b2")}


@pytest.fixture(scope="module")
def people(tracked, support, log_run, score_result):  # type: ignore[no-untyped-def]
    """Two groups as `model=replay model.rater=… model.group=…` logs them: all called `replay`."""
    data = support.make_dataset(80)
    seed = 40
    for group, names in GROUPS.items():
        for name in names:
            seed += 1
            skill = 0.95 if group == "familiar" else 0.3
            result = score_result(support.make_result(data, "replay", seed, skill=skill), data)
            result = replace(result, tasks=tuple(t for t in result.tasks if t.task == "cc"))
            log_run(result, data, "people", backend="replay", rater=name, group=group)
    log_run(score_result(support.make_result(data, "model", 3), data), data, "people")
    return make_report("p", [reader.open_run(run) for run in reader.runs(experiment="people")])


def test_people_of_one_file_are_told_apart_by_their_names(people) -> None:  # type: ignore[no-untyped-def]
    assert {e.name for e in people.contestants if e.group} == {
        n for g in GROUPS.values() for n in g
    }
    own, persons, _ = table3(people).blocks
    assert [name for name, _ in own.rows] == ["model"] and len(persons.rows) == 5


def test_each_group_has_its_mean_spread_and_interval(people) -> None:  # type: ignore[no-untyped-def]
    rows = dict(table6(people).blocks[0].rows)
    assert set(rows) == {"familiar (n = 3)", "unfamiliar (n = 2)"}
    for group, names in GROUPS.items():
        values = [e.value("cc/acc") for e in people.contestants if e.name in names]
        mean, sd, lowest, highest = rows[f"{group} (n = {len(names)})"]
        assert mean.value == pytest.approx(statistics.fmean(values))
        assert sd.value == pytest.approx(statistics.stdev(values))
        assert (lowest.value, highest.value) == (min(values), max(values))
        # Student's t; with two people and 1 degree of freedom that is wide, as it should be.
        t = {3: 4.30265, 2: 12.7062}[len(names)]
        half = t * statistics.stdev(values) / len(names) ** 0.5
        assert mean.lo == pytest.approx(max(mean.value - half, 0), abs=1e-4)
        assert mean.hi == pytest.approx(min(mean.value + half, 1), abs=1e-4)


@pytest.fixture(scope="module")
def readers(tracked, support, log_run, score_result):  # type: ignore[no-untyped-def]
    """One person asked both tasks, one asked meaning alone, and a model."""
    data = support.make_dataset(80)
    for name, tasks, seed in (("c1", {"ms", "cc"}, 61), ("c2", {"ms"}, 62)):
        result = score_result(support.make_result(data, "replay", seed, skill=0.7), data)
        result = replace(result, tasks=tuple(t for t in result.tasks if t.task in tasks))
        log_run(result, data, "readers", backend="replay", rater=name, group="readers")
    log_run(score_result(support.make_result(data, "model", 5), data), data, "readers")
    return make_report("p", [reader.open_run(run) for run in reader.runs(experiment="readers")])


def test_meaning_stands_beside_cloze_where_people_were_asked_it(readers, people) -> None:  # type: ignore[no-untyped-def]
    table = table6(readers)
    assert [column.title for column in table.columns][::4] == ["CC Acc", "MS Acc"]
    persons, models, published = table.blocks
    ((label, cells),) = persons.rows
    answered = {task: [e.value(f"{task}/acc") for e in readers.contestants if e.group and task in e.runs]
                for task in ("cc", "ms")}  # fmt: skip
    assert label == "readers (n = 2)"
    assert cells[0].value == answered["cc"][0] and "no spread" in cells[0].note
    assert cells[4].value == pytest.approx(statistics.fmean(answered["ms"]))
    assert all(len(row) == 8 for block in table.blocks for _, row in block.rows)
    assert len(models.rows) == 1 and published.rows
    assert [column.title for column in table6(people).columns][::4] == ["CC Acc"]


def test_people_who_are_all_alike_get_no_interval_of_no_width() -> None:
    mean, sd, *_ = spread_cells([0.95, 0.95, 0.95])
    assert (mean.value, sd.value) == (pytest.approx(0.95), 0) and not mean.has_interval


def test_hard_items_and_cost_are_of_models_and_not_of_people(people) -> None:  # type: ignore[no-untyped-def]
    # One model answered, so each item was right for all models or for none.
    assert {item.right for item in items_of(people, "cc")} <= {0.0, 1.0}
    assert [label for label, _ in cost(people).blocks[0].rows] == ["model"]
