"""A run in MLflow holds all that the design names, quickly, and no secret."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from mouse.tracking.plain import to_yaml
from mouse.tracking.writer import Tracker

PNG = b"\x89PNG\xff\x00"
CONFIG = {
    "model": {"name": "lexicon", "api_key_env": "SOME_API_KEY", "limits": {"max_in_flight": 8}},
    "task": {"names": ["tr", "td"]},
    "prompt": {"path": None},
}


@pytest.fixture(scope="module")
def logged(shared_folder, dataset, make_result):  # type: ignore[no-untyped-def]
    tracker = Tracker()
    tracker.start(
        "lexicon",
        CONFIG,
        {
            "model": "lexicon",
            "command": "python -m mouse.run model=x model.extra_headers.authorization=Bearer-abcdefgh "
            "very-secret-value-1234",
            "long": "长" * 20_000,
        },
        "test/one",
    )
    manifest = {"command": "api_key=very-secret-value-1234", "nan": float("nan")}
    attached = {"figures/td.png": PNG, "prompts/td.txt": "very-secret-value-1234 是密钥"}
    result = make_result(dataset, failed=2)
    tracker.log_result(result, dataset, to_yaml(CONFIG), manifest, attached)
    tracker.finish("incomplete")
    return tracker, tracker.client.get_run(tracker.run_id)


def test_metrics_have_their_intervals_ledger_usage_and_judge(logged) -> None:  # type: ignore[no-untyped-def]
    metrics = logged[1].data.metrics
    assert (metrics["td/acc"], metrics["td/acc_lo"], metrics["td/acc_hi"]) == (0.6, 0.5, 0.7)
    assert (metrics["td/acc_worst"], metrics["td/acc_best"]) == (0.55, 0.65)
    assert metrics["td/acc_valid_only"] == 0.7
    assert metrics["outcome/td/failed"] == 2
    ledger = [value for key, value in metrics.items() if key.startswith("outcome/td/")]
    assert sum(ledger) == metrics["td/n"] == 40
    assert metrics["judge/qwk"] == 0.5 and metrics["usage/requests"] == 40


def test_an_undefined_metric_is_not_logged_but_its_reason_is_kept(logged) -> None:  # type: ignore[no-untyped-def]
    tracker, run = logged
    assert "td/mcc" not in run.data.metrics and "usage/cost_usd" not in run.data.metrics
    assert all(math.isfinite(value) for value in run.data.metrics.values())
    assert "td/mcc | – (one class only)" in run.data.tags["mlflow.note.content"]
    records = json.loads(_artifact(tracker, "metrics.json").read_text(encoding="utf-8"))
    (mcc,) = [record for record in records if record["name"] == "td/mcc"]
    assert mcc["value"] is None and mcc["note"] == "one class only"


def test_params_are_flat_and_unset_ones_are_left_to_the_config_file(logged) -> None:  # type: ignore[no-untyped-def]
    assert logged[1].data.params == {
        "model.name": "lexicon",
        "model.api_key_env": "SOME_API_KEY",
        "model.limits.max_in_flight": "8",
        "task.names": "tr,td",
    }


def test_tags_say_commit_versions_and_status(logged) -> None:  # type: ignore[no-untyped-def]
    tags = logged[1].data.tags
    assert tags["status"] == "incomplete" and logged[1].info.status == "FINISHED"
    assert tags["version.mlflow"] and tags["git_dirty"] in ("true", "false")
    assert tags["git_commit"]
    assert len(tags["long"]) == 8000 and "shortened" in tags["long"]


def test_the_data_set_is_an_input_with_its_fingerprint(logged) -> None:  # type: ignore[no-untyped-def]
    (entry,) = logged[1].inputs.dataset_inputs
    assert entry.dataset.name == "tests" and entry.dataset.digest == "f" * 36


def test_no_secret_is_anywhere_in_the_run_folder(logged, shared_folder: Path) -> None:  # type: ignore[no-untyped-def]
    files = [path for path in shared_folder.rglob("*") if path.is_file()]
    assert len(files) > 15
    for path in files:
        content = path.read_bytes()
        assert b"very-secret-value" not in content and b"abcdefgh" not in content, path


def test_predictions_are_whole_and_verdicts_stand_beside_translations(logged, dataset) -> None:  # type: ignore[no-untyped-def]
    tracker, _ = logged
    translations = pd.read_parquet(_artifact(tracker, "predictions/tr.parquet"))
    assert list(translations["item_id"]) == [item.id for item in dataset.cxeis]
    assert set(translations["score"]) <= {0, 1, 2} and set(translations["judge"]) == {"rule"}
    assert (translations["correct"] == (translations["score"] == 2)).all()
    assert translations["text"][0] == dataset.cxeis[0].original_text
    assert translations["raw_text"][0] == "今天\\ud83d"  # half a surrogate pair has no UTF-8
    toxicity = pd.read_parquet(_artifact(tracker, "predictions/td.parquet"))
    assert toxicity["correct"].isna().sum() == 2
    assert (toxicity["outcome"] == "refusal").sum() == (
        logged[1].data.metrics["outcome/td/refusal"]
    )


def test_the_ui_table_is_mlflows_own_format(logged) -> None:  # type: ignore[no-untyped-def]
    import mlflow

    tracker, run = logged
    mlflow.set_tracking_uri(tracker.uri)
    table = tracker.client.load_table(tracker.experiment_id, "tables/td.json", [tracker.run_id])
    assert len(table) == 40 and {"item_id", "text", "gold", "predicted"} <= set(table.columns)
    names = {entry["path"] for entry in json.loads(run.data.tags["mlflow.loggedArtifacts"])}
    assert names == {f"tables/{task}.json" for task in ("tr", "rc", "ir", "td", "ms", "cc")}


def test_attached_files_are_kept_and_texts_lose_their_secrets(logged) -> None:  # type: ignore[no-untyped-def]
    assert _artifact(logged[0], "figures/td.png").read_bytes() == PNG
    assert _artifact(logged[0], "prompts/td.txt").read_text(encoding="utf-8") == "*** 是密钥"


def test_a_child_carries_its_parent(folder: Path) -> None:
    tracker = Tracker()
    parent = tracker.start("sweep", {}, {}, "sweeps")
    child = Tracker().start("lexicon", {}, {}, "sweeps", parent_run_id=parent)
    assert tracker.client.get_run(child).data.tags["mlflow.parentRunId"] == parent


def test_a_killed_process_leaves_no_run_that_runs_for_ever(folder: Path) -> None:
    code = (
        "import os; from mouse.tracking.writer import Tracker\n"
        "print(Tracker().start('lexicon', {}, {}, 'killed'), flush=True)\n"
        "os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ}, capture_output=True, text=True
    )
    assert killed.returncode == -9
    tracker = Tracker()
    alive = tracker.start("lexicon", {}, {}, "killed")
    assert tracker.client.get_run(killed.stdout.strip()).info.status == "KILLED"
    Tracker().start("lexicon", {}, {}, "killed")
    assert tracker.client.get_run(alive).info.status == "RUNNING"


def test_six_tasks_of_full_size_are_logged_in_seconds(folder: Path, make_result) -> None:  # type: ignore[no-untyped-def]
    from mouse.corpus.items import CXEI, Components, Dataset

    cxeis = tuple(
        CXEI(f"x{n}", f"太🌶️{n}", "太辣了", Components(True, False, False), "Comment", 1)
        for n in range(1099)
    )
    data = Dataset("big", cxeis)
    result = make_result(data)
    tracker = Tracker()
    tracker.start("lexicon", CONFIG, {}, "speed")
    before = time.process_time()
    tracker.log_result(result, data, to_yaml(CONFIG), {})
    # 1.3 s on the development machine; CPU time, so that a busy machine does not fail the test.
    assert time.process_time() - before < 5


def _artifact(tracker: Tracker, path: str) -> Path:
    return Path(tracker.client.download_artifacts(tracker.run_id, path))
