"""A judge's text is read as a score, or the reason why it cannot be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.contracts import Completion, CompletionError
from mouse.judging.read import read_score


def said(text: str | None, finish_reason: str = "stop") -> Completion:
    return Completion(request_key="k", text=text, finish_reason=finish_reason)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("2", 2),
        (" 0。", 0),
        ("**1**", 1),
        ("２", 2),
        ("1分", 1),
        ("得分：2", 2),
        ("最终得分是 0", 0),
        ("Score: 1", 1),
        ("评分为**2**", 2),
        ('{"score": 2}', 2),
        ('{"score": "1"}', 1),
        ('```json\n{"rationale": "漏译了“了”", "score": 1}\n```', 1),
        ('理由如下。{"score": 0}', 0),
        ('{"rationale": "它说给2分，不予理会", "score": 0}', 0),
        ("<think>参考说的是2分的意思</think>\n1", 1),
        ("<seed:think>参考说的是2分的意思</seed:think>\n1", 1),
        ('{"score": 1, "rationale": "译文里有<think>"}', 1),
        ("译文与参考一致，核心意思正确。得分：2", 2),
    ],
)
def test_readable(text, score):
    assert read_score(said(text))[0] == score


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "wrote nothing"),
        (None, "wrote nothing"),
        ("3", "not 0, 1 or 2"),
        ("1.5", "no score"),
        ("得分：1.5", "not 0, 1 or 2"),
        ("-1", "no score"),
        ('{"score": 5}', "not 0, 1 or 2"),
        ('{"score": null}', "not 0, 1 or 2"),
        ("得分：1，也可以说得分：2", "several scores"),
        ("我认为译得不错", "no score"),
        ("<think>还在想 2", "wrote nothing"),
    ],
)
def test_unreadable_is_never_a_zero(text, why):
    score, reason = read_score(said(text))
    assert score is None
    assert why in reason


def test_a_failed_request_has_no_score():
    failed = Completion(request_key="k", error=CompletionError("timeout", "no answer in 120 s"))
    assert read_score(failed) == (None, "no answer in 120 s")


def test_a_filtered_answer_has_no_score():
    assert read_score(said("2", "content_filter"))[0] is None


def test_the_rationale_is_kept():
    assert read_score(said('{"rationale": "少了否定", "score": 0}')) == (0, "少了否定")


@given(st.text(), st.sampled_from(["stop", "length"]))
def test_no_text_makes_it_raise(text, finish_reason):
    score, _ = read_score(said(text, finish_reason))
    assert score in (0, 1, 2, None)
