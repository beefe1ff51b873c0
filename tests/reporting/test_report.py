"""From tracked runs to a folder of tables, figures and one page."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

from mouse import report
from mouse.reporting.parts.items import items_of
from mouse.reporting.parts.people import table6
from mouse.reporting.parts.results import published_cell, table3
from mouse.reporting.parts.side_by_side import table7
from mouse.reporting.report import make_report
from mouse.tracking import reader


@pytest.fixture(scope="module")
def study(tracked):  # type: ignore[no-untyped-def]
    stored = [reader.open_run(run) for run in reader.runs(experiment="study")]
    return make_report("s", stored)


@pytest.fixture(scope="module")
def made(tracked, tmp_path_factory: pytest.TempPathFactory) -> Path:  # type: ignore[no-untyped-def]
    out = tmp_path_factory.mktemp("out")
    code = report.main(["all", "--experiment", "study", "--out", str(out), "--resamples", "200"])
    assert code == 0
    return out / "all"


def test_every_table_exists_in_every_format(made: Path) -> None:
    for name in ("table3", "table4", "table6", "table7", "ledger", "rank_groups"):
        tex = (made / "tables" / f"{name}.tex").read_text(encoding="utf-8")
        assert r"\begin{tabular}" in tex and tex.count("{") == tex.count("}")
        assert (made / "tables" / f"{name}.csv").stat().st_size > 20
    text = (made / "report.md").read_text(encoding="utf-8")
    page = (made / "report.html").read_text(encoding="utf-8")
    assert "### Table 3" in text and "Table 3" in page and 'id="table7"' in page


def test_figures_exist_as_png_and_svg(made: Path) -> None:
    for name in ("figure4", "figure5", "figure6", "agreement"):
        assert (made / "figures" / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
        assert "<svg" in (made / "figures" / f"{name}.svg").read_text(encoding="utf-8")


def test_the_page_asks_for_nothing_outside_itself(made: Path) -> None:
    page = (made / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=[\"'](?!#|data:)", page)
    assert "default-src 'none'" in page


def test_the_report_is_logged_back_and_is_no_evaluation(made: Path) -> None:
    from mouse.tracking.writer import Tracker

    client = Tracker().client
    (experiment,) = client.search_experiments(filter_string="name = 'study-reports'")
    found = client.search_runs([experiment.experiment_id], "tags.kind = 'report'")
    assert len(found) == 1
    names = {file.path for file in client.list_artifacts(found[0].info.run_id)}
    assert {"report.html", "report.md", "tables", "figures"} <= names
    assert len(reader.runs(experiment="study")) == 5


def test_table_3_has_the_metrics_of_the_runs_and_the_published_rows(study, made: Path) -> None:  # type: ignore[no-untyped-def]
    own, people, published = table3(study).blocks
    by_model = dict(own.rows)
    (good,) = [entry for entry in study.contestants if entry.name == "good"]
    assert by_model["good"][6].value == good.value("td/acc")
    assert by_model["good"][6].lo < by_model["good"][6].value < by_model["good"][6].hi
    assert [name for name, _ in people.rows] == ["p1", "p2"]
    assert dict(people.rows)["p1"][6].value is None
    assert len(published.rows) == 14
    with (made / "tables" / "table3.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["model"]: row for row in csv.DictReader(file)}
    assert float(rows["GPT5.2"]["CC Acc"]) == 0.56


def test_a_published_share_has_the_interval_of_its_count() -> None:
    cell = published_cell("GPT5.2", "cc/acc")
    assert "56 of 100" in cell.note
    assert cell.lo == pytest.approx(0.457, abs=0.001) and cell.hi == pytest.approx(0.659, abs=0.001)
    assert not published_cell("GPT5.2", "ir/bal_acc").has_interval
    assert not published_cell("familiar_participants", "cc/acc").has_interval


def test_people_are_averaged_by_group_with_their_spread(study) -> None:  # type: ignore[no-untyped-def]
    people, models, published = table6(study).blocks
    ((label, cells),) = people.rows
    values = [entry.value("cc/acc") for entry in study.contestants if entry.group == "familiar"]
    assert label == "familiar (n = 2)" and cells[0].value == pytest.approx(sum(values) / 2)
    assert (cells[2].value, cells[3].value) == (min(values), max(values))
    assert {name for name, _ in models.rows} == {"good", "fair", "poor"}
    assert "familiar with the culture (n = 3)" in dict(published.rows)


def test_table_7_takes_both_directions_and_the_items_asked_for(study) -> None:  # type: ignore[no-untyped-def]
    chosen = table7(replace(study, side_by_side=["good", "poor"]))
    gaps = [int(c[2].text[1]) - int(c[3].text[1]) for _, c in chosen.blocks[0].rows]
    assert gaps[0] == 2 and gaps[1] == -2
    asked = table7(replace(study, side_by_side=["poor", "good"], items=["x3", "x1"]))
    assert [item for item, _ in asked.blocks[0].rows] == ["x3", "x1"]


def test_item_statistics_find_what_all_models_miss(study) -> None:  # type: ignore[no-untyped-def]
    statistics = [item for task in ("td", "ir", "cc") for item in items_of(study, task)]
    assert {s.task for s in statistics} == {"td", "ir", "cc"}
    assert all(0 <= s.right <= 1 for s in statistics)
    known = [s.discrimination for s in statistics if s.discrimination == s.discrimination]
    # Models of clearly different skill: most items agree with the rest of the task.
    assert sum(known) / len(known) > 0.2 and max(known) <= 1 + 1e-9


def test_rank_groups_tell_good_from_poor(made: Path) -> None:
    with (made / "tables" / "rank_groups.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["model"]: row for row in csv.DictReader(file)}
    assert not set(rows["good"]["td/acc"]) & set(rows["poor"]["td/acc"])


def test_runs_on_other_data_are_refused_unless_mixed(
    tracked, support, log_run, score_result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # type: ignore[no-untyped-def]
    from mouse.tracking.writer import Tracker

    data = support.make_dataset(40)
    result = score_result(support.make_result(data, "other", 9), data)
    ids = [log_run(result, data, "mixed")]
    Tracker().client.set_tag(ids[0], "dataset_fingerprint", "another")
    ids.append(reader.runs("model = good")[0].run_id)
    arguments = ["m", "--runs", *ids, "--out", str(tmp_path), "--resamples", "100", "--no-log"]
    assert report.main(arguments) == 2
    message = capsys.readouterr().err
    assert "td: the runs differ in data" in message and "other: another" in message
    assert "--mixed" in message
    assert report.main([*arguments, "--mixed"]) == 0
    assert "differ in data" in (tmp_path / "m" / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["../x", "", "a/b"])
def test_a_name_that_is_no_folder_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert report.main([name]) == 2
    assert "folder" in capsys.readouterr().err


def test_no_run_says_what_to_do(
    tracked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # type: ignore[no-untyped-def]
    assert report.main(["x", "--where", "model = nobody", "--out", str(tmp_path)]) == 2
    assert "python -m mouse.run" in capsys.readouterr().err
