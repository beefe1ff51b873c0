"""What counts as handing the original back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opencc import OpenCC

from mouse.scoring.copy_filter import is_copied

CXEIS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "sample" / "cxei.jsonl")
    .read_text(encoding="utf-8")
    .split("\n")
    if line
]

LONG = "我昨天在学校门口看见他跟几个同学一起⑧了半天也没有结果"
LONG_REFERENCE = "我昨天在学校门口看见他跟几个同学一起扒了半天也没有结果"


@pytest.mark.parametrize(
    ("original", "answer", "reference"),
    [
        ("太🐂🍺了！", "太🐂🍺了！", "太牛逼了！"),
        ("太🐂🍺了！", " 太 🐂🍺 了。", "太牛逼了！"),
        ("好🌶️", "好🌶", "好了"),
        ("⑧行", "8行", "不行"),
        ("YYDS", "yyds!", "永远的神"),
        (LONG, LONG.replace("学校", "校园"), LONG_REFERENCE),
        ("太🐂🍺了", "太🐂🍺了", None),
        ("你说什么¿", "你说什么¿", "你说什么？"),
        ("youare", "youare", "you are"),
        (LONG, LONG + "吧", None),
    ],
)
def test_an_answer_that_undoes_nothing_is_copied(
    original: str, answer: str, reference: str | None
) -> None:
    assert is_copied(original, answer, reference)


@pytest.mark.parametrize(
    ("original", "answer", "reference"),
    [
        (LONG, LONG_REFERENCE, LONG_REFERENCE),
        (LONG, LONG.replace("⑧", "趴"), LONG_REFERENCE),
        (LONG, LONG.replace("⑧", "扒"), None),
        ("今天天气不错", "今天天气不错", "今天天气不错"),
        ("今天天气不错！", "今天 天气不错", "今天天气不错。"),
        ("太🐂🍺了", "这句话是说太🐂🍺了，也就是很厉害的意思", "太牛逼了"),
        ("太🐂🍺了", "", "太牛逼了"),
    ],
)
def test_an_answer_that_undoes_something_or_had_nothing_to_undo_is_not(
    original: str, answer: str, reference: str | None
) -> None:
    assert not is_copied(original, answer, reference)


@given(st.text(st.characters(categories=["Cs", "Cc", "Lo", "So"])))
def test_half_a_surrogate_and_control_characters_are_text_too(text: str) -> None:
    assert is_copied("太🐂🍺了" + text, "太🐂🍺了" + text, "太牛逼了" + text)


def test_a_threshold_of_one_leaves_only_equality() -> None:
    near = LONG.replace("学校", "校园")
    assert is_copied(LONG, near, LONG_REFERENCE, threshold=0.9)
    assert not is_copied(LONG, near, LONG_REFERENCE, threshold=1.0)
    assert is_copied(LONG, LONG, LONG_REFERENCE, threshold=1.0)


@given(st.text(), st.text())
def test_the_reference_itself_is_never_copied(original: str, reference: str) -> None:
    assert not is_copied(original, reference, reference)


@given(st.text(), st.text(), st.text())
def test_a_lower_threshold_never_frees_an_answer(
    original: str, answer: str, reference: str
) -> None:
    if is_copied(original, answer, reference, threshold=0.95):
        assert is_copied(original, answer, reference, threshold=0.5)


def _single_steps(row: dict[str, Any]) -> list[str]:
    """The original with exactly one step of its derivation undone, for each step."""
    made, cursor, original = [], 0, row["original_text"]
    for step in row["derivation"]:
        at = original.index(step["surface"], cursor)
        cursor = at + len(step["surface"])
        made.append(original[:at] + step["target"] + original[cursor:])
    return made


@pytest.mark.parametrize("row", CXEIS, ids=lambda row: row["id"])
def test_undoing_any_single_step_of_a_derivation_is_no_copy(row: dict[str, Any]) -> None:
    for answer in _single_steps(row):
        assert not is_copied(row["original_text"], answer, row["reference"]), answer


@pytest.mark.parametrize(
    ("answer", "copied"),
    [
        ("这段剧情太尴尬，我蚌埠住了", False),
        ("这段剧情太太尬，我蚌埠住了", True),
        ("这段剧情太尬尬，我蚌埠住了", True),
        ("这段剧情太尬，我蚌埠住了呀", True),
    ],
)
def test_only_what_the_reference_adds_at_a_place_is_new_there(answer: str, copied: bool) -> None:
    original, reference = "这段剧情太尬，我蚌埠住了", "这段剧情太尴尬，我忍不住笑了"
    assert is_copied(original, answer, reference, threshold=0.5) is copied


@pytest.mark.parametrize(
    ("answer", "copied"),
    [("你🐎教你的？", False), ("你🐎教你的", True), ("你🐎教你的！", True), ("你🐎教你的¿", True)],
)
def test_turning_a_sign_the_right_way_up_undoes_something(answer: str, copied: bool) -> None:
    assert is_copied("你🐎教你的¿", answer, "你妈教你的？", threshold=0.5) is copied


def test_an_emoji_that_python_does_not_know_yet_is_a_sign() -> None:
    original, reference = "\U0001fabf死鬼投月台啊", "饿死鬼投胎啊"
    assert not is_copied(original, "饿死鬼投月台啊", reference)
    assert is_copied(original, "死鬼投月台啊", reference)


def _swap_punctuation(text: str) -> str:
    return text.replace("，", "。").replace("！", "?") + "……"


def _without_emoji(text: str) -> str:
    return re.sub("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]", "", text)


TRADITIONAL = OpenCC("s2t")


def _traditional(text: str) -> str:
    return str(TRADITIONAL.convert(text))


@pytest.mark.parametrize(
    "copy",
    [
        str,
        str.upper,
        _swap_punctuation,
        " ".join,
        lambda text: f"“{text}”",
        lambda text: f"译文：{text}",
        lambda text: f"这句话的意思是：{text}",
        lambda text: f"翻译成标准中文：\n{text}",
        lambda text: f"改写后：\n「{text}」",
        lambda text: f"Translation: {text}",
        lambda text: f"{text}\n{text}",
        lambda text: text.replace("\ufe0f", ""),
        _without_emoji,
        _traditional,
    ],
)
def test_whoever_copies_scores_nothing_on_any_row_of_the_sample(copy: Callable[[str], str]) -> None:
    for row in CXEIS:
        original, reference = row["original_text"], row["reference"]
        assert is_copied(original, copy(original), reference), row["id"]


@pytest.mark.parametrize(
    ("sign", "meant"),
    [
        *[("🉑", "可"), ("🉐", "得"), ("🈶", "有"), ("🈚", "无"), ("㊙", "秘"), ("㈠", "一")],
        *[("⑧", "八"), ("⑧", "8"), ("8️⃣", "8"), ("Ⅷ", "8"), ("８", "8"), ("²", "2")],
        *[("🅱️", "B"), ("Ａ", "A"), ("ﬁ", "fi"), ("㎏", "kg"), ("𝐀", "A"), ("們", "们")],
    ],
)
def test_a_form_handed_back_is_copied_and_the_plain_character_is_right(
    sign: str, meant: str
) -> None:
    original, reference = f"这事儿真的{sign}以再商量一下吧", f"这事儿真的{meant}以再商量一下吧"
    assert is_copied(original, original, reference)
    assert is_copied(original, f"译文：{original}", reference)
    assert not is_copied(original, reference, reference)


@pytest.mark.parametrize(
    ("answer", "copied"),
    [
        ("这样🉑以，⑧要了", True),
        ("这样🉑以，8要了", True),
        ("这样🉑以，(8)要了！", True),
        ("這樣🉑以，⑧要了", True),
        ("这样以，要了", True),
        ("这样可以，⑧要了", False),
        ("这样🉑以，不要了", False),
        ("这样行，不要了", False),
        ("这样可以，八要了", False),
        ("这样可以，不要了", False),
    ],
)
def test_each_substituted_place_is_looked_at(answer: str, copied: bool) -> None:
    assert is_copied("这样🉑以，⑧要了", answer, "这样可以，不要了", threshold=0.5) is copied


def test_leaving_out_a_word_is_no_copy_but_leaving_out_its_emoji_is() -> None:
    reference = "他妈的这破网，一到团战就卡"
    assert not is_copied("tmd这破网，一到团战就卡", "这破网，一到团战就卡", reference)
    assert is_copied(
        "🐎的这破网，一到团战就卡", "的这破网，一到团战就卡", "妈的这破网，一到团战就卡"
    )
