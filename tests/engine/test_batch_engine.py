"""The batch endpoint: every request ends once, nothing is paid twice, a restart goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import batch_server
import pytest
from support_models import spec_of

from mouse.contracts import Completion, Message, Request
from mouse.engine.batch_engine import BatchEngine
from mouse.engine.store import CompletionStore
from mouse.errors import UserError
from mouse.models.api.config import OpenAIChatConfig
from mouse.models.base import BackendSpec

KEY = "sk-batch-0123456789abcdef"
Ended = tuple[dict[str, Completion], BatchEngine]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("BATCH_TEST_KEY", KEY)
    server = batch_server.BatchServer(key=KEY)
    yield server
    server.stop()


class Slept:
    """Stands for `time.sleep`; may end the driver after so many sleeps."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.end_after = 10**9

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if len(self.seconds) > self.end_after:
            raise KeyboardInterrupt


@pytest.fixture
def slept() -> Slept:
    return Slept()


@pytest.fixture
def model(server: Any) -> Callable[..., BackendSpec]:
    def make(**changes: Any) -> BackendSpec:
        given = {
            "name": "tiny",
            "id": "tiny",
            "base_url": server.url,
            "api_key_env": "BATCH_TEST_KEY",
            "retries": {"max_attempts": 3, "max_wait_s": 1.0},
            "limits": {"timeout_s": 5.0},
            **changes,
        }
        return spec_of(OpenAIChatConfig, **given)

    return make


@pytest.fixture
def run(server: Any, model: Callable[..., BackendSpec], tmp_path: Path, slept: Slept) -> Any:
    """Asks `count` requests as a fresh driver would; returns completions by item."""

    def go(count: int, keep: bool = True, **changes: Any) -> Ended:
        ended: dict[str, Completion] = {}
        with CompletionStore(tmp_path / "s.db") as store:
            kept = store if keep else None
            engine = BatchEngine(folder=tmp_path / "state", poll_s=30, store=kept, sleep=slept)
            with engine:
                engine.open("model", model(**changes))
                engine.submit("model", (ask(number) for number in range(count)))
                for _, request, completion in engine.results():
                    assert request.item_id not in ended
                    ended[request.item_id] = completion
        return ended, engine

    return go


def ask(number: int) -> Request:
    return Request("", f"i{number}", "td", "", 0, (Message("user", f"第{number}句“🌶️”\u2028"),))


def kinds(ended: dict[str, Completion]) -> Counter[str]:
    return Counter(
        one.error.kind if one.error else str(one.finish_reason) for one in ended.values()
    )


def test_one_batch_answers_all_and_leaves_nothing_behind(run: Any, server: Any, slept: Any) -> None:
    echo = batch_server.said
    server.answer = lambda body, number: (200, echo(body["messages"][-1]["content"]))
    ended, engine = run(1_200)
    assert {key: one.text for key, one in ended.items()} == {
        f"i{number}": f"第{number}句“🌶️”\u2028" for number in range(1_200)
    }
    assert server.times("POST /files") == server.times("POST /batches") == 1
    assert slept.seconds == [30.0]
    assert server.files == {}, "its files were not deleted"
    assert engine.describe("model") == {}  # closed
    stats = engine.stats_of("model")
    assert (stats.asked, stats.answered, stats.attempts, stats.in_flight) == (
        1_200,
        1_200,
        1_200,
        0,
    )
    assert stats.prompt_tokens == 1_200_000
    again, engine = run(1_200)
    assert again.keys() == ended.keys() and engine.stats_of("model").cache_hits == 1_200
    assert server.times("POST /batches") == 1


@pytest.mark.parametrize("when", [0, 1, 2])
def test_a_driver_that_ends_at_any_time_is_followed_by_one_that_finds_the_batch(
    when: int, run: Any, server: Any, slept: Slept
) -> None:
    server.looks = 4
    slept.end_after = when
    with pytest.raises(KeyboardInterrupt):
        run(40)
    slept.end_after = 10**9
    ended, _ = run(60)
    assert kinds(ended) == {"stop": 60}
    # 40 are in the old batch, 20 in a new one; nothing was paid for twice.
    assert [b["request_counts"]["total"] for b in server.batches.values()] == [40, 20]
    assert set(server.answered.values()) == {1}


@pytest.mark.parametrize("call", ["POST /files", "POST /batches"])
def test_a_driver_that_dies_while_the_batch_is_made_makes_no_second_one(
    call: str, run: Any, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mouse.models.api.batch import BatchClient

    made = {"POST /files": "upload", "POST /batches": "create"}[call]
    real = getattr(BatchClient, made)

    def die_after(self: BatchClient, given: Any) -> Any:
        real(self, given)
        raise SystemExit(9)

    monkeypatch.setattr(BatchClient, made, die_after)
    with pytest.raises(SystemExit):
        run(30)
    assert server.times(call) == 1
    monkeypatch.setattr(BatchClient, made, real)
    ended, _ = run(30)
    assert kinds(ended) == {"stop": 30}
    assert len(server.batches) == 1
    assert set(server.answered.values()) == {1}


def test_a_lost_reply_to_the_start_of_a_batch_does_not_start_another(run: Any, server: Any) -> None:
    server.troubles = [("POST /batches", 0)]
    ended, _ = run(30)
    assert kinds(ended) == {"stop": 30} and len(server.batches) == 1


def test_failed_lines_are_asked_again_and_others_are_not(run: Any, server: Any) -> None:
    def answer(body: dict[str, Any], number: int) -> Any:
        n = int(body["messages"][-1]["content"].split("第")[1].split("句")[0])
        refused = {"error": {"message": "no", "code": "content_filter"}}
        table: dict[int, Any] = {
            0: (500, {"error": {"message": "Oops."}})
            if number == 1
            else (200, batch_server.said("1")),
            1: None if number < 3 else (200, batch_server.said("1")),
            2: (400, {"error": {"message": "This parameter is wrong."}}),
            3: (400, refused),
            4: (429, {"error": {"message": "Slow down."}}),
            5: (200, {**batch_server.said("1"), "choices": None}) if number == 1 else None,
        }
        return table.get(n, (200, batch_server.said("1")))

    server.answer = answer
    ended, engine = run(20)
    found = kinds(ended)
    assert found == {
        "stop": 16,
        "bad_request": 1,
        "content_filter": 1,
        "rate_limit": 1,
        "server": 1,
    }
    assert [ended[f"i{n}"].attempts for n in (0, 1, 2, 4, 6)] == [2, 3, 1, 3, 1]
    assert [b["request_counts"]["total"] for b in server.batches.values()] == [20, 4, 3]
    assert engine.stats_of("model").asked_again == 7 and engine.stats_of("model").failed == 3
    ended, engine = run(20)
    assert engine.stats_of("model").cache_hits == 17


def test_what_an_expired_batch_left_out_is_asked_again(run: Any, server: Any) -> None:
    server.end = "expired"
    server.answer = lambda body, number: (
        (200, batch_server.said("1"))
        if number > 1 or "1" in body["messages"][-1]["content"]
        else None
    )
    ended, _ = run(20)
    assert kinds(ended) == {"stop": 20}
    assert set(server.answered.values()) == {1}


def test_a_server_without_room_gets_smaller_batches(run: Any, server: Any) -> None:
    server.room = 30
    ended, _ = run(100)
    assert kinds(ended) == {"stop": 100}
    assert set(server.answered.values()) == {1}
    assert max(b["request_counts"]["total"] for b in list(server.batches.values())[-4:]) <= 30


def test_a_bad_line_on_the_way_is_borne(run: Any, server: Any, slept: Slept) -> None:
    server.troubles = [
        ("POST /files", 503),
        ("POST /batches", 500),
        ("GET /batches/", 502),
        ("GET /files/", 429),
        ("GET /files/", 0),
        ("DELETE /files/", 500),
    ]
    ended, _ = run(20)
    assert kinds(ended) == {"stop": 20} and len(server.batches) == 1
    assert server.troubles == []


def test_a_long_outage_ends_the_run_and_the_next_one_finds_the_batch(
    run: Any, server: Any, slept: Slept
) -> None:
    server.troubles = [("GET /batches/", 503)] * 30
    ended, _ = run(20)
    assert kinds(ended) == {"server": 20}
    server.troubles = []
    ended, _ = run(20)
    assert kinds(ended) == {"stop": 20} and len(server.batches) == 1


def test_a_key_refused_on_the_way_ends_the_run_without_showing_it(run: Any, server: Any) -> None:
    server.key = "another"
    ended, _ = run(5)
    assert kinds(ended) == {"auth": 5}
    assert all(one.error and KEY not in one.error.message for one in ended.values())
    server.key = KEY
    assert kinds(run(5)[0]) == {"stop": 5}


def test_a_server_without_batches_is_named_with_the_way_out(run: Any, server: Any) -> None:
    server.troubles = [("POST /files", 404)]
    ended, _ = run(5)
    [message] = {one.error.message for one in ended.values() if one.error}
    assert "engine.mode=online" in message


def test_a_batch_that_the_server_has_forgotten_is_made_anew(run: Any, server: Any) -> None:
    server.troubles = [("GET /batches/", 404)]
    ended, _ = run(5)
    assert kinds(ended) == {"stop": 5} and len(server.batches) == 2


def test_a_local_model_cannot_be_asked_in_batches(tmp_path: Path) -> None:
    local = BackendSpec("mouse.models.lexicon:Lexicon", {}, {"backend": "lexicon"})
    with (
        BatchEngine(folder=tmp_path) as engine,
        pytest.raises(UserError, match=r"engine\.mode=online"),
    ):
        engine.open("model", local)


def test_no_byte_of_the_key_is_in_the_journal(run: Any, server: Any, tmp_path: Path) -> None:
    server.looks = 10**9
    server.troubles = [("GET /batches/", 503)] * 30
    run(20)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name.startswith("batches.sqlite") for path in files)
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
