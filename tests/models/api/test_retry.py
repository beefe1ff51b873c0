"""What a failure means and how long to wait, as a table; no server, no time."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.models.api.retry import Failure, RetryPolicy, classify_status, error_fields, retry_after


def body(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "code": code}}


@pytest.mark.parametrize(
    ("status", "payload"),
    [
        (
            400,
            body("This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
        ),
        (400, body("This model's maximum context length is 2048 tokens. However, you requested 9")),
        (
            400,
            {"message": "Range of input length should be [1, 30720]", "code": "InvalidParameter"},
        ),
        (400, body("Prompt contains 40000 tokens, too large for model with 32768 maximum context")),
        (413, body("Please reduce the number of tokens in your prompt.")),
        (422, {"detail": "prompt is too long: 210000 tokens > 200000 maximum"}),
        (400, body("输入内容过长", "1261")),
    ],
)
def test_a_prompt_that_does_not_fit_is_an_outcome(status: int, payload: object) -> None:
    assert classify_status(status, payload, {}).finish_reason == "context_length"


@pytest.mark.parametrize(
    ("status", "payload"),
    [
        (400, body("The response was filtered", "content_filter")),
        (400, {"error": {"message": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
        (400, {"code": "data_inspection_failed", "message": "Input data may contain bad things"}),
        (400, body("Content Exists Risk", "invalid_request_error")),
        (400, body("The request failed because the input text may", "SensitiveContentDetected")),
        (403, body("Your input was flagged by moderation")),
        (400, body("系统检测到输入或生成内容可能包含不安全或敏感内容", "1301")),
    ],
)
def test_a_content_policy_is_an_outcome(status: int, payload: object) -> None:
    assert classify_status(status, payload, {}).finish_reason == "content_filter"


@pytest.mark.parametrize(
    ("status", "payload"),
    [
        (402, body("Insufficient Balance")),
        (429, body("You exceeded your current quota.", "insufficient_quota")),
        (400, {"code": "Arrearage", "message": "Access denied, account is overdue"}),
        (429, body("余额不足或无可用资源包,请充值。", "1113")),
    ],
)
def test_an_empty_account_ends_the_run(status: int, payload: object) -> None:
    failure = classify_status(status, payload, {})
    assert (failure.kind, failure.fatal, failure.retry) == ("quota", True, False)


@pytest.mark.parametrize(
    "payload",
    [
        body("Rate limit reached for requests per min. Add a payment method at account/billing"),
        body("Allocated quota exceeded, please increase your quota limit.", "Throttling"),
        body("You exceeded your current quota, please check your plan", "RESOURCE_EXHAUSTED"),
        "plain text",
        None,
    ],
)
def test_a_quota_of_a_minute_does_not_end_the_run(payload: object) -> None:
    failure = classify_status(429, payload, {})
    assert (failure.kind, failure.retry, failure.throttled) == ("rate_limit", True, True)
    assert not failure.fatal


def test_one_request_larger_than_the_limit_fails_alone() -> None:
    failure = classify_status(429, body("Request too large for gpt-x on tokens per min"), {})
    assert (failure.kind, failure.retry, failure.fatal) == ("bad_request", False, False)


@given(
    status=st.integers(300, 599),
    payload=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["error", "message", "code", "detail", "x"]), inner)
        ),
    ),
    header=st.text(),
)
def test_whatever_a_server_says_has_one_meaning(status: int, payload: object, header: str) -> None:
    failure = classify_status(status, payload, {"retry-after": header})
    assert not (failure.retry and (failure.fatal or failure.finish_reason))
    assert failure.retry_after is None or failure.retry_after >= 0
    assert len(failure.message) < 400


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Mon, 30 Nov 2026 12:01:30 GMT"}, None),
    ],
)
def test_retry_after_is_read_in_seconds(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


@pytest.mark.parametrize(
    ("payload", "fields"),
    [
        ({"error": {"message": "m", "code": "c", "param": "p"}}, ("m", "c", "p")),
        ({"error": {"message": "m", "type": "t", "code": None}}, ("m", "t", "")),
        ({"message": "m", "code": 1301}, ("m", "1301", "")),
        ({"error": "m"}, ("m", "", "")),
        ({"detail": "m"}, ("m", "", "")),
        ({"error_msg": "m", "error_code": 17}, ("m", "17", "")),
        ("m", ("m", "", "")),
        (None, ("", "", "")),
        ([], ("", "", "")),
    ],
)
def test_error_bodies_of_every_vendor_are_read(payload: object, fields: tuple[str, ...]) -> None:
    assert error_fields(payload) == fields


SERVER = Failure("server", "The server answered 503: x", 503, retry=True)


@given(attempts=st.integers(1, 500), seed=st.integers())
def test_waits_grow_stay_within_bounds_and_differ(attempts: int, seed: int) -> None:
    policy = RetryPolicy(max_attempts=1000, max_wait_s=60)
    wait = policy.next_wait(SERVER, attempts, 0.0, random.Random(seed))
    assert isinstance(wait, float)
    full = min(60.0, 0.5 * 2 ** min(attempts - 1, 30))
    assert full / 2 <= wait <= full


@given(asked=st.floats(0, 60), seed=st.integers())
def test_nobody_comes_before_retry_after_nor_all_at_once(asked: float, seed: int) -> None:
    failure = Failure("server", "x", 503, retry=True, retry_after=asked)
    wait = RetryPolicy(max_wait_s=60).next_wait(failure, 1, 0.0, random.Random(seed))
    assert isinstance(wait, float)
    assert asked <= wait <= (1.1 * asked + 0.05) * (1 + 1e-9)


def test_attempts_are_counted_and_patience_is_for_429_alone() -> None:
    policy, rng = RetryPolicy(max_attempts=3, max_wait_s=60), random.Random(0)
    throttled = Failure("rate_limit", "x", 429, retry=True, throttled=True)
    assert isinstance(policy.next_wait(SERVER, 2, 0.0, rng), float)
    assert policy.next_wait(SERVER, 3, 0.0, rng) is SERVER
    assert isinstance(policy.next_wait(throttled, 3, 119.0, rng), float)
    assert policy.next_wait(throttled, 100, 0.0, rng, paced=True) <= 2.0
    assert policy.next_wait(SERVER, 2, 0.0, rng, paced=True) <= 1.0
    assert policy.next_wait(throttled, 3, 120.0, rng) is throttled


def test_a_wait_beyond_tolerance_ends_the_run_and_names_the_setting() -> None:
    failure = Failure("rate_limit", "x", 429, retry=True, throttled=True, retry_after=61)
    ended = RetryPolicy(max_wait_s=60).next_wait(failure, 1, 0.0, random.Random(0))
    assert isinstance(ended, Failure)
    assert ended.fatal
    assert "model.retries.max_wait_s=60" in ended.message
