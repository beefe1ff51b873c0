"""Reasoning is taken out of a text, whatever tags a model puts around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.answers.reasoning import (
    is_closing_tag,
    opens_reasoning,
    split_reasoning,
    strip_reasoning,
)

PAIRS = [
    ("<think>", "</think>"),
    ("<seed:think>", "</seed:think>"),
    ("< Thinking >", "</ thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
]


def is_tagged(text: str) -> bool:
    return strip_reasoning(text) != (text, False)


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_every_kind_of_tag_is_known_to_every_reader(opening: str, closing: str) -> None:
    assert strip_reasoning(f"{opening}hm{closing}A") == ("A", False)
    assert strip_reasoning(f"hm{closing}A") == ("A", False)
    assert strip_reasoning(f"A{opening}hm") == ("A", True)
    assert split_reasoning(f"{opening}hm{closing}A") == ("A", "hm")
    assert opens_reasoning(f"assistant: {opening}\n")
    assert is_closing_tag(closing) and not is_closing_tag(opening)
    assert not is_closing_tag(f"{closing}A")


@pytest.mark.parametrize(
    ("text", "opened", "answer", "reasoning"),
    [
        ("A", False, "A", None),
        ("", False, "", None),
        ("<think>hm</think>\n\nA", False, "A", "hm"),
        ("\n<think>\nhm\n</think>A", False, "A", "hm"),
        ("hm\n</think>\n\nA", True, "A", "hm"),
        ("hm</think>A", False, "A", "hm"),  # a template that was not seen to open it
        ("<think>\n\n</think>\n\nA", False, "A", None),  # thought nothing
        ("<seed:think>hm</seed:think>A", False, "A", "hm"),
        ("<think>hm, and then", False, "<think>hm, and then", None),  # cut off
        ("hm, and then", True, "<think>hm, and then", None),  # cut off, tag in the prompt
        ("<think>hm", True, "<think>hm", None),
        ("<think>a</think>A</think>", False, "A</think>", "a"),
        ("the tags <think>x</think> mean", False, "the tags <think>x</think> mean", None),
        ("<think>想</think>答案是<think>", False, "答案是<think>", "想"),
    ],
)
def test_reasoning_is_taken_out_of_the_answer(
    text: str, opened: bool, answer: str, reasoning: str | None
) -> None:
    assert split_reasoning(text, opened) == (answer, reasoning)


@given(thought=st.text(), answer=st.text())
def test_what_stands_after_the_reasoning_is_the_answer(thought: str, answer: str) -> None:
    if is_tagged(thought):
        return
    text, reasoning = split_reasoning(f"<think>{thought}</think>{answer}")
    assert text == answer.lstrip()
    assert reasoning == (thought.strip() or None)


@given(st.text())
def test_text_without_tags_is_left_alone(text: str) -> None:
    if not is_tagged(text):
        assert split_reasoning(text) == (text, None)


@pytest.mark.parametrize(
    ("end", "thinking"),
    [
        ("<|im_start|>assistant\n<think>\n", True),
        ("<think>", True),
        ("<think>\n\n</think>\n\n", False),
        ("<|im_start|>assistant\n", False),
        ("What is <think>?<|im_end|>\n<|im_start|>assistant\n", False),
    ],
)
def test_a_prompt_that_opens_the_reasoning_is_seen(end: str, thinking: bool) -> None:
    assert opens_reasoning(end) is thinking
