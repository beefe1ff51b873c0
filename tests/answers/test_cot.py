"""What models write when they are asked to think first (`prompt=cot`): what is last counts."""

from __future__ import annotations

import pytest

from mouse.answers.read import read_answer
from mouse.answers.types import Answer, AnswerKind, LabelSet
from mouse.contracts import Outcome, Sampling
from mouse.corpus.items import CXEI, ChoiceItem, Components
from mouse.tasks.base import prompt_text
from mouse.tasks.prompts import PromptSet
from mouse.tasks.registry import get_task

TOXIC = get_task("td").label_set()
USES = get_task("rc").label_set()
INTENT = get_task("ir").label_set()
LETTERS = LabelSet.letters(("打得好", "打得差", "喝了酒", "去放牛"))
FREE = LabelSet()

CHINESE = [
    ("binary", TOXIC, "“🐢孙”即龟孙，是骂人的话。\n答案：1", "1"),
    ("binary", TOXIC, "1. 🐶指狗。\n2. 整句是自嘲，没有攻击别人。\n答案：0", "0"),
    ("binary", TOXIC, "这里的8读作不。\n\n**答案：0**", "0"),
    ("binary", TOXIC, "虽然有粗口，但不针对人。\n答案: 0。", "0"),
    ("binary", TOXIC, "乍看有毒，所以答案是1。再想想，说话人是在自嘲。\n答案：0", "0"),
    ("binary", TOXIC, "先假设有毒。\n答案：1\n检查：没有针对任何人，应改判。\n最终答案：0", "0"),
    ("binary", USES, "替换有两处：⑧读作不，靠读音；👻就是鬼，靠意义。\n答案：1", "1"),
    ("binary", USES, "不是谐音，不是视觉。\n【答案】0", "0"),
    ("binary", USES, '分析：白勺合起来是“的”。\n答案：{"answer": "1"}', "1"),
    ("label", INTENT, "说话人在骂主播，是对人的评价。\n答案：评价（吐槽，赞扬等）", "Comment"),
    ("label", INTENT, "这句在催人快点，不是一般陈述。\n答案：催促", "Urging"),
    ("label", INTENT, "既有情绪也有玩梗，主要是玩梗。\n答案：幽默与梗", "Humor & Memes"),
    ("label", INTENT, "有人会选情绪表达。因此情绪表达最像？不，没有情绪。\n答案：一般陈述", "General Statement"),
    ("letter", LETTERS, "🐂🍺是牛逼，A 是夸奖，C 只看字面。\n答案：A", "A"),
    ("letter", LETTERS, "先看 A：像。再看 B：所以选 B？B 的语气不对。\n\n### 答案：A", "A"),
    ("letter", LETTERS, "逐项比较后只有 D 说得通。所以，答案：D", "D"),
    ("text", FREE, "⑧→八→不；🌶️→辣→了。\n答案：他不来了", "他不来了"),
    ("text", FREE, "1. 94 读作就是\n2. 泥萌是你们\n答案：就是你们", "就是你们"),
    ("text", FREE, "译文：他八来辣\n这样不通，⑧应读不。\n译文：他不来了\n答案：他不来了", "他不来了"),
    ("text", FREE, "答案：好羡慕\n漏了手机，再写一遍。\n答案：“好羡慕这台手机。”", "好羡慕这台手机。"),
    ("text", FREE, "“答案”二字可能被误读。\n答案：先写答案再检查", "先写答案再检查"),
    ("text", FREE, "逐字还原。\n**答案：**\n你们别笑我", "你们别笑我"),
]  # fmt: skip

ENGLISH = [
    ("binary", TOXIC, "First, 🐷 stands for pig, an insult.\nAnswer: 1", "1"),
    ("binary", TOXIC, "1) 94 = 就是\n2) no insult\n\nAnswer: 0", "0"),
    ("binary", TOXIC, "Step 1: it is self-mockery.\nSo it is not toxic.\nAnswer: 0", "0"),
    ("binary", TOXIC, "It is toxic at first sight, so 1. But it teases a friend.\nAnswer: 0", "0"),
    ("binary", TOXIC, "Answer: 1\nWait, nobody is attacked.\nFinal answer: 0", "0"),
    ("binary", TOXIC, "The writer threatens the reader.\n**Answer: 1**", "1"),
    ("binary", USES, "The digit 8 is read bā and stands for 不.\nAnswer: 1", "1"),
    ("binary", USES, "No glyph is split, nothing is inverted.\n\nAnswer: 0.", "0"),
    ("binary", USES, 'Dialect only.\nAnswer: {"answer": "1"}', "1"),
    ("binary", USES, "- 👻 = ghost, by meaning\n- no sound involved\nThe answer is: 0", "0"),
    ("label", INTENT, "The writer asks others to hurry.\nAnswer: Urging", "Urging"),
    ("label", INTENT, "It tells a fact.\nNo comment on it.\nAnswer: General Statement", "General Statement"),
    ("label", INTENT, "Is it Comment? It insults a streamer, hence yes.\nAnswer: Comment", "Comment"),
    ("label", INTENT, "Therefore Emotional Expression? It plays on a meme.\n## Answer: Humor & Memes", "Humor & Memes"),
    ("letter", LETTERS, "Options C and D read the pictures literally.\nAnswer: A", "A"),
    ("letter", LETTERS, "So I would choose B. Checking the tone again, A fits better.\nAnswer: A", "A"),
    ("letter", LETTERS, "Only D is left.\nAnswer: D. 去放牛", "D"),
    ("text", FREE, "泥萌 means 你们.\nAnswer: 你们好", "你们好"),
    ("text", FREE, "Translation: 他八来\n8 must be 不.\nTranslation: 他不来\nAnswer: 他不来了", "他不来了"),
    ("text", FREE, "Answer: 好羡慕\nThe phone is missing.\nAnswer: 好羡慕这台手机", "好羡慕这台手机"),
    ("text", FREE, "⑧ → 八 → 不.\n**Answer:** 我不去", "我不去"),
    ("text", FREE, "Let me restore it.\nAnswer:\n你说得对", "你说得对"),
]  # fmt: skip


def read(text: str, kind: AnswerKind, labels: LabelSet, finish_reason: str = "stop") -> Answer:
    return read_answer(text, kind=kind, labels=labels, finish_reason=finish_reason, steps=True)


@pytest.mark.parametrize(("kind", "labels", "text", "value"), [*CHINESE, *ENGLISH])
def test_what_stands_behind_the_last_marker_is_the_answer(
    kind: AnswerKind, labels: LabelSet, text: str, value: str
) -> None:
    answer = read(text, kind, labels)
    assert (answer.outcome, answer.value) == (Outcome.VALID, value)


def test_two_answers_contradict_each_other_where_no_thinking_was_asked_for() -> None:
    text = "答案：1\n答案：0"
    assert read_answer(text, kind="binary", labels=TOXIC).outcome is Outcome.UNPARSEABLE
    assert read(text, "binary", TOXIC).value == "0"


@pytest.mark.parametrize(
    ("kind", "labels"), [("binary", TOXIC), ("label", INTENT), ("letter", LETTERS), ("text", FREE)]
)
@pytest.mark.parametrize(
    "text", ["先看第一处：⑧读作八，再", "It says 1, so B. Comment…", "想。\n答案："]
)
def test_thinking_that_never_came_to_an_answer_is_truncated(
    kind: AnswerKind, labels: LabelSet, text: str
) -> None:
    assert read(text, kind, labels, "length").outcome is Outcome.TRUNCATED


def test_an_answer_that_was_complete_before_the_limit_counts_but_a_cut_translation_does_not() -> (
    None
):
    assert read("想。\n答案：B\n因为", "letter", LETTERS, "length").value == "B"
    assert read("想。\n答案：他不", "text", FREE, "length").outcome is Outcome.TRUNCATED


def test_without_a_marker_a_closed_answer_is_read_as_ever_and_thinking_is_no_translation() -> None:
    assert read("它在骂人。\n1", "binary", TOXIC).value == "1"
    assert read("Let me see.\nSo the final choice is \\boxed{C}", "letter", LETTERS).value == "C"
    assert read("他不来了", "text", FREE).value == "他不来了"
    assert read("⑧读作不。\n译文：他不来了", "text", FREE).value == "他不来了"
    thinking = read("⑧读作不，辣读作了。\n整句是说他不会来。", "text", FREE)
    assert (thinking.outcome, thinking.note) == (Outcome.UNPARSEABLE, "no line with the answer")
    assert read("抱歉，我无法翻译这句话。", "text", FREE).outcome is Outcome.REFUSAL


@pytest.mark.parametrize("name", ["cot", "cot-en"])
@pytest.mark.parametrize("code", ["td", "ir", "rc", "ms", "cc", "tr"])
def test_the_sets_own_prompts_are_no_echo_of_an_answer(name: str, code: str) -> None:
    """The prompt holds the label names and the marker; the answer may repeat both."""
    task = get_task(code)
    item: CXEI | ChoiceItem = CXEI(
        "x", "泥萌⑧要", "你们不要", Components(True, False, False), "Urging", 0
    )
    if code in ("ms", "cc"):
        item = ChoiceItem("x", code, "甲：在吗", "泥萌____", ("你们", "泥土", "萌芽", "他们"), "A")  # type: ignore[arg-type]
    [request, *_] = task.requests([item], PromptSet.load(name), sampling=Sampling())
    assert request.steps
    gold = task.gold(item, request.variant)
    marker = "Answer: " if name == "cot-en" else "答案："
    written = task.answer_in(PromptSet.load(name).template(code, request.variant), gold)
    answer = read_answer(
        f"先想一想。\n{marker}{written}",
        kind=task.kind,
        labels=task.label_set(item),
        prompt=prompt_text(request),
        steps=request.steps,
    )
    assert answer.value == gold
