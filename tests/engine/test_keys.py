from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.contracts import Message, Request, Sampling
from mouse.engine.keys import key_function

IDENTITY = {"backend": "openai", "id": "m", "revision": "1", "host": "example.org"}
REQUEST = Request("", "i1", "tr", "", 0, (Message("system", "译"), Message("user", "🌶️🐔")))


def request_key(identity: dict[str, Any], request: Request) -> str:
    return key_function(identity)(request)


KEYED: dict[str, Any] = {
    "repeat": 1,
    "messages": (Message("user", "🌶️🐔"),),
    "sampling": Sampling(temperature=0.5),
    "choices": ("A", "B"),
    "json_schema": {"type": "object"},
}
NOT_KEYED: dict[str, Any] = {
    "key": "x",
    "item_id": "i2",
    "task": "td",
    "variant": "homophonic",
    "steps": True,
    "payload": {"text": "🌶️"},
    "about": ("tr", 1),
}


def test_every_field_is_declared_to_decide_the_answer_or_not() -> None:
    assert {f.name for f in fields(Request)} == set(KEYED) | set(NOT_KEYED)


@pytest.mark.parametrize("name", KEYED)
def test_what_decides_the_answer_changes_the_key(name: str) -> None:
    changed = replace(REQUEST, **{name: KEYED[name]})
    assert request_key(IDENTITY, changed) != request_key(IDENTITY, REQUEST)


@pytest.mark.parametrize("name", NOT_KEYED)
def test_what_does_not_decide_the_answer_leaves_the_key(name: str) -> None:
    changed = replace(REQUEST, **{name: NOT_KEYED[name]})
    assert request_key(IDENTITY, changed) == request_key(IDENTITY, REQUEST)


@pytest.mark.parametrize("name", [f.name for f in fields(Sampling)])
def test_each_sampling_parameter_changes_the_key(name: str) -> None:
    changed = replace(REQUEST, sampling=Sampling(**{name: 5}))
    assert request_key(IDENTITY, changed) != request_key(IDENTITY, REQUEST)


def test_key_is_stable_across_versions_of_mouse() -> None:
    # A change here throws away everybody's stored answers.
    assert request_key(IDENTITY, REQUEST) == PINNED


def test_order_of_identity_does_not_matter_but_of_schema_does() -> None:
    backwards = dict(reversed(IDENTITY.items()))
    assert request_key(backwards, REQUEST) == request_key(IDENTITY, REQUEST)
    one, other = {"properties": {"a": {}, "b": {}}}, {"properties": {"b": {}, "a": {}}}
    assert request_key(IDENTITY, replace(REQUEST, json_schema=one)) != request_key(
        IDENTITY, replace(REQUEST, json_schema=other)
    )


def test_integer_and_float_temperature_are_one() -> None:
    whole = replace(REQUEST, sampling=Sampling(temperature=0))
    negative = replace(REQUEST, sampling=Sampling(temperature=-0.0))
    assert request_key(IDENTITY, whole) == request_key(IDENTITY, REQUEST)
    assert request_key(IDENTITY, negative) == request_key(IDENTITY, REQUEST)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numbers_that_json_lacks_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match=r"identity\.params\.0\.x"):
        request_key({"params": [{"x": bad}]}, REQUEST)
    with pytest.raises(ValueError, match="temperature"):
        request_key(IDENTITY, replace(REQUEST, sampling=Sampling(temperature=bad)))
    with pytest.raises(ValueError, match="json_schema"):
        request_key(IDENTITY, replace(REQUEST, json_schema={"maximum": bad}))


def test_values_that_json_lacks_are_refused() -> None:
    with pytest.raises(ValueError, match="identity"):
        request_key({"device": object()}, REQUEST)


def test_by_item_tells_equal_prompts_apart() -> None:
    key = key_function(IDENTITY, by_item=True)
    assert key(REQUEST) != key(replace(REQUEST, item_id="i2"))


any_text = st.text(st.characters())  # lone surrogates included


@given(st.lists(any_text, min_size=1, max_size=3), st.lists(any_text, min_size=1, max_size=3))
def test_keys_are_equal_exactly_when_messages_are(one: list[str], other: list[str]) -> None:
    first, second = (
        request_key(IDENTITY, replace(REQUEST, messages=tuple(Message("user", t) for t in texts)))
        for texts in (one, other)
    )
    assert (first == second) == (one == other)


PINNED = "a5ae46df18ef5820279e25edec0c0672abb8858b808451b7725d3562a9706488"
