"""What is sent: OpenAI's parameters in the vendor's config, the constraint, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support_models import api_config

from mouse.contracts import Request, Sampling
from mouse.models.api.body import CannotConstrain, chooses_by_logprob, request_body
from mouse.models.api.config import OpenAIChatConfig

Ask = Callable[..., Request]
SCHEMA = {"type": "object"}


def extra(config: OpenAIChatConfig, request: Request) -> dict[str, Any]:
    plain = {"model", "messages", "temperature", "max_tokens"}
    return {key: value for key, value in request_body(config, request).items() if key not in plain}


def test_the_papers_setting_and_nothing_else(request_for: Ask) -> None:
    assert request_body(api_config(id="m"), request_for("题")) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "只回答字母。"},
            {"role": "user", "content": "题"},
        ],
        "temperature": 0.0,
        "max_tokens": 128,
    }


def test_sampling_is_sent_where_it_is_given(request_for: Ask) -> None:
    sampling = Sampling(temperature=0.7, max_tokens=9, top_p=0.9, seed=3, logprobs=5)
    body = request_body(api_config(id="m"), request_for("题", sampling=sampling))
    del body["messages"]
    assert body == {
        "model": "m",
        "temperature": 0.7,
        "max_tokens": 9,
        "top_p": 0.9,
        "seed": 3,
        "logprobs": True,
        "top_logprobs": 5,
    }


def test_vendors_ways(request_for: Ask) -> None:
    config = api_config(
        id="m",
        token_param="max_completion_tokens",
        drop_params=("seed", "logprobs", "top_logprobs"),
        params={"temperature": 0.0, "max_tokens": 128, "presence_penalty": 0.5},
        extra_body={"enable_thinking": False, "temperature": 0.01},
    )
    body = request_body(config, request_for("题", sampling=Sampling(seed=1, logprobs=2)))
    del body["messages"]
    assert body == {
        "model": "m",
        "max_completion_tokens": 128,
        "temperature": 0.01,
        "presence_penalty": 0.5,
        "enable_thinking": False,
    }


@pytest.mark.parametrize(
    ("structured", "choice", "json"),
    [
        (
            "structured_outputs",
            {"structured_outputs": {"choice": ["A", "B"]}},
            {"structured_outputs": {"json": SCHEMA}},
        ),
        ("guided_choice", {"guided_choice": ["A", "B"]}, {"guided_json": SCHEMA}),
        ("json_object", None, {"response_format": {"type": "json_object"}}),
        ("logprobs", {"logprobs": True, "top_logprobs": 20}, None),
        ("none", None, None),
    ],
)
def test_constraints(request_for: Ask, structured: str, choice: Any, json: Any) -> None:
    config = api_config(id="m", structured=structured)
    assert extra(config, request_for("题")) == {}
    for fields, expected in (({"choices": ("A", "B")}, choice), ({"json_schema": SCHEMA}, json)):
        if expected is None:
            with pytest.raises(CannotConstrain, match=f"model.structured={structured}"):
                request_body(config, request_for("题", **fields))
        else:
            assert extra(config, request_for("题", **fields)) == expected


def test_openai_holds_a_choice_by_a_strict_schema(request_for: Ask) -> None:
    body = request_body(api_config(id="m"), request_for("题", choices=("A", "B")))
    form = body["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["properties"]["answer"]["enum"] == ["A", "B"]
    assert form["schema"]["additionalProperties"] is False


def test_a_choice_by_log_probability_needs_few_tokens(request_for: Ask) -> None:
    config = api_config(id="m", token_param="max_completion_tokens", structured="logprobs")
    assert request_body(config, request_for("题", choices=("A",)))["max_completion_tokens"] == 4
    assert chooses_by_logprob(config, request_for("题", choices=("A",)))
    assert not chooses_by_logprob(config, request_for("题"))
