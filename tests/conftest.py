"""How hypothesis runs, and real tracked runs of the offline models, made once for all tests."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no fault of the code: examples are checked, not timed.
settings.register_profile("mouse", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("mouse")

SAMPLE = Path(__file__).parents[1] / "data" / "sample" / "cxei.jsonl"
QUICK = ("engine=inline", "tracking.figures=false", "metrics.resamples=300")


@pytest.fixture(scope="session")
def tracked_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A state folder; `MOUSE_HOME` names it only inside `in_home` and `evaluated`."""
    yield tmp_path_factory.mktemp("tracked") / "state"


def _environment(patched: pytest.MonkeyPatch, home: Path) -> None:
    patched.setenv("MOUSE_HOME", str(home))
    patched.delenv("MLFLOW_TRACKING_URI", raising=False)
    patched.setenv("MLFLOW_DISABLE_TELEMETRY", "true")


@pytest.fixture
def in_home(tracked_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    _environment(monkeypatch, tracked_home)
    return tracked_home


@pytest.fixture(scope="session")
def evaluated(tracked_home: Path) -> Callable[..., str]:
    """Evaluates once for each distinct command line and returns the run's id."""
    made: dict[tuple[str, ...], str] = {}

    def evaluate(*arguments: str, exit_code: int = 0) -> str:
        if arguments not in made:
            from mouse.run import main
            from mouse.tracking import reader

            with pytest.MonkeyPatch.context() as patched:
                _environment(patched, tracked_home)
                assert main([*arguments, *QUICK]) == exit_code
                made[arguments] = reader.runs()[0].run_id
        return made[arguments]

    return evaluate


@pytest.fixture(scope="session")
def unfinished(evaluated: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A replay of right answers to the toxicity task in which ten items have none."""
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    answers = tmp_path_factory.mktemp("answers") / "answers.jsonl"
    with answers.open("w", encoding="utf-8") as file:
        for row in rows[:-10]:
            answer = {"item_id": row["id"], "task": "td", "text": str(row["toxicity"])}
            file.write(json.dumps(answer) + "\n")
    return evaluated("model=replay", f"model.predictions={answers}", "task=td", exit_code=3)


@pytest.fixture(autouse=True)
def _mlflow_address_stays_with_its_test():
    """`mlflow.set_tracking_uri` sets a variable of the environment; the next test must not see it."""
    before = os.environ.get("MLFLOW_TRACKING_URI")
    yield
    if before is None:
        os.environ.pop("MLFLOW_TRACKING_URI", None)
    else:
        os.environ["MLFLOW_TRACKING_URI"] = before
