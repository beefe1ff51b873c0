from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from mouse.contracts import Message, Request, Sampling
from mouse.models.vllm.translate import (
    completion,
    constraint_arguments,
    logprob_records,
    sampling_arguments,
)


def ask(**fields: Any) -> Request:
    return Request("k", "i", "ms", "", 0, (Message("user", "?"),), **fields)


@dataclass
class Logprob:
    """The fields of vLLM's class of the same name."""

    logprob: float
    rank: int | None = 1
    decoded_token: str | None = ""


@dataclass
class Answer:
    text: str
    token_ids: list[int]
    finish_reason: str | None = "stop"
    logprobs: list[dict[int, Logprob]] | None = None


@dataclass
class Output:
    outputs: list[Answer]
    prompt_token_ids: list[int] | None = field(default_factory=lambda: [1, 2, 3])
    num_cached_tokens: int | None = 2


def test_every_sampling_parameter_is_stated() -> None:
    arguments = sampling_arguments(ask(), {})
    assert arguments["temperature"] == 0.0
    assert arguments["max_tokens"] == 128
    assert arguments["top_p"] == 1.0
    assert arguments["repetition_penalty"] == 1.0
    given_ = ask(sampling=Sampling(temperature=0.6, max_tokens=9, top_p=0.95, seed=3, logprobs=5))
    arguments = sampling_arguments(given_, {"top_k": 20})
    assert (arguments["temperature"], arguments["max_tokens"]) == (0.6, 9)
    assert (arguments["top_p"], arguments["seed"], arguments["logprobs"]) == (0.95, 3, 5)
    assert arguments["top_k"] == 20


def test_constraints() -> None:
    schema = {"type": "object", "properties": {"answer": {"enum": ["A", "B"]}}}
    assert constraint_arguments(ask()) is None
    assert constraint_arguments(ask(choices=("是", "否"))) == {"choice": ["是", "否"]}
    assert constraint_arguments(ask(json_schema=schema)) == {
        "json": {"type": "object", "properties": {"answer": {"enum": ["A", "B"]}}}
    }


def test_logprobs_have_the_likeliest_and_the_chosen() -> None:
    position = {
        7: Logprob(-3.0, rank=9, decoded_token="C"),  # sampled, and not among the two likeliest
        1: Logprob(-0.1, rank=1, decoded_token="A"),
        2: Logprob(-2.5, rank=2, decoded_token="B"),
    }
    assert logprob_records([7], [position], 2) == (
        {"token": "C", "logprob": -3.0, "top": {"A": -0.1, "B": -2.5}},
    )


def test_forbidden_tokens_and_broken_characters_in_logprobs() -> None:
    position = {
        1: Logprob(-0.7, decoded_token="�"),
        2: Logprob(-0.9, rank=2, decoded_token="�"),
        3: Logprob(-math.inf, rank=3, decoded_token="B"),
    }
    (record,) = logprob_records([2], [position], 5) or ()
    assert record == {"token": "�", "logprob": -0.9, "top": {"�": -0.7}}


def test_no_logprobs_where_none_were_asked() -> None:
    assert logprob_records([1], None, 0) is None


def test_a_completion_counts_its_tokens_and_its_reasoning() -> None:
    answer = Answer("<think>hm</think>A", [10, 11, 12, 65, 0])
    found = completion(
        ask(), Output([answer]), model="tiny", latency_s=0.5, close_ids=frozenset({12})
    )
    assert (found.text, found.reasoning, found.finish_reason) == ("A", "hm", "stop")
    assert found.usage is not None
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (3, 5)
    assert (found.usage.reasoning_tokens, found.usage.cached_tokens) == (3, 2)
    assert (found.model_reported, found.latency_s, found.error) == ("tiny", 0.5, None)


def test_logprobs_of_the_reasoning_are_left_out() -> None:
    # The «A» that is thought of must not pass for the answer's probability.
    ids = [65, 12, 66]
    logprobs = [{i: Logprob(-float(i), decoded_token=chr(i))} for i in ids]
    answer = Answer("<think>A</think>B", ids, logprobs=logprobs)
    found = completion(
        ask(sampling=Sampling(logprobs=1)),
        Output([answer]),
        model="tiny",
        latency_s=0.1,
        close_ids=frozenset({12}),
    )
    assert [record["token"] for record in found.logprobs or ()] == ["B"]


def test_a_request_that_vllm_gave_up_is_an_error() -> None:
    found = completion(ask(), Output([Answer("", [], "abort")]), model="m", latency_s=0.1)
    assert found.finish_reason is None
    assert found.error is not None and found.error.kind == "server"
