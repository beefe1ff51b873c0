"""What all tests share: how hypothesis runs, which tests share a worker, one Ray, one empty
tracking database, and real tracked runs of the offline models."""

from __future__ import annotations

import gc
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no fault of the code: examples are checked, not timed.
settings.register_profile(
    "quick", max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# `make test-all`: pytest --hypothesis-profile=thorough
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=300)
settings.load_profile("quick")

SAMPLE = Path(__file__).parents[1] / "data" / "sample" / "cxei.jsonl"
QUICK = ("engine=inline", "tracking.figures=false", "metrics.resamples=300")
SUPPORT = Path(__file__).parent / "support"
# At import, before anything starts Ray: its workers import the test backends as well.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])]
)

COSTLY = ("ray_session", "tracked_home", "tracked")
"""Fixtures of the session: under pytest-xdist all tests that use one run on the same worker, since
each worker would make its own."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Under pytest-xdist: which tests stay together, and the long ones first.

    A test with its own Ray stands alone, all others of a file go together.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    rank: dict[str, int] = {}
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        costly = [name for name in COSTLY if name in fixtures]
        own_ray = item.get_closest_marker("ray") is not None
        group = costly[0] if costly else item.nodeid if own_ray else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))
        whole_commands = item.path.parent in (Path(__file__).parent, SUPPORT.with_name("faults"))
        rank[item.nodeid] = 0 if costly or own_ray else 1 if whole_commands else 2
    items.sort(key=lambda item: rank[item.nodeid])


def pytest_collection_finish() -> None:
    """What is loaded by now stays: the garbage collector need not look at it again and again."""
    gc.freeze()


@pytest.fixture(scope="session")
def ray_session() -> Iterator[None]:
    """A Ray with two CPUs for the whole session. No command ends it: none has started it."""
    # Before the import, which reads them; without a token of ours Ray writes one to ~/.ray.
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    ray.init(
        address="local",
        namespace="mouse",
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=200 * 2**20,
        log_to_driver=False,
    )
    yield
    ray.shutdown()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database as `prepare` makes it, once: MLflow's migrations take a second."""
    from mouse.tracking.home import prepare

    folder = tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patched:
        _environment(patched, folder)
        prepare()
    return folder / "mlflow.db"


@pytest.fixture(scope="session")
def make_state(empty_database: Path) -> Callable[[Path], Path]:
    """Makes a state folder with an empty tracking database, and returns it."""

    def make(folder: Path) -> Path:
        folder.mkdir(parents=True)
        shutil.copy(empty_database, folder / "mlflow.db")
        return folder

    return make


@pytest.fixture
def state(tmp_path: Path, make_state: Callable[[Path], Path]) -> Path:
    """The state folder of one test; `MOUSE_HOME` names it only inside `own_home`."""
    return make_state(tmp_path / "state")


@pytest.fixture
def own_home(state: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`state`, for a test that calls entry points itself."""
    _environment(monkeypatch, state)
    return state


@pytest.fixture(scope="session")
def tracked_home(
    tmp_path_factory: pytest.TempPathFactory, make_state: Callable[[Path], Path]
) -> Path:
    """A state folder; `MOUSE_HOME` names it only inside `in_home` and `evaluated`."""
    return make_state(tmp_path_factory.mktemp("tracked") / "state")


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
