"""The names of labels: every spelling of the paper is understood, in data and in answers."""

from __future__ import annotations

import pytest

from mouse.answers.read import read_answer
from mouse.corpus.items import INTENTS
from mouse.corpus.labels import INTENT_FAMILIES, INTENT_ZH
from mouse.corpus.reading import values
from mouse.tasks.registry import get_task

PAPER = {
    "评价（吐槽，赞扬等）": "Comment",
    "评价(吐槽,赞扬等)": "Comment",
    "评价（吐槽、赞扬等）": "Comment",
    "评价": "Comment",
    "评价（吐槽）": "Comment",
    "评价（Comment）": "Comment",
    "Comments": "Comment",
    "Humor & Memes (jokes)": "Humor & Memes",
    "一般陈述(General Statement)": "General Statement",
    "催促（要求、请求）": "Urging",
    "Comments (criticisms, praises, etc.)": "Comment",
    "Comment (e.g., complaint, praise)": "Comment",
    "Comment (e.g., Complaint, Praise)": "Comment",
    "comments": "Comment",
    "Making a Joke & Memes": "Humor & Memes",
    "making a joke and memes": "Humor & Memes",
    "Ｈｕｍｏｒ ＆ Ｍｅｍｅｓ": "Humor & Memes",
    "开玩笑与玩梗": "Humor & Memes",
    "Emotional Expression": "Emotional Expression",
    "emotional expressions": "Emotional Expression",
    "General Statement": "General Statement",
    "Sexualized Reference": "Sexualized Reference",
    "Group Identity": "Group Identity",
    "Urging": "Urging",
    "Others": "Others",
    "其他": "Others",
}


@pytest.mark.parametrize(("written", "intent"), PAPER.items())
def test_every_spelling_is_understood_in_data_and_in_answers(written: str, intent: str) -> None:
    assert values.intent(written) == intent
    for text in (written, f"意图：{written}", f"Answer: {written}", f"**{written}**"):
        answer = read_answer(text, kind="label", labels=get_task("ir").label_set())
        assert answer.value == intent, text


@pytest.mark.parametrize(
    "written", ["(Urging) Comment", "开心（评价）", "（）", "评价催促（吐槽）"]
)
def test_what_is_in_parentheses_names_no_intent(written: str) -> None:
    with pytest.raises(ValueError, match="unknown intent"):
        values.intent(written)


def test_the_papers_chinese_name_is_the_one_that_prompts_and_tables_show() -> None:
    assert INTENT_ZH["Comment"] == "评价（吐槽，赞扬等）"


def test_the_families_hold_each_intent_but_others_once() -> None:
    held = [intent for members in INTENT_FAMILIES.values() for intent in members]
    assert sorted(held) == sorted(set(INTENTS) - {"Others"})
    assert INTENT_FAMILIES["informational"] == ("General Statement", "Urging")
    assert INTENT_FAMILIES["affective"] == ("Comment", "Emotional Expression")
    assert INTENT_FAMILIES["social"] == ("Group Identity", "Humor & Memes")
    assert INTENT_FAMILIES["non-standard"] == ("Sexualized Reference",)
