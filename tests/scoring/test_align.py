"""What sentences are compared by."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mouse.scoring.align import comparable, differences, folded, found_in, similarity


def test_setting_is_not_compared_and_forms_are_only_where_they_are_folded() -> None:
    assert comparable(" 好，🌶️！AB ⑧") == "好🌶ab⑧"
    assert folded(" 好，🌶️！ＡＢ ⑧🉑8️⃣🅱️👍🏽們") == "好🌶ab8可8b👍们"


@given(st.text())
def test_comparable_and_folded_are_idempotent(text: str) -> None:
    assert comparable(comparable(text)) == comparable(text)
    assert folded(folded(text)) == folded(text)


def test_neighbouring_edits_are_one_span() -> None:
    (span,) = differences("长得吃藕还", "长得丑还")
    assert (span.left_start, span.left_end, span.right_start, span.right_end) == (2, 4, 2, 3)


@given(st.text(), st.text())
def test_differences_rebuild_the_other_string(left: str, right: str) -> None:
    built, at = "", 0
    for span in differences(left, right):
        built += left[at : span.left_start] + right[span.right_start : span.right_end]
        at = span.left_end
    assert built + left[at:] == right


@given(st.text(min_size=1))
def test_a_string_is_found_in_itself(text: str) -> None:
    assert all(found_in(text, text))
    assert similarity(text, text) == 1.0
    assert not any(found_in(text, ""))
