"""What kind of sign a character is."""

import pytest

from mouse.models.noisy_channel.signs import (
    ascii_form,
    bare_emoji,
    folded,
    is_boundary,
    is_odd_digit,
)


@pytest.mark.parametrize(("char", "plain"), [("Ａ", "A"), ("⑧", "8"), ("⑩", ""), ("好", "")])
def test_the_ascii_character_that_a_sign_is_a_form_of(char: str, plain: str) -> None:
    assert ascii_form(char) == plain


def test_folding_keeps_the_length() -> None:
    assert folded("ＹＹＤＳ㎞İ") == "yyds㎞İ"


def test_odd_digits_are_those_that_no_number_is_written_with() -> None:
    assert [is_odd_digit(char) for char in "8８⑧⁸"] == [False, False, True, True]


def test_clauses_end_at_punctuation_space_and_the_ends() -> None:
    assert all(map(is_boundary, ("，", " ", ""))) and not is_boundary("好")


def test_an_emoji_is_the_same_with_every_modifier() -> None:
    assert (
        bare_emoji("👍🏽") == "👍" and bare_emoji("⬆️") == "⬆" and bare_emoji("\ufe0f") == "\ufe0f"
    )
