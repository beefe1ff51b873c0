"""What models write when they are asked to think first (`prompt=cot`): the last line counts."""

from __future__ import annotations

import pytest

from mouse.answers.read import read_answer
from mouse.answers.types import AnswerKind, LabelSet
from mouse.contracts import Outcome

BINARY = LabelSet.binary("toxicity")
INTENT = LabelSet.intents()
LETTERS = LabelSet.letters(("打得好", "打得差", "喝了酒", "去放牛"))


@pytest.mark.parametrize(
    ("kind", "labels", "text", "value"),
    [
        ("binary", BINARY, "“🐢孙”即龟孙，是骂人的话。\n答案：1", "1"),
        ("binary", BINARY, "1. 🐶指狗。\n2. 整句是自嘲，没有攻击别人。\n答案：0", "0"),
        ("binary", BINARY, "这里的8读作不。\n\n**答案：0**", "0"),
        ("binary", BINARY, "虽然有粗口，但不针对人。\n答案: 0。", "0"),
        ("binary", BINARY, "First, 🐷 stands for pig, an insult.\nAnswer: 1", "1"),
        ("binary", BINARY, "1) 94 = 就是\n2) no insult\n\nAnswer: 0", "0"),
        ("binary", BINARY, "Step 1: it is self-mockery.\nSo it is not toxic.\nAnswer: 0", "0"),
        ("label", INTENT, "说话人在骂主播，是对人的评价。\n答案：评价", "Comment"),
        ("label", INTENT, "这句在催人快点，不是陈述。\n答案：催促", "Urging"),
        ("label", INTENT, "既有情绪也有玩梗，主要是玩梗。\n答案：幽默与梗", "Humor & Memes"),
        ("label", INTENT, "答案：评价（吐槽，赞扬等）", "Comment"),
        ("label", INTENT, "The writer asks others to hurry.\nAnswer: Urging", "Urging"),
        (
            "label",
            INTENT,
            "It tells a fact.\nNo comment on it.\nAnswer: General Statement",
            "General Statement",
        ),
        ("letter", LETTERS, "🐂🍺是牛逼，A 是夸奖，C 只看字面。\n答案：A", "A"),
        ("letter", LETTERS, "B、C、D 都不对。\n\n答案：A", "A"),
        ("letter", LETTERS, "Options C and D read the pictures literally.\nAnswer: A", "A"),
        ("text", LabelSet.free(), "⑧→八→不；🌶️→辣→了。\n答案：他不来了", "他不来了"),
        ("text", LabelSet.free(), "1. 94 读作就是\n2. 泥萌是你们\n答案：就是你们", "就是你们"),
        ("text", LabelSet.free(), "泥萌 means 你们.\nAnswer: 你们好", "你们好"),
        (
            "text",
            LabelSet.free(),
            "先看🐔：鸡→机。\n再看🍋：羡慕。\n\n答案：好羡慕这台手机。",
            "好羡慕这台手机。",
        ),
        ("text", LabelSet.free(), "“答案”二字可能被误读。\n答案：先写答案再检查", "先写答案再检查"),
    ],
)
def test_the_last_line_is_the_answer(
    kind: AnswerKind, labels: LabelSet, text: str, value: str
) -> None:
    answer = read_answer(text, kind=kind, labels=labels)
    assert (answer.outcome, answer.value) == (Outcome.VALID, value)


@pytest.mark.parametrize("kind", ["binary", "text"])
def test_thinking_that_never_came_to_an_answer_is_truncated(kind: AnswerKind) -> None:
    labels = BINARY if kind == "binary" else LabelSet.free()
    text = "先看第一处替换：⑧读作八，再"
    answer = read_answer(text, kind=kind, labels=labels, finish_reason="length")
    assert answer.outcome is Outcome.TRUNCATED
