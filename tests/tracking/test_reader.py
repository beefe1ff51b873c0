"""What was written is read back the same, so that every metric can be computed again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mouse.contracts import Outcome
from mouse.errors import UserError
from mouse.tracking import reader
from mouse.tracking.writer import Tracker


@pytest.fixture(scope="module")
def written(shared_folder, dataset, make_result):  # type: ignore[no-untyped-def]
    results = {}
    for seed, model in enumerate(("lexicon", "majority", "lexicon")):
        tracker = Tracker()
        tracker.start(model, {"seed": seed}, {"model": model}, "reading")
        result = make_result(dataset, model, seed)
        tracker.log_result(result, dataset, "seed: 0\n", {"seed": seed})
        tracker.finish("complete")
        results[tracker.run_id] = result
    sweep = Tracker()
    sweep.start("sweep", {}, {reader.KIND_TAG: "sweep"}, "reading")
    return results


def test_runs_lists_evaluations_newest_first_and_no_parents(written) -> None:  # type: ignore[no-untyped-def]
    found = reader.runs(experiment="reading")
    assert [run.run_id for run in found] == list(written)[::-1]
    assert [run.model for run in reader.runs("model in (majority)")] == ["majority"]
    assert [run.model for run in reader.runs("td/acc > 0.7")] == []
    assert [run.run_id for run in reader.latest(found)] == [list(written)[2], list(written)[1]]


def test_predictions_and_verdicts_come_back_as_they_were(written, dataset) -> None:  # type: ignore[no-untyped-def]
    for run_id, result in written.items():
        stored = reader.load_run(run_id[:12])
        assert stored.tasks == ("tr", "rc", "ir", "td", "ms", "cc")
        for task in result.tasks:
            got = stored.task_predictions(task.task)
            if task.task == "tr":  # half a surrogate pair is written out, the rest is equal
                assert [p.item_id for p in got] == [p.item_id for p in task.predictions]
            else:
                assert got == task.predictions
            assert stored.task_verdicts(task.task) == task.verdicts
            assert set(stored.clusters(task.task)) == {p.item_id for p in task.predictions}
        assert list(stored.cxeis["id"]) == [item.id for item in dataset.cxeis]
        assert stored.choices["answer"].tolist() == [item.answer for item in dataset.choices]
        assert stored.manifest["seed"] == int(stored.summary.params["seed"])


def test_a_moved_folder_is_still_read(
    written, shared_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    shutil.copytree(shared_folder, tmp_path / "moved")
    (summary, *_) = reader.runs(experiment="reading")
    monkeypatch.setenv("MOUSE_HOME", str(tmp_path / "moved"))
    gone = shared_folder.rename(shared_folder.with_name("gone"))
    try:
        stored = reader.load_run(summary.run_id)
        assert stored.folder.is_relative_to(tmp_path)
        outcomes = {Outcome(value) for value in stored.predictions["td"]["outcome"]}
        assert Outcome.VALID in outcomes
    finally:
        gone.rename(shared_folder)


@pytest.mark.parametrize("run_id", ["", "zzzz"])
def test_an_unknown_run_is_refused(written, run_id: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UserError, match="no run has"):
        reader.load_run(run_id)


def test_an_unknown_experiment_is_refused(written) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UserError, match="no experiment 'other'"):
        reader.runs(experiment="other")


def test_before_the_first_run_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOUSE_HOME", str(tmp_path / "none"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    with pytest.raises(UserError, match="nothing has been tracked yet"):
        reader.runs()
    assert not (tmp_path / "none").exists()
