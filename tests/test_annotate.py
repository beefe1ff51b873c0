"""`python -m mouse.annotate` on a real tracked run, rated by simulated people of known errors."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import simulate_raters
from openpyxl import load_workbook

from mouse.annotate import main
from mouse.annotation.translations.figures_data import (
    kappa_bar,
    read_agreement,
    run_gap,
)
from mouse.annotation.translations.population import population
from mouse.annotation.votes import consensus
from mouse.metrics.agreement import weighted_kappa
from mouse.metrics.sampling_gap import sampling_gap
from mouse.run import main as evaluate
from mouse.tracking.reader import load_run
from mouse.tracking.stored import StoredRun

N = 120


@pytest.fixture(scope="module")
def raters():
    return simulate_raters


@pytest.fixture(scope="module")
def rated_home(tmp_path_factory, make_state):
    """A run of the whole sample: right, half right, wrong, formula-like, copied and refused."""
    folder = tmp_path_factory.mktemp("annotate")
    sample = Path(__file__).parents[1] / "data" / "sample" / "cxei.jsonl"
    answers = []
    for number, line in enumerate(sample.read_text(encoding="utf-8").splitlines()):
        item = json.loads(line)
        right = item["reference"]
        text = (
            right,
            right[: max(2, len(right) * 2 // 3)],
            "=1+1今天天气不错",
            right,
            right[:-1] + "呢",
            "今天天气不错",
        )[number % 6]
        if number % 20 == 7:
            text = item["original_text"]
        if number % 20 == 13:
            text = "抱歉，我无法回答这个问题。"
        answers.append({"item_id": item["id"], "task": "tr", "text": text})
    path = folder / "answers.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in answers), "utf-8")
    make_state(folder / "state")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MOUSE_HOME", str(folder / "state"))
        patched.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        patched.delenv("MLFLOW_TRACKING_URI", raising=False)
        command = ["model=replay", "task=tr", "engine=inline", f"model.predictions={path}"]
        assert evaluate([*command, "judge.min_qwk=0.5", "metrics.resamples=500"]) == 0
        yield folder


@pytest.fixture(scope="module")
def run_id(rated_home):
    from mouse.tracking.reader import runs

    return runs()[0].run_id


@pytest.fixture(scope="module")
def people(run_id):
    return population(load_run(run_id))


@pytest.fixture(scope="module")
def simulated(raters, people):
    judged = {unit.key: unit.score for unit in people.units}
    return raters.simulate(judged, [raters.CAREFUL, raters.CAREFUL, raters.SLOPPY], seed=11)


@pytest.fixture
def folder(tmp_path, run_id, raters, simulated):
    """An export of the run, filled by the simulated raters."""
    made = tmp_path / "rating"
    assert main(["export", run_id[:10], "--n", str(N), "--out", str(made)]) == 0
    raters.fill(made, simulated)
    return made


def logged(run_id):
    return load_run(run_id).summary


def test_an_unrated_run_has_the_gap_of_the_sample_that_would_be_drawn(run_id, people, tmp_path):
    rated_or_not = load_run(run_id)
    shutil.copytree(rated_or_not.folder / "predictions", tmp_path / "predictions")
    run = StoredRun(rated_or_not.summary, tmp_path)
    assert read_agreement(run.folder) is None
    gap = run_gap(run, n=100, seed=1)
    scores = [unit.score for unit in people.units]
    assert (gap.n, gap.population) == (100, len(scores))
    assert gap.everything == pytest.approx(sum(scores) / 2 / len(scores))
    assert 0 < gap.expected < gap.expected_hi < 0.15
    assert run_gap(run, n=100, seed=1) == gap


def test_estimates_meet_the_truth_of_the_simulation(
    run_id, people, folder, simulated, raters, capsys
):
    assert main(["import", run_id[:10], str(folder)]) == 0
    printed = capsys.readouterr().out
    metrics = logged(run_id).metrics
    judged = {unit.key: unit.score for unit in people.units}
    voted = {key: consensus(given, "majority").score for key, given in simulated.ratings.items()}

    # What the estimates are of: the whole run, had everybody rated everything.
    order = sorted(judged)
    qwk = weighted_kappa([judged[k] for k in order], [voted[k] for k in order], resamples=100)
    assert metrics["judge/human_qwk_lo"] <= qwk.value <= metrics["judge/human_qwk_hi"]
    truth = sum(voted.values()) / 2 / people.scored
    assert metrics["tr/sem_acc_corrected_lo"] <= truth <= metrics["tr/sem_acc_corrected_hi"]
    for rater in range(3):
        own = [simulated.ratings[k][rater] for k in order]
        value = weighted_kappa([judged[k] for k in order], own, resamples=100).value
        name = f"judge/rater_{rater + 1}_qwk"
        assert metrics[f"{name}_lo"] <= value <= metrics[f"{name}_hi"]
    import krippendorff

    alpha = krippendorff.alpha(
        reliability_data=[[simulated.ratings[k][r] for k in order] for r in range(3)],
        level_of_measurement="ordinal",
    )
    assert metrics["judge/human_alpha_lo"] <= alpha <= metrics["judge/human_alpha_hi"]
    # The raw score is the run's own, over copied and refused answers too, and it is too kind.
    raw = sum(judged.values()) / 2 / people.scored
    assert raw == pytest.approx(metrics["tr/sem_acc"])
    assert people.scored > len(people.units)
    assert metrics["tr/sem_acc_corrected"] < raw
    assert metrics["judge/human_bias"] > 0
    assert metrics["judge/human_n"] == N
    assert f"{metrics['judge/human_qwk']:.3f}" in printed
    assert "Sem.Acc corrected" in printed


def test_what_is_stored_is_what_was_rated(run_id, people, folder, simulated):
    assert main(["import", run_id, str(folder)]) == 0
    run = load_run(run_id)
    ratings = pd.read_parquet(run.folder / "annotations/ratings.parquet")
    assert len(ratings) == N
    judged = {unit.key: unit.score for unit in people.units}
    for row in ratings.to_dict("records"):
        key = (row["item_id"], row["repeat"])
        assert row["judge_score"] == judged[key]
        assert [row[f"rater_{r}"] for r in (1, 2, 3)] == list(simulated.ratings[key])
    stored = read_agreement(run.folder)
    assert stored is not None
    confusion = pd.crosstab(ratings["judge_score"], ratings["consensus"])
    assert stored["consensus"]["confusion"] == confusion.to_numpy().tolist()
    table = json.loads((run.folder / "tables/judge_confusion.json").read_text(encoding="utf-8"))
    assert sum(sum(line[2:]) for line in table["data"] if line[0] == "consensus") == N
    bar = kappa_bar(run.model, stored)
    assert bar.value == run.summary.metrics["judge/human_qwk"]
    assert (bar.raters, bar.n) == (3, N)
    gap = sampling_gap(run.model, ratings["judge_score"].tolist(), list(judged.values()))
    assert gap.population == len(people.units) and gap.n == N
    assert run_gap(run) == gap


def test_importing_twice_changes_nothing(run_id, folder):
    from mlflow.tracking.client import MlflowClient

    from mouse.tracking import home

    assert main(["import", run_id, str(folder)]) == 0
    first = logged(run_id)
    artifacts = {p: p.read_bytes() for p in load_run(run_id).folder.rglob("annotations/*.json")}
    assert len(artifacts) == 3
    client = MlflowClient(home.tracking_uri())
    history = len(client.get_metric_history(run_id, "judge/human_qwk"))
    assert main(["import", run_id, str(folder)]) == 0
    again = logged(run_id)
    assert again.metrics == first.metrics
    assert again.tags == first.tags
    assert {p: p.read_bytes() for p in artifacts} == artifacts
    assert len(client.get_metric_history(run_id, "judge/human_qwk")) == history
    assert again.tags["mlflow.loggedArtifacts"].count("judge_confusion.json") == 1
    assert "tables/tr.json" in again.tags["mlflow.loggedArtifacts"]


def test_min_qwk_decides_whether_the_judge_is_validated(run_id, folder, capsys):
    assert main(["import", run_id, str(folder)]) == 0  # judge.min_qwk=0.5 of the run
    assert logged(run_id).tags["judge_validated"] == "true"
    assert main(["import", run_id, str(folder), "--min-qwk", "0.99"]) == 0
    tags = logged(run_id).tags
    assert tags["judge_validated"] == "false"
    assert tags["judge_validation"].startswith("judge not validated: QWK against people 0.")
    assert "Judge not validated" in capsys.readouterr().out
    assert main(["import", run_id, str(folder), "--min-qwk", "7"]) == 2


def test_a_stratified_sample_is_weighted_back(run_id, people, tmp_path, raters, simulated):
    made = tmp_path / "strata"
    arguments = ["export", run_id, "--n", "90", "--stratify", "score", "--lang", "en"]
    assert main([*arguments, "--out", str(made)]) == 0
    raters.fill(made, simulated)
    assert main(["import", run_id, str(made)]) == 0
    metrics = logged(run_id).metrics
    scores = [unit.score for unit in people.units]
    for score in (0, 1, 2):
        share = metrics[f"judge/judge_share_{score}"]
        assert share == pytest.approx(scores.count(score) / len(scores))
    voted = [consensus(given, "majority").score for given in simulated.ratings.values()]
    truth = sum(voted) / 2 / people.scored
    assert metrics["tr/sem_acc_corrected_lo"] <= truth <= metrics["tr/sem_acc_corrected_hi"]
    order = [simulated.ratings[unit.key] for unit in people.units]
    whole = weighted_kappa(scores, [consensus(g, "majority").score for g in order], resamples=100)
    assert metrics["judge/human_qwk_lo"] <= whole.value <= metrics["judge/human_qwk_hi"]


def test_missing_cells_are_told_and_refused_when_strict(run_id, folder, capsys):
    path = folder / "for_raters/rater_2.xlsx"
    book = load_workbook(path)
    for address in ("E5", "E17"):
        book["rows"][address] = None
    book.save(path)
    assert main(["import", run_id, str(folder), "--strict"]) == 2
    assert "rater_2.xlsx!E5, rater_2.xlsx!E17" in capsys.readouterr().err
    assert main(["import", run_id, str(folder)]) == 0
    assert "missing in rater_2.xlsx: E5, E17" in capsys.readouterr().out
    assert logged(run_id).metrics["judge/human_missing"] == 2


def test_ties_are_decided_on_a_sheet_of_their_own(run_id, folder, capsys):
    for rater in (1, 2, 3):
        sheet_path = folder / f"for_raters/rater_{rater}.xlsx"
        book = load_workbook(sheet_path)
        for number in range(2, N + 2):
            if book["rows"].cell(number, 1).value in ("r003", "r040", "r100"):
                book["rows"].cell(number, 5).value = rater - 1
        book.save(sheet_path)
    assert main(["import", run_id, str(folder)]) == 0
    before = logged(run_id).metrics
    ties = int(before["judge/human_adjudicate"])
    assert ties >= 3 and before["judge/human_decided"] == 0
    path = folder / "adjudication.xlsx"
    assert str(path) in capsys.readouterr().out.replace("\n", "")
    book = load_workbook(path)
    sheet = book["rows"]
    assert sheet.max_row == ties + 1
    assert all(sheet.cell(i, 5).value == "0, 1, 2" for i in range(2, ties + 2))
    first = sheet["A2"].value
    sheet["F2"] = 2
    book.save(path)
    assert main(["import", run_id, str(folder)]) == 0
    after = logged(run_id).metrics
    assert (after["judge/human_decided"], after["judge/human_adjudicate"]) == (1, ties - 1)
    ratings = pd.read_parquet(load_run(run_id).folder / "annotations/ratings.parquet")
    row = ratings.set_index("row").loc[first]
    assert (row["consensus"], row["decided"], row["adjudicate"]) == (2, True, False)
    assert load_workbook(path)["rows"]["F2"].value == 2
    book["rows"]["F3"] = 7
    book.save(path)
    assert main(["import", run_id, str(folder)]) == 2
    assert "adjudication.xlsx, row F3" in capsys.readouterr().err
    # With the median the same rows are clear, and the decision is not used.
    path.unlink()
    assert main(["import", run_id, str(folder), "--merge", "median"]) == 0
    assert logged(run_id).metrics["judge/human_adjudicate"] == 0
    assert not path.exists()


def test_faulty_sheets_and_foreign_folders_exit_with_2(run_id, folder, capsys):
    path = folder / "for_raters/rater_1.xlsx"
    book = load_workbook(path)
    book["rows"]["E8"] = 5
    book.save(path)
    assert main(["import", run_id, str(folder)]) == 2
    assert "rater_1.xlsx, row E8" in capsys.readouterr().err
    key = json.loads((folder / "key.json").read_text(encoding="utf-8"))
    for field, told in (("run_id", "exported from run"), ("predictions_sha256", "has changed")):
        (folder / "key.json").write_text(json.dumps({**key, field: "f" * 32}), encoding="utf-8")
        assert main(["import", run_id, str(folder)]) == 2
        assert told in capsys.readouterr().err
    assert main(["import", run_id, str(folder / "nowhere")]) == 2
    assert main(["export", run_id, "--n", "100000", "--out", str(folder / "x")]) == 2
    assert "judged translations; give --n" in capsys.readouterr().err


def test_no_sheet_tells_model_judge_or_score(folder, run_id):
    run = load_run(run_id)
    told = [run.model, run.summary.tags["judge"], run_id[:8], "score", "judged"]
    for path in (folder / "for_raters").glob("*.xlsx"):
        book = load_workbook(path)
        text = "\n".join(
            str(cell.value) for sheet in book for line in sheet.iter_rows() for cell in line
        )
        assert not [word for word in told if word in text]
        assert book["rows"].max_row == N + 1
