"""A fresh folder for every test, and results as an evaluation makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import support_runs as support

from mouse.corpus.items import Dataset


@pytest.fixture
def folder(own_home: Path) -> Path:
    """A state folder of one test, with an empty database."""
    return own_home


@pytest.fixture(scope="module")
def shared_folder(
    tmp_path_factory: pytest.TempPathFactory, make_state: Callable[[Path], Path]
) -> Iterator[Path]:
    """One folder for the tests of a module that only read what one of its fixtures wrote."""
    folder = make_state(tmp_path_factory.mktemp("shared") / "state")
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
