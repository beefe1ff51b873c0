"""The order of business of every engine, shown on the one that needs no Ray."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.contracts import CompletionError, Request
from mouse.engine.config import EngineConfig, EngineKind, StoreMode
from mouse.engine.inline import InlineEngine
from mouse.engine.opening import open_engine
from mouse.engine.store import CompletionStore
from mouse.errors import UserError
from mouse.models.base import BackendSpec

Ask = Callable[..., Request]
Scripted = Callable[..., BackendSpec]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CompletionStore]:
    with CompletionStore(tmp_path / "s.db") as opened:
        yield opened


def asked(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def test_every_request_is_answered_with_its_own_text(ask: Ask, scripted: Scripted) -> None:
    with InlineEngine() as engine:
        engine.open("m", scripted())
        engine.submit("m", [ask(i) for i in range(30)])
        results = list(engine.results())
    assert len(results) == 30
    for pool, request, completion in results:
        assert pool == "m"
        assert completion.request_key == request.key
        assert completion.text == request.messages[-1].content


def test_what_the_store_holds_is_not_asked_and_loads_no_model(
    ask: Ask, scripted: Scripted, store: CompletionStore, tmp_path: Path
) -> None:
    with InlineEngine(store=store) as engine:
        engine.open("m", scripted())
        engine.submit("m", [ask(i) for i in range(10)])
        first = {request.key: completion for _, request, completion in engine.results()}
    with InlineEngine(store=store) as engine:
        engine.open("m", scripted(broken="a model that cannot be loaded"))
        engine.submit("m", [ask(i) for i in range(10)])
        again = {request.key: completion for _, request, completion in engine.results()}
        assert engine.stats_of("m").cache_hits == 10
        assert engine.stats_of("m").asked == 0
        assert engine.stats_of("m").prompt_tokens == 0
    assert again == first


def test_failures_are_asked_again_by_the_next_run_and_filtered_answers_are_not(
    ask: Ask, scripted: Scripted, store: CompletionStore
) -> None:
    requests = [ask(0), ask(1, do="transport"), ask(2, do="filter")]
    for hits, sent in ((0, 3), (2, 1)):
        with InlineEngine(store=store) as engine:
            engine.open("m", scripted())
            engine.submit("m", requests)
            ends = {request.item_id: completion for _, request, completion in engine.results()}
            assert (engine.stats_of("m").cache_hits, engine.stats_of("m").asked) == (hits, sent)
        assert ends["i1"].error is not None
        assert ends["i2"].finish_reason == "content_filter"


@pytest.mark.parametrize("mode", StoreMode)
def test_equal_requests_are_asked_once_and_answered_each(
    mode: StoreMode, ask: Ask, scripted: Scripted, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    # 3,000 lie between the first and the last: the answer is long known when its twin comes.
    requests = [ask(0), ask(0), *(ask(i) for i in range(1, 3_000)), replace(ask(0), item_id="twin")]
    with open_engine(EngineConfig(EngineKind.inline), mode, tmp_path / "state") as engine:
        engine.open("m", scripted(log=str(log), chunk_size=64))
        engine.submit("m", requests)
        results = list(engine.results())
        stats = engine.stats_of("m")
    assert Counter(request.item_id for _, request, _ in results)["twin"] == 1
    assert len(results) == 3_002
    assert len(asked(log)) == len(set(asked(log))) == 3_000
    assert stats.asked == 3_000
    assert stats.duplicates + stats.cache_hits == 2
    assert (tmp_path / "state").exists() == (mode is not StoreMode.off)


def test_refresh_asks_what_is_stored(ask: Ask, scripted: Scripted, tmp_path: Path) -> None:
    log = tmp_path / "log"
    for mode in (StoreMode.reuse, StoreMode.refresh):
        with CompletionStore(tmp_path / "s.db", mode) as store, InlineEngine(store=store) as engine:
            engine.open("m", scripted(log=str(log)))
            engine.submit("m", [ask(0)])
            list(engine.results())
    assert len(asked(log)) == 2


def test_a_backend_that_depends_on_the_item_is_never_answered_from_the_store(
    ask: Ask, scripted: Scripted, store: CompletionStore, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    same_prompt = [ask(0), replace(ask(0), item_id="other")]
    for _ in range(2):
        with InlineEngine(store=store) as engine:
            engine.open("m", scripted(log=str(log), cacheable=False))
            engine.submit("m", same_prompt)
            assert len(list(engine.results())) == 2
    assert len(asked(log)) == 4
    assert len(store) == 0


def test_a_source_is_read_as_needed(ask: Ask, scripted: Scripted) -> None:
    taken = 0

    def source() -> Iterator[Request]:
        nonlocal taken
        for i in range(100_000):
            taken += 1
            yield ask(i)

    with InlineEngine() as engine:
        engine.open("m", scripted(chunk_size=32))
        engine.submit("m", source())
        next(engine.results())
    assert taken <= 1_024


def test_judging_starts_while_inference_still_runs(ask: Ask, scripted: Scripted) -> None:
    order: list[str] = []
    with InlineEngine() as engine:
        engine.open("model", scripted())
        engine.open("judge", scripted(identity={"backend": "judge"}))
        engine.submit("model", (ask(i) for i in range(2_000)))
        for pool, request, _ in engine.results():
            order.append(pool)
            if pool == "model":
                engine.submit("judge", [replace(request, task="judge")])
        assert engine.stats_of("judge").requests == 2_000
    assert Counter(order) == {"model": 2_000, "judge": 2_000}
    assert order.index("judge") < 1_500


def test_a_fatal_error_cancels_the_rest_but_what_is_stored_still_comes(
    ask: Ask, scripted: Scripted, store: CompletionStore, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with InlineEngine(store=store) as engine:
        engine.open("m", scripted())
        engine.submit("m", [ask(2_999)])
        list(engine.results())
    with InlineEngine(store=store) as engine:
        engine.open("m", scripted(log=str(log)))
        engine.submit("m", [ask(0, do="auth"), *(ask(i) for i in range(1, 3_000))])
        errors = [completion.error for _, _, completion in engine.results()]
    assert len(asked(log)) == 4, "the chunk that was out, and nothing after it"
    ends = Counter(error.kind if error else "answered" for error in errors)
    assert ends == {"auth": 1, "answered": 4, "cancelled": 2_995}
    assert all("bad key" in error.message for error in errors if error)


def test_a_budget_refuses_requests_before_they_are_sent(
    ask: Ask, scripted: Scripted, store: CompletionStore
) -> None:
    left = {"m": 5}

    def admit(pool: str, request: Request) -> CompletionError | None:
        left[pool] -= 1
        return CompletionError("budget", "spent") if left[pool] < 0 else None

    for answered in (5, 10):
        left["m"] = 5
        with InlineEngine(store=store, admit=admit) as engine:
            engine.open("m", scripted())
            engine.submit("m", [ask(i) for i in range(12)])
            results = list(engine.results())
            assert engine.stats_of("m").asked == 5
            assert engine.stats_of("m").refused == 12 - answered
        assert sum(completion.error is None for _, _, completion in results) == answered


def test_a_pool_is_prepared_once_with_the_first_request_that_must_be_sent(
    ask: Ask, scripted: Scripted, store: CompletionStore
) -> None:
    prepared = []

    def prepare(pool: str, spec: BackendSpec, request: Request) -> BackendSpec:
        prepared.append((pool, request.item_id))
        return replace(spec, chunk_size=1)

    for submitted, expected in ((5, [("m", "i0")]), (5, []), (8, [("m", "i5")])):
        prepared.clear()
        with InlineEngine(store=store, prepare=prepare) as engine:
            engine.open("m", scripted())
            engine.submit("m", [ask(i) for i in range(submitted)])
            assert len(list(engine.results())) == submitted
        assert prepared == expected


def test_a_backend_that_raises_fails_that_request_alone(ask: Ask, scripted: Scripted) -> None:
    with InlineEngine() as engine:
        engine.open("m", scripted())
        engine.submit("m", [ask(0), ask(1, do="raise"), ask(2), ask(3, do="forget")])
        ends = {request.item_id: completion.error for _, request, completion in engine.results()}
    assert ends["i0"] is None and ends["i2"] is None
    assert ends["i1"] is not None and ends["i1"].message == "RuntimeError: no such token"
    assert ends["i3"] is not None and "returned nothing" in ends["i3"].message


def test_a_secret_in_an_exception_is_named_and_not_shown(
    ask: Ask, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGINE_TEST_KEY", "sk-very-secret")
    with InlineEngine() as engine:
        engine.open("m", scripted(api_key_env="ENGINE_TEST_KEY"))
        engine.submit("m", [ask(1, do="raise")])
        [(_, _, completion)] = engine.results()
    assert completion.error is not None
    assert completion.error.message == "RuntimeError: no such token [ENGINE_TEST_KEY]"
    with InlineEngine() as engine:
        engine.open("m", scripted(api_key_env="ENGINE_TEST_KEY", broken="refused"))
        engine.submit("m", [ask(1)])
        with pytest.raises(UserError) as caught:
            list(engine.results())
    assert "sk-very-secret" not in str(caught.value) + str(caught.value.__cause__)


@pytest.mark.parametrize(
    ("broken", "sentence", "traced"),
    [
        ("user", "«m» could not be started: The folder of weights is not there", False),
        ("no such file", "«m» could not be started: OSError: no such file", True),
    ],
)
def test_a_backend_that_cannot_be_built_is_one_sentence(
    broken: str, sentence: str, traced: bool, ask: Ask, scripted: Scripted
) -> None:
    with InlineEngine() as engine:
        engine.open("m", scripted(broken=broken))
        engine.submit("m", [ask(0)])
        with pytest.raises(UserError, match=sentence) as caught:
            list(engine.results())
    assert (caught.value.__cause__ is not None) == traced


def test_breaking_off_keeps_what_was_answered(
    ask: Ask, scripted: Scripted, store: CompletionStore
) -> None:
    with InlineEngine(store=store) as engine:
        engine.open("m", scripted())
        engine.submit("m", [ask(i) for i in range(20)])
        with pytest.raises(KeyboardInterrupt):
            for _ in engine.results():
                raise KeyboardInterrupt
    assert len(store) == 4


def test_close_closes_the_backend_and_may_be_called_twice(
    ask: Ask, scripted: Scripted, tmp_path: Path
) -> None:
    engine = InlineEngine()
    engine.open("m", scripted(log=str(tmp_path / "log")))
    assert engine.describe("m") == {}
    engine.submit("m", [ask(0)])
    list(engine.results())
    assert engine.describe("m")["backend"] == "scripted"
    engine.close()
    engine.close()
    assert (tmp_path / "log.closed").exists()


def test_opening_a_pool_twice_is_a_mistake_of_the_caller(scripted: Scripted) -> None:
    with InlineEngine() as engine:
        engine.open("m", scripted())
        with pytest.raises(ValueError, match="open already"):
            engine.open("m", scripted())


@given(
    fates=st.lists(
        st.tuples(
            st.integers(0, 12),
            st.sampled_from(["", "", "", "raise", "forget", "transport", "filter", "auth"]),
        ),
        max_size=60,
    ),
    cut=st.integers(0, 60),
    chunk_size=st.integers(1, 7),
)
def test_whatever_the_backend_does_every_request_ends_once_and_the_counts_add_up(
    fates: list[tuple[int, str]],
    cut: int,
    chunk_size: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    from mouse.contracts import Message

    requests = [
        Request("", f"{i}", "tr", "", 0, (Message("user", f"{n}"),), payload={"do": do})
        for i, (n, do) in enumerate(fates)
    ]
    spec = BackendSpec("engine_backends:Scripted", {}, {"b": 1}, chunk_size=chunk_size)
    path = tmp_path_factory.mktemp("store") / "s.db"
    for _ in range(2):
        with CompletionStore(path) as store, InlineEngine(store=store) as engine:
            engine.open("m", spec)
            engine.submit("m", requests[:cut])
            engine.submit("m", requests[cut:])
            results = list(engine.results())
            stats = engine.stats_of("m")
        assert sorted(int(request.item_id) for _, request, _ in results) == list(range(len(fates)))
        for _, request, completion in results:
            assert completion.request_key == request.key
            assert (completion.error is None) != (completion.finish_reason is None)
        assert stats.requests == len(fates) == stats.answered + stats.failed
        assert stats.requests == stats.cache_hits + stats.duplicates + stats.asked + stats.refused
        assert stats.in_flight == 0
