"""What is stored and what crosses to an actor comes back equal, also what older rows hold."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.contracts import Completion, CompletionError, Message, Request, Usage
from mouse.engine.codec import decode_completion, encode_completion, pack, unpack

ANSWER = Completion(
    "k1",
    text="了",
    reasoning="想",
    finish_reason="stop",
    logprobs=({"token": "了", "logprob": -0.1, "top": {"了": -0.1}},),
    usage=Usage(10, 2, 1, 0, True),
    latency_s=0.25,
    model_reported="m-1",
    attempts=2,
)
STORED = (
    '["了","想","stop",[{"token":"了","logprob":-0.1,"top":{"了":-0.1}}],'
    '[10,2,1,0,true],0.25,"m-1",2]'
).encode()


def test_rows_of_every_store_there_is_are_written_and_read_alike() -> None:
    # A change here leaves everybody's stored answers unreadable.
    assert encode_completion(ANSWER) == STORED
    assert decode_completion("k1", STORED) == ANSWER
    broken = Completion("k", text="\ud83d", usage=Usage(1, 2))
    row = b'["\\ud83d", null, null, null, [1, 2, 0, 0, false], null, null, 1]'
    assert encode_completion(broken) == row
    assert decode_completion("k", row) == broken


def test_a_request_crosses_to_an_actor_as_it_is() -> None:
    request = Request(
        "k",
        "i",
        "rc",
        "visual",
        1,
        (Message("user", "好"), Message("assistant", "是")),
        choices=("是", "否"),
        json_schema=MappingProxyType({"type": "object"}),
        steps=True,
        payload={"text": "女子"},
    )
    assert unpack(pack([request, request])) == [request, request]


texts = st.none() | st.text(st.characters())  # lone surrogates included
counts = st.integers(0, 10**9)
completions = st.builds(
    Completion,
    request_key=st.just("k"),
    text=texts,
    reasoning=texts,
    finish_reason=st.sampled_from(["stop", "length", "content_filter", "refusal"]),
    logprobs=st.none()
    | st.lists(
        st.fixed_dictionaries({"token": st.text(), "logprob": st.floats(-50, 0)}), max_size=3
    ).map(tuple),
    usage=st.none() | st.builds(Usage, counts, counts, counts, counts, st.booleans()),
    latency_s=st.none() | st.floats(0, 1e4),
    model_reported=st.none() | st.text(),
    attempts=st.integers(0, 20),
)
errors = st.builds(
    CompletionError,
    kind=st.sampled_from(["transport", "auth"]),
    message=st.text(),
    status=st.none() | st.integers(100, 599),
    fatal=st.booleans(),
)


@given(completions)
def test_every_answer_is_read_back_as_it_was_stored(completion: Completion) -> None:
    assert decode_completion("k", encode_completion(completion)) == completion


@given(st.lists(completions | st.builds(Completion, st.just("k"), error=errors), max_size=3))
def test_every_completion_crosses_to_the_driver_as_it_was(batch: list[Completion]) -> None:
    assert unpack(pack(batch)) == batch


def test_an_error_cannot_be_encoded_as_an_answer() -> None:
    with pytest.raises(ValueError, match="not an answer"):
        encode_completion(Completion("k", error=CompletionError("timeout", "60 s")))
