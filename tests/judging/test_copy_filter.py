"""What counts as handing the original back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.judging.copy_filter import is_copied

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
