"""Every path through the backend, on a tiny Qwen3 whose answer is known."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mouse.contracts import Request
from mouse.errors import UserError
from mouse.tasks.confidence import confidence

Ask = Callable[..., Request]


@pytest.fixture(scope="module")
def thinking(thinking_model: Path, make_spec: Callable[..., Any], running: Any) -> Iterator[Any]:
    backend = running(make_spec(thinking_model, thinking="on", family="qwen", max_model_len=256))
    yield backend
    backend.close()


def test_answers_carry_reasoning_and_counts(thinking: Any, question: Ask) -> None:
    (found,) = thinking.ask([question("选哪个？")])
    assert (found.text, found.reasoning, found.finish_reason) == ("A", "hm, ok", "stop")
    assert found.error is None and found.attempts == 1
    assert found.model_reported == "thinking"  # no path of this machine
    # <think> h m , _ o k </think> | \n\n A <|im_end|>
    assert (found.usage.completion_tokens, found.usage.reasoning_tokens) == (11, 8)
    assert found.usage.prompt_tokens == len("<>user\n选哪个？<>\n<>assistant\n".encode()) - 3
    assert found.latency_s > 0


def test_reasoning_that_is_cut_off_is_no_answer(thinking: Any, question: Ask) -> None:
    (found,) = thinking.ask([question("x", max_tokens=3)])
    assert (found.text, found.reasoning, found.finish_reason) == ("<think>hm", None, "length")


def test_choice_holds_the_answer_and_lets_it_think(thinking: Any, question: Ask) -> None:
    asked = [
        question("x", "ab", choices=("A", "B"), logprobs=5),
        question("x", "zh", choices=("是", "否")),
        question("x", "odd", choices=('a "b"', "c\\d")),
    ]
    found = {completion.request_key: completion for completion in thinking.ask(asked)}
    assert found["ab"].text in ("A", "B") and found["zh"].text in ("是", "否")
    assert found["odd"].text in ('a "b"', "c\\d")
    assert {completion.reasoning for completion in found.values()} == {"hm, ok"}
    # Log-probabilities are those among the choices, of the answer and not of the reasoning.
    first = found["ab"].logprobs[0]
    assert first["token"] == found["ab"].text
    assert set(first["top"]) == {"A", "B"}
    assert sum(math.exp(p) for p in first["top"].values()) == pytest.approx(1, abs=1e-3)
    assert confidence(first["token"], found["ab"].logprobs) == pytest.approx(
        math.exp(first["logprob"])
    )
    json.dumps(found["ab"].logprobs, allow_nan=False)


def test_json_schema_holds_the_answer(thinking: Any, question: Ask) -> None:
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": ["A", "B"]}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    (found,) = thinking.ask([question("x", json_schema=schema, max_tokens=60)])
    assert json.loads(found.text)["answer"] in ("A", "B")


def test_a_bad_request_fails_alone(thinking: Any, question: Ask) -> None:
    asked = [
        question("好", "good"),
        question("x" * 300, "long"),
        question("x", "bad", temperature=-1.0),
        question("y" * 200, "tight"),
    ]
    found = {completion.request_key: completion for completion in thinking.ask(asked)}
    assert found["good"].text == "A"
    assert found["long"].finish_reason == "context_length" and found["long"].error is None
    assert found["long"].usage.prompt_tokens > 256
    assert found["bad"].error.kind == "bad_request" and not found["bad"].error.fatal
    assert "temperature" in found["bad"].error.message
    assert found["tight"].text == "A"


def test_a_prompt_that_leaves_room_for_few_tokens_is_truncated(
    thinking: Any, question: Ask
) -> None:
    frame = len(b"<>user\n<>\n<>assistant\n") - 3
    room = 256 - frame
    asked = [question("y" * (room - 4), "four left"), question("y" * room, "none left")]
    found = {completion.request_key: completion for completion in thinking.ask(asked)}
    assert found["four left"].finish_reason == "length"
    assert found["none left"].finish_reason == "context_length"


def test_the_manifest_learns_what_decides_numbers(thinking: Any) -> None:
    about = thinking.backend.describe()
    assert about["batch_invariant"] is False
    assert about["dtype"] == "bfloat16"
    assert about["vllm"].startswith("0.")
    assert about["prefix_caching"] is True
    assert about["max_model_len"] == 256
    assert (about["thinking"], about["template_knows_thinking"]) == ("on", True)
    json.dumps(about)


def test_an_engine_that_dies_stops_the_run_where_nobody_can_replace_it(
    random_model: Path, make_spec: Callable[..., Any], running: Any, question: Ask
) -> None:
    import psutil

    others = {process.pid for process in psutil.Process().children(recursive=True)}
    backend = running(make_spec(random_model, max_model_len=256))
    try:
        (before,) = backend.ask([question("x")])
        assert before.error is None
        for process in psutil.Process().children(recursive=True):
            title = (process.cmdline() or [""])[0]
            if process.pid not in others and title.startswith("VLLM::EngineCore"):
                process.kill()
        (after,) = backend.ask([question("x")])
        assert after.error is not None
        assert (after.error.kind, after.error.fatal) == ("resources", True)
        assert "engine died" in after.error.message
    finally:
        backend.close()


def test_a_context_longer_than_the_model_is_a_sentence(
    random_model: Path, make_spec: Callable[..., Any], running: Any
) -> None:
    with pytest.raises(UserError, match=r"model\.max_model_len=512 or less"):
        running(make_spec(random_model, max_model_len=4096))
