"""All state lies in one folder, and its database is made once however many processes start."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from mouse.errors import UserError
from mouse.tracking import home

START_FOUR_RUNS = """
import os
import sys
from mlflow.store.tracking import sqlalchemy_store  # once, and not four times
from mlflow.tracking.client import MlflowClient
from mouse.tracking.home import prepare

def start_a_run():
    client = MlflowClient(prepare())
    run = client.create_run("0")
    client.log_metric(run.info.run_id, "td/acc", 0.5)
    client.set_terminated(run.info.run_id)

children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        start_a_run()
        os._exit(0)
    children.append(child)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOUSE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    return tmp_path / "state"


def test_home_is_mlruns_of_the_working_directory_unless_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MOUSE_HOME", raising=False)
    assert home.home() == tmp_path / "mlruns"
    monkeypatch.setenv("MOUSE_HOME", "elsewhere")
    assert home.home() == tmp_path / "elsewhere"


def test_tracking_uri_of_the_environment_wins(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.tracking_uri() == f"sqlite:///{folder}/mlflow.db"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:5000")
    assert home.tracking_uri() == "http://127.0.0.1:5000"
    assert not home.is_local()
    assert home.prepare() == "http://127.0.0.1:5000"
    assert not folder.exists()


@pytest.mark.parametrize("uri", ["./mlruns", "file:///data/mlruns"])
def test_file_store_is_refused_with_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch, uri: str
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    with pytest.raises(UserError, match="unset it"):
        home.tracking_uri()


def test_four_processes_starting_at_once_on_a_fresh_folder(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", START_FOUR_RUNS],
        env={**os.environ, "MOUSE_HOME": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[0, 0, 0, 0]\n", done.stderr
    with sqlite3.connect(folder / "mlflow.db") as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert database.execute("SELECT count(*) FROM runs").fetchone() == (4,)
        assert database.execute("SELECT value FROM metrics").fetchall() == [(0.5,)] * 4
        (place,) = database.execute("SELECT artifact_location FROM experiments").fetchone()
    assert place.startswith((folder / "artifacts").as_uri())
    assert not list(folder.glob("*building*")) and not list(folder.glob(".*building*"))


def test_the_database_is_mlflows_own_latest_schema(folder: Path) -> None:
    home.prepare()
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    # It raises on tables of another version than its own.
    SqlAlchemyStore(f"sqlite:///{folder}/mlflow.db", folder.as_uri()).engine.dispose()


def test_killed_while_building_leaves_no_half_database(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow.store.tracking import sqlalchemy_store

    def killed(uri: str, *_: object) -> None:
        Path(uri.removeprefix("sqlite:///")).write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(sqlalchemy_store, "SqlAlchemyStore", killed)
        with pytest.raises(KeyboardInterrupt):
            home.prepare()
    assert not (folder / "mlflow.db").exists()
    assert not [path for path in folder.iterdir() if "building" in path.name]
    home.prepare()
    assert (folder / "mlflow.db").exists()


def test_an_unwritable_folder_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MOUSE_HOME", str(tmp_path / "file" / "below"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    with pytest.raises(UserError, match="MOUSE_HOME"):
        home.prepare()
