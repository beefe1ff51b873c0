"""A fresh folder for every test, and results as an evaluation makes them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import support_runs as support

from mouse.corpus.items import Dataset
from mouse.tracking.home import prepare


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database as `prepare` makes it, once: making one takes a second."""
    folder = tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MOUSE_HOME", str(folder))
        patched.delenv("MLFLOW_TRACKING_URI", raising=False)
        patched.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        prepare()
    return folder / "mlflow.db"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty_database: Path) -> Path:
    """A state folder of one test, with an empty database."""
    state = tmp_path / "state"
    monkeypatch.setenv("MOUSE_HOME", str(state))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    state.mkdir()
    shutil.copy(empty_database, state / "mlflow.db")
    return state


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One folder for the tests of a module that only read what one of its fixtures wrote."""
    folder = tmp_path_factory.mktemp("shared") / "state"
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MOUSE_HOME", str(folder))
        patched.delenv("MLFLOW_TRACKING_URI", raising=False)
        patched.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        patched.setenv("SOME_API_KEY", "very-secret-value-1234")
        yield folder


@pytest.fixture(scope="session")
def dataset() -> Dataset:
    return support.make_dataset()


@pytest.fixture(scope="session")
def make_result():  # type: ignore[no-untyped-def]
    return support.make_result
