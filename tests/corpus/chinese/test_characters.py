"""Which characters count as Chinese, how they are simplified, and what they are made of."""

import pytest

from mouse.corpus.chinese.characters import (
    decompositions,
    is_han,
    is_ideograph,
    simplified,
)


@pytest.mark.parametrize(
    ("text", "han"), [("汉字", True), ("", False), ("汉a", False), ("〇", False), ("㐀", False)]
)
def test_han_text_is_of_the_common_block_alone(text: str, han: bool) -> None:
    assert is_han(text) is han


@pytest.mark.parametrize(
    ("char", "ideograph"), [("汉", True), ("〇", True), ("㐀", True), ("𠃌", True), ("あ", False)]
)
def test_ideographs_include_the_extensions(char: str, ideograph: bool) -> None:
    assert is_ideograph(char) is ideograph


def test_traditional_characters_are_simplified_and_others_kept() -> None:
    assert [simplified(char) for char in "說这🌶"] == ["说", "这", "🌶"]


def test_a_character_is_spelt_by_its_parts() -> None:
    assert "女子" in decompositions("好")
    assert decompositions("a") == frozenset()
