"""Runs of several models in a real MLflow database, written once for the tests of reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
import support_runs


@pytest.fixture(scope="session")
def support() -> ModuleType:
    return support_runs


@pytest.fixture(scope="session")
def log_run():  # type: ignore[no-untyped-def]
    return support_runs.log


@pytest.fixture(scope="session")
def score_result():  # type: ignore[no-untyped-def]
    return support_runs.scored


@pytest.fixture(scope="session")
def tracked(
    tmp_path_factory: pytest.TempPathFactory, make_state: Callable[[Path], Path]
) -> Iterator[Path]:
    """Three models of different skill and two replayed people, in the experiment `study`."""
    folder = make_state(tmp_path_factory.mktemp("reports") / "state")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MOUSE_HOME", str(folder))
        patched.delenv("MLFLOW_TRACKING_URI", raising=False)
        patched.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        data = support_runs.make_dataset(80)
        for seed, (model, skill) in enumerate((("good", 0.95), ("fair", 0.6), ("poor", 0.1))):
            result = support_runs.scored(
                support_runs.make_result(data, model, seed, skill=skill), data
            )
            support_runs.log(result, data, "study", parameters_b=str(3**seed))
        for seed, person in enumerate(("p1", "p2")):
            result = support_runs.scored(
                support_runs.make_result(data, person, 10 + seed, skill=0.9), data
            )
            result = replace(result, tasks=tuple(t for t in result.tasks if t.task == "cc"))
            support_runs.log(result, data, "study", backend="replay", group="familiar")
        yield folder
