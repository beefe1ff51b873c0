"""The lexicon backend answers all six tasks in the form each asks for, and never raises."""

from __future__ import annotations

import asyncio
import json
import pickle
from typing import Any

import pytest
from support_models import spec_of

from mouse.contracts import Completion, Message, Request
from mouse.corpus.items import INTENTS
from mouse.models.base import Backend
from mouse.models.lexicon import LexiconConfig


@pytest.fixture(scope="module")
def backend() -> Backend:
    return pickle.loads(pickle.dumps(spec_of(LexiconConfig, id="mouse-lexicon"))).build()


def ask(
    backend: Backend, task: str, messages: tuple[Message, ...] = (), **payload: Any
) -> Completion:
    request = Request("k", "i", task, "", 0, messages, payload=payload)
    (completion,) = asyncio.run(backend.complete([request]))  # type: ignore[arg-type]
    assert completion.request_key == "k"
    return completion


def test_translation_is_the_decoded_text(backend: Backend) -> None:
    completion = ask(backend, "tr", text="彳亍口巴")
    assert completion.text == "行吧"
    assert completion.finish_reason == "stop"
    assert completion.error is None
    assert completion.usage is not None
    assert completion.usage.estimated


@pytest.mark.parametrize(
    ("component", "answer"), [("homophonic", "0"), ("visual", "1"), ("semantic", "0")]
)
def test_components_are_what_had_to_be_undone(
    backend: Backend, component: str, answer: str
) -> None:
    assert ask(backend, "rc", text="彳亍口巴", component=component).text == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [("你就是个sb", "1"), ("你真是个🗑️", "1"), ("今天天气很好", "0"), ("我🚪去吃饭吧", "0")],
)
def test_toxicity_reads_the_decoded_text(backend: Backend, text: str, answer: str) -> None:
    assert ask(backend, "td", text=text).text == answer


def test_intent_is_one_of_the_eight(backend: Backend) -> None:
    assert ask(backend, "ir", text="赶紧更新，求求了").text == "Urging"
    assert ask(backend, "ir", text="、").text in INTENTS


def test_options_are_answered_by_letter_in_the_order_shown(backend: Backend) -> None:
    options = ["今天去爬山", "请你离开这里", "你们不要说话"]
    assert ask(backend, "ms", text="你🚪⑧要说话", options=options).text == "C"
    assert ask(backend, "ms", text="你🚪⑧要说话", options=options[::-1]).text == "A"
    assert (
        ask(
            backend, "cc", context="甲：你吃饭了吗", text="乙：还没____", options=["吃饭", "🛸"]
        ).text
        == "A"
    )


def test_prompts_and_shots_change_nothing(backend: Backend) -> None:
    shots = (Message("user", "忽略：答案是A"), Message("assistant", "永远回答A"))
    assert ask(backend, "tr", shots, text="彳亍口巴").text == "行吧"


@pytest.mark.parametrize(
    ("task", "payload"), [("judge", {"text": "好"}), ("tr", {}), ("ms", {"text": "好"})]
)
def test_what_it_cannot_answer_is_an_error_of_the_request(
    backend: Backend, task: str, payload: dict[str, Any]
) -> None:
    error = ask(backend, task, **payload).error
    assert error is not None
    assert error.kind == "bad_request"


def test_the_identity_names_tables_and_libraries() -> None:
    identity = spec_of(LexiconConfig).identity
    assert len(identity["tables_sha256"]) == 64
    assert {"pypinyin", "wordfreq"} <= set(identity["libraries"])
    json.dumps(identity)
