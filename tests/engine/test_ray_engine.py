"""Real Ray: actors that die, requests that kill, resources that are not there."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mouse.contracts import Request
from mouse.engine.ray_engine import RayEngine
from mouse.engine.store import CompletionStore
from mouse.errors import UserError
from mouse.models.base import BackendSpec

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_session")]

Ask = Callable[..., Request]
Scripted = Callable[..., BackendSpec]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CompletionStore]:
    with CompletionStore(tmp_path / "s.db") as opened:
        yield opened


def test_two_models_on_actors_answer_everything_once(
    ask: Ask, scripted: Scripted, store: CompletionStore
) -> None:
    with RayEngine(store=store) as engine:
        engine.open("model", scripted(replicas=2))
        engine.open("judge", scripted(identity={"backend": "judge"}, max_concurrency=3))
        engine.submit("model", (ask(i) for i in range(200)))
        ends: Counter[str] = Counter()
        for pool, request, completion in engine.results():
            ends[pool] += 1
            assert completion.text == request.messages[-1].content
            if pool == "model":
                engine.submit("judge", [request])
        assert engine.describe("model")["backend"] == "scripted"
        assert engine.describe("model")["pid"] != os.getpid()
        counts = [engine.stats_of(pool) for pool in ("model", "judge")]
    assert ends == {"model": 200, "judge": 200}
    for stats in counts:
        assert (stats.asked, stats.in_flight, stats.restarts) == (200, 0, 0)
        assert stats.prompt_tokens == 2_000
    assert len(store) == 400


def test_an_actor_that_dies_is_replaced_and_its_requests_are_asked_again(
    ask: Ask, scripted: Scripted, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    requests = [ask(i) for i in range(60)]
    requests[30] = ask(30, do="die once", marker=str(tmp_path / "died"))
    with RayEngine() as engine:
        engine.open("m", scripted(log=str(log)))
        engine.submit("m", requests)
        results = list(engine.results())
        stats = engine.stats_of("m")
    assert len(results) == 60
    assert all(completion.error is None for _, _, completion in results)
    assert stats.restarts == 1
    assert 4 <= stats.asked_again <= 8, "the chunk that died and the one that waited behind it"
    assert len(log.read_text().split()) <= 60 + stats.asked_again


def test_an_actor_killed_from_outside_is_replaced(
    ask: Ask, scripted: Scripted, tmp_path: Path
) -> None:
    with RayEngine() as engine:
        engine.open("m", scripted(delay_s=0.01, replicas=2))
        engine.submit("m", (ask(i) for i in range(120)))
        results = engine.results()
        answered = [next(results)]
        os.kill(engine.describe("m")["pid"], signal.SIGKILL)
        answered += list(results)
        assert engine.stats_of("m").restarts == 1
    assert len(answered) == 120
    assert all(completion.error is None for _, _, completion in answered)


def test_a_request_that_kills_its_actor_fails_alone(
    ask: Ask, scripted: Scripted, store: CompletionStore
) -> None:
    requests = [ask(i) for i in range(40)]
    requests[7] = ask(7, do="die")
    with RayEngine(store=store) as engine:
        engine.open("m", scripted(max_chunk_attempts=2))
        engine.submit("m", requests)
        errors = {request.item_id: c.error for _, request, c in engine.results()}
        stats = engine.stats_of("m")
    assert len(errors) == 40
    assert {item for item, error in errors.items() if error is not None} == {"i7"}
    assert errors["i7"] is not None
    assert errors["i7"].kind == "actor_died" and not errors["i7"].fatal
    assert "2 times with this request alone" in errors["i7"].message
    assert stats.restarts == 4, "twice with its chunk, twice alone"
    assert len(store) == 39


def test_a_gpu_that_is_not_there_is_refused_at_once(scripted: Scripted) -> None:
    expected = "one node with 2 CPU and 0 GPU: room for 0"
    with RayEngine() as engine, pytest.raises(UserError, match=expected):
        engine.open("m", scripted(num_gpus=1))


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ("user", "«m» could not be started: The folder of weights is not there; set model.path."),
        ("no such file", "«m» could not be started: OSError: no such file"),
        ("exit", r"«m» could not be started: its process died 3 times while starting \("),
    ],
)
def test_a_backend_that_cannot_be_built_ends_the_run_with_one_sentence(
    broken: str, sentence: str, ask: Ask, scripted: Scripted
) -> None:
    with RayEngine() as engine:
        engine.open("m", scripted(broken=broken))
        engine.submit("m", [ask(0)])
        with pytest.raises(UserError, match=sentence):
            list(engine.results())


def test_a_backend_that_is_not_installed_is_one_sentence(ask: Ask, scripted: Scripted) -> None:
    with RayEngine() as engine:
        engine.open("m", scripted(target="no_such_module:Backend"))
        engine.submit("m", [ask(0)])
        with pytest.raises(UserError, match="ModuleNotFoundError: No module named"):
            list(engine.results())


def test_a_fatal_error_stops_the_pool_soon(ask: Ask, scripted: Scripted, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with RayEngine() as engine:
        engine.open("m", scripted(log=str(log), replicas=2))
        engine.submit("m", [ask(0, do="auth"), *(ask(i) for i in range(1, 2_000))])
        kinds = Counter(c.error.kind if c.error else "" for _, _, c in engine.results())
    assert kinds["auth"] == 1
    assert sum(kinds.values()) == 2_000
    assert len(log.read_text().split()) <= 4 * 2 * 4, "what was out, not two thousand"


def test_an_interrupt_stores_what_has_arrived(
    ask: Ask, scripted: Scripted, store: CompletionStore
) -> None:
    interrupt = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    handed_out = 0
    with RayEngine(store=store) as engine:
        engine.open("m", scripted(delay_s=0.02))
        engine.submit("m", (ask(i) for i in range(100_000)))
        with pytest.raises(KeyboardInterrupt):
            for _ in engine.results():
                handed_out += 1
                if handed_out == 1:
                    interrupt.start()
        assert 0 < handed_out <= len(store) < 1_000


def test_workers_close_their_backends(ask: Ask, scripted: Scripted, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with RayEngine() as engine:
        engine.open("m", scripted(log=str(log)))
        engine.submit("m", [ask(0)])
        list(engine.results())
    assert Path(f"{log}.closed").exists()


def test_an_engine_leaves_ray_running_for_the_next_of_a_sweep(ask: Ask, scripted: Scripted) -> None:
    import ray

    job = None
    for _ in range(3):
        with RayEngine() as engine:
            engine.open("m", scripted(num_cpus=2))
            engine.submit("m", [ask(0)])
            assert len(list(engine.results())) == 1
        assert job in (None, ray.get_runtime_context().get_job_id())
        job = ray.get_runtime_context().get_job_id()


def test_a_key_set_after_ray_started_reaches_the_workers(
    ask: Ask, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGINE_TEST_KEY", "sk-very-secret")
    with RayEngine() as engine:
        engine.open("m", scripted(api_key_env="ENGINE_TEST_KEY"))
        engine.submit("m", [ask(0, do="raise")])
        [(_, _, completion)] = engine.results()
    assert completion.error is not None
    # The worker saw the key (it replaced it), and the driver did not get to see it.
    assert completion.error.message == "RuntimeError: no such token [ENGINE_TEST_KEY]"
