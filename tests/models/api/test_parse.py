"""The JSON of an answer in every shape vendors give it."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.contracts import Completion
from mouse.models.api.parse import likeliest_choice, parse_completion
from mouse.models.api.retry import Failure


def parse(payload: object) -> Completion | Failure:
    return parse_completion(payload, request_key="k", attempts=2, latency_s=0.5, prompt_length=300)


def answer(message: dict[str, Any], finish: str | None = "stop", **rest: Any) -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": finish, **rest}]}


@pytest.mark.parametrize(
    ("message", "finish", "expected"),
    [
        ({"content": "B"}, "stop", ("B", None, "stop")),
        ({"content": "B"}, None, ("B", None, "stop")),
        ({"content": "B"}, "tool_calls", ("B", None, "stop")),
        ({"content": ""}, "stop", ("", None, "stop")),
        ({"content": None}, "stop", ("", None, "stop")),
        ({"content": "B", "reasoning_content": "想"}, "stop", ("B", "想", "stop")),
        ({"content": "B", "reasoning": "想"}, "stop", ("B", "想", "stop")),
        ({"content": "B", "reasoning_content": ""}, "stop", ("B", None, "stop")),
        ({"content": None, "reasoning_content": "想"}, "length", ("", "想", "length")),
        ({"content": "我"}, "max_tokens", ("我", None, "length")),
        ({"content": "我"}, "content_filter", ("我", None, "content_filter")),
        ({"content": None, "refusal": "No."}, "stop", ("No.", None, "refusal")),
        ({"content": "B", "refusal": None}, "stop", ("B", None, "stop")),
        ({"content": None}, "refusal", ("", None, "refusal")),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "想"}]},
                    {"type": "text", "text": "B"},
                ]
            },
            "stop",
            ("B", "想", "stop"),
        ),
    ],
)
def test_a_message_in_every_shape(
    message: dict[str, Any], finish: str | None, expected: tuple[str, str, str]
) -> None:
    completion = parse(answer(message, finish))
    assert isinstance(completion, Completion)
    assert (completion.text, completion.reasoning, completion.finish_reason) == expected
    assert (completion.request_key, completion.attempts, completion.latency_s) == ("k", 2, 0.5)


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        "text",
        {},
        {"choices": None},
        {"choices": []},
        {"choices": [None]},
        {"choices": [{"message": None}]},
        {"error": {"message": "upstream"}},
        answer({"content": "我"}, "insufficient_system_resource"),
        answer({"content": ""}, "error"),
    ],
)
def test_a_200_without_a_completion_is_tried_again(payload: object) -> None:
    failure = parse(payload)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.retry, failure.status) == ("server", True, 200)


def test_an_error_inside_a_200_means_what_its_code_says() -> None:
    failure = parse({"error": {"code": 402, "message": "no credit"}})
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.fatal) == ("quota", True)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "message",
                    "content",
                    "finish_reason",
                    "error",
                    "code",
                    "prompt_tokens",
                    "completion_tokens",
                    "completion_tokens_details",
                    "reasoning_tokens",
                    "prompt_tokens_details",
                    "cached_tokens",
                    "token",
                    "logprob",
                    "top_logprobs",
                ]
            ),
            inner,
        )
    ),
    max_leaves=20,
)


@given(payload=json_values, message=json_values, usage=json_values)
def test_no_json_makes_it_raise(payload: object, message: object, usage: object) -> None:
    for given_payload in (
        payload,
        {"choices": [{"message": message}], "usage": usage},
        {"choices": [{"message": {"content": payload, "refusal": message}}]},
        {"choices": [{"message": {"content": "B"}, "logprobs": {"content": [message]}}]},
    ):
        assert isinstance(parse(given_payload), Completion | Failure)


def test_tokens_are_the_servers_or_an_estimate_that_says_so() -> None:
    counted = parse(
        {
            **answer({"content": "B"}),
            "usage": {"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 4},
        }
    )
    assert isinstance(counted, Completion) and counted.usage is not None
    assert (counted.usage.prompt_tokens, counted.usage.cached_tokens) == (9, 4)
    assert not counted.usage.estimated
    guessed = parse(answer({"content": "B"}))
    assert isinstance(guessed, Completion) and guessed.usage is not None
    assert guessed.usage.estimated and 100 < guessed.usage.prompt_tokens < 400


def test_log_probabilities_are_kept_token_by_token() -> None:
    token = {
        "token": "B",
        "logprob": -0.1,
        "top_logprobs": [{"token": "B", "logprob": -0.1}, {"token": "A", "logprob": -2.5}],
    }
    completion = parse(answer({"content": "B"}, logprobs={"content": [token]}))
    assert isinstance(completion, Completion)
    assert completion.logprobs == ({"token": "B", "logprob": -0.1, "top": {"B": -0.1, "A": -2.5}},)


def token(text: str, **top: float) -> dict[str, Any]:
    return {
        "token": text,
        "logprob": math.log(top.get(text, 0.5)),
        "top": {k: math.log(v) for k, v in top.items()},
    }


def test_the_likeliest_label_wins_and_its_spellings_add_up() -> None:
    tokens = [token("\n"), token("A", A=0.4, B=0.35, **{" B": 0.2})]
    best = likeliest_choice(tokens, ("A", "B", "C"))
    assert best is not None
    assert best[0] == "B"
    assert math.exp(best[1]["B"]) == pytest.approx(0.55)
    assert "C" not in best[1]


def test_a_first_piece_counts_where_it_begins_one_label_only() -> None:
    labels = ("General Statement", "Group Identity", "Others")
    best = likeliest_choice([token("G", G=0.6, Group=0.3, O=0.1)], labels)
    assert best is not None and best[0] == "Group Identity"
    assert likeliest_choice([token("G", G=0.9)], labels) is None


@pytest.mark.parametrize("tokens", [None, [], [token(" ")], [token("我", 我=0.9)]])
def test_no_label_in_sight_is_no_choice(tokens: Any) -> None:
    assert likeliest_choice(tokens, ("A", "B")) is None
