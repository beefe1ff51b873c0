"""The whole way of an answer: task → Ray actors → a server that misbehaves → store → prediction."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from support_models import spec_of

from mouse.contracts import Completion, Outcome, Prediction, Sampling
from mouse.corpus.items import CXEI, Components, Dataset
from mouse.engine.store import CompletionStore
from mouse.models.api.config import OpenAIChatConfig
from mouse.tasks.prompts import PromptSet
from mouse.tasks.registry import get_task

pytestmark = pytest.mark.ray

ITEMS = 240
IN_FLIGHT = 16


@pytest.fixture(scope="module", autouse=True)
def ray_session() -> Iterator[None]:
    from mouse.engine.ray_runtime import ensure_ray, shutdown

    ensure_ray(num_cpus=2)
    yield
    shutdown()


@pytest.fixture
def dataset() -> Dataset:
    unknown = Components(None, None, None)
    return Dataset(
        "d",
        tuple(
            CXEI(f"x{n}", f"第{n}句🌶️", None, unknown, None, n % 2)  # type: ignore[arg-type]
            for n in range(ITEMS)
        ),
    )


def evaluate(
    server: Any, store: Path, dataset: Dataset, kill_after: int = 0
) -> tuple[list[Prediction], list[Completion], Any]:
    """One run of toxicity detection with two actors; optionally an actor is killed on the way."""
    from mouse.engine.ray_engine import RayEngine

    task = get_task("td")
    items, _ = task.items(dataset)
    by_id = {item.id: item for item in items}
    model = {
        "name": "tiny",
        "id": "tiny",
        "base_url": server.url,
        "actors": 2,
        "limits": {"max_in_flight": IN_FLIGHT, "timeout_s": 5.0},
        "retries": {"max_attempts": 8, "max_wait_s": 1.0},
    }
    predictions, completions = [], []
    with CompletionStore(store) as kept, RayEngine(store=kept) as engine:
        engine.open("model", spec_of(OpenAIChatConfig, **model))
        engine.submit("model", task.requests(items, PromptSet.load("zh"), sampling=Sampling()))
        for _, request, completion in engine.results():
            predictions.append(task.read(request, completion, by_id[request.item_id]))
            completions.append(completion)
            if kill_after and len(completions) == kill_after:
                os.kill(an_actor().pid, signal.SIGKILL)
        return predictions, completions, engine.stats


def an_actor() -> psutil.Process:
    busy = [
        process
        for process in psutil.Process().children(recursive=True)
        if (command := process.cmdline()) and command[0].startswith("ray::Worker")
    ]
    assert busy, "no actor found"
    return busy[0]


def answer_label(faulty: Any) -> Any:
    """Answers 1 for odd items and 0 for even ones, as a perfect model would."""

    def on_body(body: dict[str, Any]) -> Any:
        number = int(body["messages"][-1]["content"].split("第")[1].split("句")[0])
        return faulty.web.json_response(faulty.completion(str(number % 2)))

    return on_body


def served(server: Any) -> Counter[str]:
    """How often each prompt was answered (and paid for)."""
    return Counter(call.text for call in server.calls if call.status == 200)


def test_every_item_is_answered_once_through_a_bad_line_and_never_again(
    server: Any, faulty: Any, dataset: Dataset, tmp_path: Path
) -> None:
    server.share_503, server.on_body = 0.3, answer_label(faulty)
    predictions, completions, stats = evaluate(server, tmp_path / "s.db", dataset)
    assert Counter(p.outcome for p in predictions) == {Outcome.VALID: ITEMS}
    assert all(p.predicted == p.gold for p in predictions)
    assert set(served(server).values()) == {1}
    assert sum(c.attempts for c in completions) == len(server.calls) > ITEMS
    before = len(server.calls)
    again, _, stats = evaluate(server, tmp_path / "s.db", dataset)
    assert len(server.calls) == before
    assert stats.cache_hits == ITEMS
    assert sorted(map(repr, again)) == sorted(map(repr, predictions))


def test_a_revoked_key_stops_both_actors_and_the_next_run_finishes(
    server: Any, faulty: Any, dataset: Dataset, tmp_path: Path
) -> None:
    label = answer_label(faulty)

    def revoked(body: dict[str, Any]) -> Any:
        return label(body) if len(server.calls) <= 80 else faulty.error(401, "Revoked.")

    server.on_body, server.latency_s = revoked, 0.01
    predictions, completions, _ = evaluate(server, tmp_path / "s.db", dataset)
    ledger = Counter(p.outcome for p in predictions)
    assert 0 < ledger[Outcome.VALID] == sum(served(server).values()) <= 80
    assert ledger[Outcome.FAILED] == ITEMS - ledger[Outcome.VALID]
    kinds = Counter(c.error.kind for c in completions if c.error)
    assert 1 <= kinds["auth"] <= IN_FLIGHT
    assert len(server.calls) <= 80 + IN_FLIGHT
    server.on_body = label
    predictions, _, _ = evaluate(server, tmp_path / "s.db", dataset)
    assert Counter(p.outcome for p in predictions) == {Outcome.VALID: ITEMS}
    assert set(served(server).values()) == {1}


def test_an_actor_that_is_killed_costs_no_more_than_its_chunks(
    server: Any, faulty: Any, dataset: Dataset, tmp_path: Path
) -> None:
    server.on_body, server.latency_s = answer_label(faulty), 0.05
    predictions, _, stats = evaluate(server, tmp_path / "s.db", dataset, kill_after=40)
    assert Counter(p.outcome for p in predictions) == {Outcome.VALID: ITEMS}
    assert stats.restarts >= 1
    twice = sum(times - 1 for times in served(server).values())
    print(f"{twice} of {ITEMS} asked twice after an actor was killed")
    # What one actor holds: its window and the chunks that wait for it.
    assert twice <= 2 * IN_FLIGHT
