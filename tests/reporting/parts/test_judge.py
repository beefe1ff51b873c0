"""What a report says of the judge: agreement with people, the sample's gap, doubt, correction."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import simulate_raters

from mouse import annotate, report
from mouse.comparison.contestants import Contestant
from mouse.reporting.judge_validation import FOOTNOTE, MARK, with_footnote
from mouse.reporting.parts.comparison import paired, rank_groups
from mouse.reporting.parts.judge import judge_evidence, judge_notes, judge_table, notes_on
from mouse.reporting.parts.judge_figures import kappas, sampling_gaps
from mouse.reporting.parts.results import table3
from mouse.reporting.parts.running import cost
from mouse.reporting.report import make_report
from mouse.reporting.table import latex
from mouse.tracking import reader


@pytest.fixture(scope="module")
def rated(tracked, support, log_run, score_result, tmp_path_factory):  # type: ignore[no-untyped-def]
    """Three runs: `sure` and `unsure` rated by simulated people, `unrated` by nobody."""
    data = support.make_dataset(80)
    for seed, model in enumerate(("sure", "unsure", "unrated")):
        result = score_result(support.make_result(data, model, 20 + seed), data)
        run_id = log_run(result, data, "rated", published="GPT5.2" if model == "sure" else "")
        if model == "unrated":
            continue
        folder = tmp_path_factory.mktemp(model)
        arguments = ["export", run_id, "--n", "60", "--raters", "2", "--out", str(folder)]
        assert annotate.main(arguments) == 0
        assert simulate_raters.main([run_id, str(folder)]) == 0
        least = "0.2" if model == "sure" else "0.99"
        assert annotate.main(["import", run_id, str(folder), "--min-qwk", least]) == 0
    runs = [reader.open_run(run) for run in reader.runs(experiment="rated")]
    return make_report("r", runs, resamples=100)


def test_figure_2_has_a_bar_for_each_rated_model_and_names_the_others(rated) -> None:  # type: ignore[no-untyped-def]
    found = judge_evidence(rated)
    bars = {one.model: one.kappa for one in found}
    assert bars["unrated"] is None and bars["sure"].lo < bars["sure"].value < bars["sure"].hi
    figure = kappas(found)
    assert figure.name == "figure2" and len(figure.drawing.axes[0].patches) >= 2
    assert "Not rated by people: unrated." in figure.caption
    assert "60 translations" in figure.caption
    assert [t.get_text() for t in figure.drawing.axes[0].get_xticklabels()] == ["sure", "unsure"]
    (note,) = judge_notes(rated)
    assert "nobody has rated unrated" in note and "mouse.annotate export" in note


def test_figure_3_is_drawn_for_runs_that_nobody_rated_too(rated) -> None:  # type: ignore[no-untyped-def]
    found = judge_evidence(rated)
    gaps = {one.model: one.gap for one in found}
    assert gaps["sure"].n == 60 and gaps["unrated"].n == 80
    assert 0 <= gaps["sure"].gap <= 1 and gaps["sure"].expected_hi > 0
    figure = sampling_gaps(found)
    assert "60 of 80" in figure.caption
    assert len(figure.drawing.axes[0].get_xticklabels()) == 3
    nobody = [one for one in found if one.kappa is None]
    assert kappas(nobody) is None and sampling_gaps(nobody) is not None
    assert "any of these runs" in notes_on(nobody)[0]


def test_a_judge_under_its_threshold_is_marked_in_every_table_of_translation(rated) -> None:  # type: ignore[no-untyped-def]
    assert rated.not_validated == {"unsure"}
    assert any(w.startswith("unsure: judge not validated: QWK") for w in rated.warnings)
    tables = [
        table3(rated),
        judge_table(rated),
        cost(rated),
        rank_groups(rated),
        paired(rated),
    ]
    for table in tables:
        marked = {
            label: [cell.mark for cell in cells]
            for block in table.blocks
            for label, cells in block.rows
        }
        assert MARK in str({k: v for k, v in marked.items() if "unsure" in k}), table.name
        assert MARK not in str({k: v for k, v in marked.items() if "unsure" not in k}), table.name
        assert FOOTNOTE in with_footnote(table).caption
        assert r"\dag{}" in latex(table)
    td = [title.title.startswith("TD") for title in table3(rated).columns]
    (row,) = [cells for label, cells in table3(rated).blocks[0].rows if label == "unsure"]
    assert all(not cell.mark for cell, other in zip(row, td, strict=True) if other)


def test_the_corrected_score_stands_beside_the_raw_one(rated) -> None:  # type: ignore[no-untyped-def]
    table = table3(rated)
    assert [column.title for column in table.columns][:2] == ["TR Sem.Acc", "TR corrected"]
    rows = dict(table.blocks[0].rows)
    summary = next(e for e in rated.contestants if e.name == "sure").runs["tr"].summary
    raw, corrected = rows["sure"][:2]
    assert corrected.value == summary.metrics["tr/sem_acc_corrected"] != raw.value
    assert corrected.lo == summary.metrics["tr/sem_acc_corrected_lo"]
    assert rows["unrated"][1].value is None
    assert all(cells[1].value is None for _, cells in table.blocks[-1].rows)


def test_the_papers_value_stands_beside_the_same_models_own(rated) -> None:  # type: ignore[no-untyped-def]
    rows = dict(table3(rated).blocks[0].rows)
    assert rows["sure"][0].paper == 0.441 and rows["unsure"][0].paper is None


def test_a_report_on_rated_runs_has_both_figures_and_the_marks(rated, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    arguments = ["r", "--experiment", "rated", "--out", str(tmp_path), "--resamples", "100"]
    assert report.main([*arguments, "--no-log"]) == 0
    for name in ("figure2", "figure3"):
        assert (tmp_path / "r" / "figures" / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
    with (tmp_path / "r" / "tables" / "table3.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["model"]: row for row in csv.DictReader(file)}
    assert rows["unsure"]["TR Sem.Acc_mark"] == MARK and rows["sure"]["TR Sem.Acc_mark"] == ""
    assert rows["sure"]["TR Sem.Acc_paper"] == "0.441"
    text = (tmp_path / "r" / "report.md").read_text(encoding="utf-8")
    assert "paper 0.441" in text and text.count("Judge not validated:") > 5
    by_label = (tmp_path / "r" / "tables" / "by_label.csv").read_text(encoding="utf-8")
    assert f"unsure {MARK}" in by_label.splitlines()[0]


@pytest.mark.parametrize(
    ("tag", "warnings", "expected"),
    [
        (None, (), ""),
        ("true", ("judge not validated: nobody has rated this run yet",), ""),
        ("false", (), "judge not validated"),
        ("false", ("judge not validated: its QWK 0.3",), "judge not validated: its QWK 0.3"),
        (None, ("judge not validated: its QWK 0.3",), "judge not validated: its QWK 0.3"),
    ],
)
def test_later_ratings_by_people_decide_over_a_runs_own_warning(
    rated, tag, warnings, expected
) -> None:  # type: ignore[no-untyped-def]
    from dataclasses import replace

    (entry,) = [e for e in rated.contestants if e.name == "unrated"]
    run = entry.runs["tr"]
    tags = {"judge_validated": tag} if tag else {}
    run = replace(run, summary=replace(run.summary, tags=tags))
    run.__dict__["manifest"] = {"warnings": list(warnings)}
    assert Contestant("m", {"tr": run}).judge_not_validated == expected


def test_translations_that_no_judge_was_asked_about_are_said_and_not_offered_for_rating(
    rated,
) -> None:  # type: ignore[no-untyped-def]
    from dataclasses import replace

    found = [
        replace(one, gap=None) if one.model == "unrated" else one for one in judge_evidence(rated)
    ]
    (note,) = notes_on(found)
    assert note.startswith("No judge was asked about unrated") and "export" not in note
    assert "unrated" not in kappas(found).caption
