"""A contestant is one model, person or file: runs that only look alike are never merged."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import support_runs

from mouse.comparison.contestants import contestants, find_runs, single_runs
from mouse.errors import UserError

DATA = support_runs.make_dataset(8)


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MOUSE_HOME", str(tmp_path_factory.mktemp("contestants") / "state"))
        patched.delenv("MLFLOW_TRACKING_URI", raising=False)
        patched.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        yield


def log(experiment: str, model: str, identity=None, sampling=None, **params: str) -> str:  # type: ignore[no-untyped-def]
    manifest = {"model": identity or {}, "sampling": sampling or {}}
    result = support_runs.make_result(DATA, model, 1)
    return support_runs.log(result, DATA, experiment, manifest, **params)


def names(experiment: str) -> list[str]:
    runs, _ = find_runs(experiment=experiment)
    return [one.name for one in contestants(runs)[0]]


def test_people_of_one_file_and_of_two_files_stay_apart() -> None:
    for file, digest in (("a.csv", "1" * 64), ("b.csv", "2" * 64)):
        for rater in ("p1", "p2"):
            identity = {"backend": "replay", "predictions_sha256": digest, "rater": rater}
            log("people", "replay", identity, predictions=f"/x/{file}", rater=rater)
    assert names("people") == [
        "p1 (answers a.csv)",
        "p1 (answers b.csv)",
        "p2 (answers a.csv)",
        "p2 (answers b.csv)",
    ]


def test_files_of_one_name_with_other_answers_stay_apart() -> None:
    ids = [
        log("files", "replay", {"predictions_sha256": digit * 64}, predictions="/x/a.csv")
        for digit in "12"
    ]
    assert names("files") == sorted(f"replay@{run_id[:6]}" for run_id in ids)


def test_thinking_and_sampling_are_part_of_the_model() -> None:
    log("models", "m", {"thinking": "off"}, {"temperature": 0.0})
    log("models", "m", {"thinking": "on"}, {"temperature": 0.0})
    log("models", "m", {"thinking": "off"}, {"temperature": 0.7})
    assert names("models") == [
        "m (temperature 0.0, thinking off)",
        "m (temperature 0.0, thinking on)",
        "m (temperature 0.7, thinking off)",
    ]


def test_the_newest_run_of_a_contestant_counts_and_what_is_left_out_is_said() -> None:
    old = log("again", "m", {"thinking": "off", "label_counts": {"td": {"0": 1}}})
    new = log("again", "m", {"thinking": "off", "label_counts": {"cc": {"A": 1}}})
    runs, _ = find_runs(experiment="again")
    (one,), notes = contestants(runs)
    assert one.name == "m" and {run.run_id for run in one.runs.values()} == {new}
    assert notes == [f"m ({old[:6]}) is older than another run of its model: left out"]
    both = single_runs(runs)
    assert {entry.name for entry in both} == {f"m@{run_id[:6]}" for run_id in (old, new)}
    with pytest.raises(UserError, match="named twice"):
        find_runs([new, new])


def test_of_runs_that_were_named_none_is_left_out() -> None:
    ids = [log("named", "m", {"thinking": "off"}) for _ in range(2)]
    log("named", "m", {"thinking": "on"})
    runs, _ = find_runs(experiment="named")
    every, notes = contestants(runs, all_runs=True)
    assert len(every) == 3 and not notes
    assert sum(one.name.endswith(tuple(f"@{run_id[:6]}" for run_id in ids)) for one in every) == 2


def test_people_of_two_groups_stay_apart() -> None:
    for group in ("familiar", "unfamiliar"):
        log("groups", "replay", {"predictions_sha256": "1" * 64}, group=group)
    assert names("groups") == ["replay (group familiar)", "replay (group unfamiliar)"]
