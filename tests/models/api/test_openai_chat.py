"""A model's configuration: what is refused, what is part of its identity, and what is shared."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from support_models import spec_of

from mouse.errors import UserError
from mouse.models.api.config import OpenAIChatConfig

MODEL: dict[str, Any] = {
    "name": "tiny",
    "id": "tiny-1",
    "base_url": "https://user@api.example.com/v1",
    "api_key_env": "MOUSE_TEST_KEY",
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MOUSE_TEST_KEY", "sk-secret-value")
    return "sk-secret-value"


def build(**changes: Any) -> Any:
    return spec_of(OpenAIChatConfig, **{**MODEL, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": None}, "set model.id"),
        ({"base_url": None}, "set model.base_url"),
        ({"base_url": "api.example.com/v1"}, "no URL such as https"),
        ({"api_key_env": "MOUSE_NO_SUCH_KEY"}, "environment variable MOUSE_NO_SUCH_KEY"),
        ({"actors": 0, "limits": {"max_in_flight": -1}}, "at least"),
        ({"actors": 4, "limits": {"max_in_flight": 2}}, "at least model.actors=4"),
    ],
)
def test_mistakes_are_told_in_the_driver(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        build(**changes)


def test_a_server_without_keys_needs_none() -> None:
    assert build(api_key_env=None).options["config"].api_key_env is None


def test_the_key_itself_is_nowhere_in_the_spec(key: str) -> None:
    assert key not in repr(build())


def test_the_address_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOUSE_TEST_URL", "http://127.0.0.1:8000/v1")
    assert build(base_url_env="MOUSE_TEST_URL").identity["host"] == "127.0.0.1:8000"
    assert build(base_url_env="MOUSE_UNSET_URL").identity["host"] == "api.example.com"


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "another name"},
        {"limits": {"max_in_flight": 8, "requests_per_minute": 5}},
        {"retries": {"max_attempts": 1}},
        {"actors": 3},
        {"adaptive": False},
        {"token_param": "max_completion_tokens"},
        {"transport": "openai"},
        {"price": {"input": 3}},
        {"extra_headers": {"X": "y"}},
        {"params": {"temperature": 0.0, "max_tokens": 64}},
        {"thinking_extra_body": {"thinking": True}},
    ],
)
def test_what_does_not_change_an_answer_is_not_in_the_identity(changes: dict[str, Any]) -> None:
    assert build(**changes).identity == build().identity


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "tiny-2"},
        {"revision": "2"},
        {"base_url": "https://other.example.com/v1"},
        {"extra_body": {"enable_thinking": False}},
        {"params": {"presence_penalty": 1}},
        {"drop_params": ["temperature"]},
        {"structured": "logprobs"},
        {"thinking": "on"},
        {"thinking": "default"},
        {"thinking_off_body": {"enable_thinking": False}},
    ],
)
def test_what_may_change_an_answer_is_in_the_identity(changes: dict[str, Any]) -> None:
    assert build(**changes).identity != build().identity


def test_thinking_is_switched_by_its_own_body() -> None:
    switches = {
        "extra_body": {"a": 0, "always": 1},
        "thinking_off_body": {"a": 2},
        "thinking_extra_body": {"a": 1},
    }

    def sent(**changes: Any) -> Any:
        return build(**switches, **changes).options["config"].request_extras()

    assert sent() == sent(thinking="off") == {"a": 2, "always": 1}
    assert sent(thinking="on") == {"a": 1, "always": 1}
    assert sent(thinking="default") == {"a": 0, "always": 1}


@pytest.mark.parametrize(("actors", "in_flight"), [(1, 1), (1, 64), (2, 64), (2, 256), (3, 10)])
def test_actors_have_work_for_their_share_of_the_window(actors: int, in_flight: int) -> None:
    built = build(actors=actors, limits={"max_in_flight": in_flight})
    share = -(-in_flight // actors)
    assert built.replicas == actors
    assert built.max_concurrency * built.chunk_size >= 2 * share
    backends = [built.build() for _ in range(actors)]
    windows = [backend.rate_limiter.adaptive.max_in_flight for backend in backends]
    assert in_flight <= sum(windows) < in_flight + actors


def test_fixed_limits_are_divided_among_the_actors() -> None:
    built = build(actors=2, limits={"requests_per_minute": 600, "tokens_per_minute": 60_000})
    limiter = built.build().rate_limiter
    assert limiter.requests.rate == pytest.approx(5)
    assert limiter.tokens.rate == pytest.approx(500)


def test_a_worker_without_the_key_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    built = build()
    monkeypatch.delenv("MOUSE_TEST_KEY")
    with pytest.raises(UserError, match="no environment variable MOUSE_TEST_KEY"):
        built.build()


def test_checking_a_configuration_imports_nothing_heavy() -> None:
    code = (
        "import sys, mouse.models.api.openai_chat;"
        "print([m for m in ('openai', 'aiohttp', 'ray', 'pydantic') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
