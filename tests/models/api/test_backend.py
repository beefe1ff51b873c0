"""Every way a server can misbehave, and what becomes of the request; over both transports."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from mouse.contracts import Completion, Request

Make = Callable[..., Any]


@pytest.fixture(params=["aiohttp", "openai"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def kind(completion: Completion) -> str | None:
    """The error's kind, or the finish reason."""
    return completion.error.kind if completion.error else completion.finish_reason


@pytest.mark.parametrize(
    ("plan", "attempts"),
    [
        ("ok", 1),
        ("status:429,ok", 2),
        ("wait:0.1,ok", 2),
        ("waitdate:1,ok", 2),
        ("status:500,status:502,status:504,ok", 4),
        ("status:503,ok", 2),
        ("wait503:0.1,ok", 2),
        ("status:529,ok", 2),
        ("status:408,ok", 2),
        ("reset,ok", 2),
        ("cut,ok", 2),
        ("halfjson,ok", 2),
        ("html,ok", 2),
        ("html:502,ok", 2),
        ("nochoices,ok", 2),
        ("wrapped:503,ok", 2),
        ("finish:network_error,ok", 2),
    ],
)
def test_what_may_pass_is_tried_again_until_it_is_answered(
    server: Any, client: Make, transport: str, plan: str, attempts: int
) -> None:
    completion = client(transport=transport).one(f"q|{plan}")
    assert (completion.text, completion.finish_reason) == ("B", "stop")
    assert completion.error is None
    assert completion.attempts == attempts == len(server.calls)


@pytest.mark.parametrize(
    ("plan", "expected", "fatal"),
    [
        ("status:400", "bad_request", False),
        ("status:422", "bad_request", False),
        ("status:501", "bad_request", False),
        ("status:401", "auth", True),
        ("status:403", "auth", True),
        ("status:402", "quota", True),
        ("quota", "quota", True),
        ("status:404", "bad_request", True),
        ("wrapped:401", "auth", True),
        ("wait:3600", "rate_limit", True),
        ("wait503:3600", "server", True),
    ],
)
def test_what_will_not_pass_is_not_asked_twice(
    server: Any, client: Make, transport: str, plan: str, expected: str, fatal: bool
) -> None:
    completion = client(transport=transport).one(f"q|{plan},ok")
    assert completion.error is not None
    assert (completion.error.kind, completion.error.fatal) == (expected, fatal)
    assert len(server.calls) == 1


@pytest.mark.parametrize(
    ("plan", "reason", "text", "reasoning"),
    [
        ("refusal", "refusal", "I cannot help with that.", None),
        ("empty", "stop", "", None),
        ("finish:length", "length", "我认为", None),
        ("finish:content_filter", "content_filter", "我认为", None),
        ("finish:sensitive", "content_filter", "我认为", None),
        ("reasoning", "stop", "B", "先看选项……"),
        ("context", "context_length", None, None),
        ("policy", "content_filter", None, None),
    ],
)
def test_what_the_model_did_is_an_outcome_and_not_an_error(
    server: Any, client: Make, transport: str, plan: str, reason: str, text: str, reasoning: str
) -> None:
    completion = client(transport=transport).one(f"q|{plan}")
    assert completion.error is None
    assert completion.finish_reason == reason
    assert (completion.text, completion.reasoning) == (text, reasoning)
    assert len(server.calls) == 1


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("status:503", "server"),
        ("reset", "transport"),
        ("cut", "transport"),
        ("halfjson", "server"),
    ],
)
def test_what_never_passes_fails_after_its_attempts(
    server: Any, client: Make, transport: str, plan: str, expected: str
) -> None:
    completion = client(transport=transport, retries={"max_attempts": 3}).one(f"q|{plan}")
    assert completion.error is not None
    assert (completion.error.kind, completion.error.fatal) == (expected, False)
    assert completion.attempts == len(server.calls) == 3
    assert "after 3 attempts" in completion.error.message


@pytest.mark.parametrize("plan", ["hang:3", "drip:0.05"])
def test_a_hang_and_a_drip_end_at_the_deadline(
    server: Any, client: Make, transport: str, plan: str
) -> None:
    one = client(transport=transport, limits={"timeout_s": 0.4}, retries={"max_attempts": 2})
    started = time.monotonic()
    completion = one.one(f"q|{plan}")
    assert kind(completion) == "timeout"
    assert "0.4 s" in completion.error.message
    assert time.monotonic() - started >= 0.8
    assert one.one(f"p|{plan},ok").text == "B"


def test_no_server_at_all_is_a_transport_error(server: Any, client: Make, transport: str) -> None:
    one = client(transport=transport, retries={"max_attempts": 2})
    server.stop()
    assert kind(one.one("q")) == "transport"


def test_retry_after_is_waited_for_by_all(
    server: Any, client: Make, request_for: Callable[..., Request]
) -> None:
    one = client(limits={"max_in_flight": 2})
    texts = ["a|wait:0.6,ok", "b|status:500,ok", *(f"c{n}" for n in range(6))]
    completions = one.complete([request_for(text) for text in texts])
    assert [completion.text for completion in completions] == ["B"] * 8
    told = server.calls[0].at
    # Only what was on its way already may arrive before the server wants to hear again.
    assert sum(told < call.at < told + 0.55 for call in server.calls) <= 2


def test_a_quota_of_a_minute_is_waited_out(server: Any, client: Make) -> None:
    one = client(retries={"max_attempts": 2, "max_wait_s": 2.0})
    completion = one.one("q|" + "status:429," * 5 + "ok")
    assert completion.text == "B"
    assert completion.attempts == 6


def test_endless_429_ends_as_rate_limit(server: Any, client: Make) -> None:
    one = client(retries={"max_attempts": 2, "max_wait_s": 0.1})
    completion = one.one("q|status:429")
    assert kind(completion) == "rate_limit"
    assert completion.attempts > 2


def test_thirty_percent_503_are_answered_all(
    server: Any, client: Make, request_for: Callable[..., Request]
) -> None:
    server.share_503 = 0.3
    one = client(retries={"max_attempts": 10})
    completions = one.complete([request_for(f"q{n}") for n in range(400)])
    assert {completion.text for completion in completions} == {"B"}
    statuses = Counter(call.status for call in server.calls)
    assert statuses[200] == 400
    assert 0.2 < statuses[503] / len(server.calls) < 0.4
    assert max(Counter(call.text for call in server.calls if call.status == 200).values()) == 1
    assert sum(completion.attempts for completion in completions) == len(server.calls)


def test_a_server_that_restarts_costs_no_answer(
    server: Any, client: Make, request_for: Callable[..., Request]
) -> None:
    server.latency_s = 0.02
    one = client(limits={"max_in_flight": 16}, retries={"max_attempts": 12})

    def restart() -> None:
        server.stop()
        time.sleep(0.5)
        server.start()

    timer = threading.Timer(0.3, restart)
    timer.start()
    completions = one.complete([request_for(f"q{n}") for n in range(600)])
    timer.join()
    assert {completion.text for completion in completions} == {"B"}
    assert any(completion.attempts > 1 for completion in completions)


def test_a_key_revoked_in_the_middle_stops_the_run_at_once(
    server: Any, client: Make, request_for: Callable[..., Request], key: str
) -> None:
    server.key, server.latency_s = key, 0.02
    one = client(limits={"max_in_flight": 8})
    server.on_body = lambda body: setattr(server, "key", key if len(server.calls) < 100 else "x")
    completions = one.complete([request_for(f"q{n}") for n in range(2000)])
    kinds = Counter(kind(completion) for completion in completions)
    assert sum(kinds.values()) == 2000
    assert kinds["stop"] == sum(call.status == 200 for call in server.calls) > 0
    # Whoever was in flight may hear it too, but nobody is sent after the first has.
    assert 1 <= kinds["auth"] == sum(call.status == 401 for call in server.calls) <= 8
    assert kinds["cancelled"] == 2000 - kinds["stop"] - kinds["auth"]


def test_a_stop_does_not_wait_for_those_that_wait(
    server: Any, client: Make, request_for: Callable[..., Request]
) -> None:
    """Neither for a next try, nor for the end of a Retry-After, nor for a place in the window."""
    one = client(limits={"max_in_flight": 3}, retries={"max_wait_s": 30})
    texts = ["a|wait:20,ok", "b|wait503:20,ok", "c|late401:0.3", *(f"d{n}" for n in range(50))]
    started = time.monotonic()
    completions = one.complete([request_for(text) for text in texts])
    assert time.monotonic() - started < 15
    assert Counter(map(kind, completions)) == {"cancelled": 52, "auth": 1}
    assert kind(one.one("later")) == "cancelled"
    assert len(server.calls) == 3


def test_an_outage_ends_the_run_before_every_request_has_failed(
    server: Any, client: Make, request_for: Callable[..., Request]
) -> None:
    one = client(limits={"max_in_flight": 4}, retries={"max_attempts": 2})
    completions = one.complete([request_for(f"q{n}|status:503") for n in range(200)])
    kinds = Counter(kind(completion) for completion in completions)
    assert kinds["server"] < 20
    assert kinds["cancelled"] == 200 - kinds["server"]
    assert any("in a row" in c.error.message for c in completions)


def test_single_failures_among_answers_do_not_end_the_run(
    client: Make, request_for: Callable[..., Request]
) -> None:
    one = client(limits={"max_in_flight": 1}, retries={"max_attempts": 1})
    plans = ["status:503" if n % 2 else "ok" for n in range(60)]
    completions = one.complete([request_for(f"q{n}|{plan}") for n, plan in enumerate(plans)])
    assert Counter(map(kind, completions)) == {"stop": 30, "server": 30}


@pytest.mark.parametrize("plan", ["ok", "status:400", "status:401"])
def test_the_key_is_sent_and_never_told(
    server: Any, client: Make, transport: str, key: str, plan: str
) -> None:
    one = client(transport=transport)
    one.one(f"q|{plan}")
    assert server.calls[0].headers["authorization"] == f"Bearer {key}"
    server.key = "another"
    completion = one.one("p")
    shown = repr((completion, one.spec, one.backend.describe()))
    assert key not in shown


def test_a_key_that_the_server_repeats_is_hidden(server: Any, client: Make, key: str) -> None:
    server.key = "another"
    completion = client().one("q")
    assert completion.error.message.endswith("invalid_api_key Incorrect API key provided: [key].")


def test_usage_latency_and_the_reported_model_are_kept(client: Make, transport: str) -> None:
    completion = client(transport=transport).one("q|hang:0.2")
    assert completion.usage.prompt_tokens == 30
    assert completion.usage.completion_tokens == 2
    assert completion.usage.cached_tokens == 16
    assert completion.usage.reasoning_tokens == 1
    assert completion.model_reported == "tiny-2026-11-30"
    assert 0.2 <= completion.latency_s < 1.0


def test_the_sdk_and_the_plain_transport_send_the_same(server: Any, client: Make) -> None:
    for transport in ("aiohttp", "openai"):
        one = client(transport=transport, extra_headers={"X-Title": "mouse"})
        one.one("q", choices=("A", "B"))
    plain, sdk = server.calls
    assert plain.body == sdk.body
    assert plain.path == sdk.path == "/v1/chat/completions"
    for header in ("authorization", "content-type", "accept", "x-title"):
        assert plain.headers[header] == sdk.headers[header]


def with_logprobs(faulty: Any, **top: float) -> Callable[[dict[str, Any]], Any]:
    """A server that writes something else than the label it holds likeliest."""

    def on_body(body: dict[str, Any]) -> Any:
        payload = faulty.completion("我选")
        if body.get("logprobs"):
            token = {
                "token": "我",
                "logprob": -0.1,
                "top_logprobs": [{"token": t, "logprob": math.log(p)} for t, p in top.items()],
            }
            payload["choices"][0]["logprobs"] = {"content": [token]}
        return faulty.web.json_response(payload)

    return on_body


def test_a_choice_by_log_probability_is_the_likeliest_label(
    server: Any, client: Make, faulty: Any, transport: str
) -> None:
    server.on_body = with_logprobs(faulty, A=0.2, B=0.3)
    one = client(transport=transport, structured="logprobs")
    completion = one.one("q", choices=("A", "B", "C"))
    assert (completion.text, completion.finish_reason) == ("B", "stop")
    [token] = completion.logprobs
    assert math.exp(token["logprob"]) == pytest.approx(0.3)
    assert math.exp(token["top"]["A"]) == pytest.approx(0.2)
    # A free question to the same model is answered by the text.
    assert one.one("q").text == "我选"


def test_a_choice_by_log_probability_without_any_ends_the_run(server: Any, client: Make) -> None:
    completion = client(structured="logprobs").one("q", choices=("A", "B"))
    assert (completion.error.kind, completion.error.fatal) == ("bad_request", True)
    assert "model.structured" in completion.error.message


def test_a_constraint_that_cannot_be_sent_is_not_sent(server: Any, client: Make) -> None:
    completion = client(structured="json_object").one("q", choices=("A", "B"))
    assert completion.error.fatal
    assert "task.decoding" in completion.error.message
    assert server.calls == []


def test_a_text_that_is_no_unicode_fails_alone(
    server: Any, client: Make, request_for: Callable[..., Request]
) -> None:
    completions = client().complete(
        [request_for("好"), request_for("坏\ud800"), request_for("好2")]
    )
    assert [kind(completion) for completion in completions] == ["stop", "internal", "stop"]
