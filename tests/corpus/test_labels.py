"""The names of labels: every spelling of the paper is understood, in data and in answers."""

from __future__ import annotations

import pytest

from mouse.answers.read import read_answer
from mouse.answers.types import LabelSet
from mouse.corpus import values
from mouse.corpus.items import INTENTS
from mouse.corpus.labels import INTENT_FAMILIES

PAPER = {
    "评价（吐槽，赞扬等）": "Comment",
    "评价(吐槽,赞扬等)": "Comment",
    "评价（吐槽、赞扬等）": "Comment",
    "评价": "Comment",
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
        answer = read_answer(text, kind="label", labels=LabelSet.intents())
        assert answer.value == intent, text


def test_the_families_hold_each_intent_but_others_once() -> None:
    held = [intent for members in INTENT_FAMILIES.values() for intent in members]
    assert sorted(held) == sorted(set(INTENTS) - {"Others"})
    assert INTENT_FAMILIES["informational"] == ("General Statement", "Urging")
    assert INTENT_FAMILIES["affective"] == ("Comment", "Emotional Expression")
    assert INTENT_FAMILIES["social"] == ("Group Identity", "Humor & Memes")
    assert INTENT_FAMILIES["non-standard"] == ("Sexualized Reference",)
