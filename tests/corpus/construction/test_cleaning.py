"""Cleaning removes what no writer meant, keeps everything else, and says what it did."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.corpus.construction.cleaning import clean


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("&lt;3 &amp; &#x1F336;", "<3 & 🌶"),
        ("&amp;amp;lt;", "<"),
        ("AT&T 和 R&D", "AT&T 和 R&D"),
        ("&notanentity;", "&notanentity;"),
        ("好\u200b的\ufeff\u200e", "好的"),
        ("好\u200d的", "好的"),
        ("👨\u200d👩\u200d👧\u200d👦一家", "👨\u200d👩\u200d👧\u200d👦一家"),
        ("❤️\u200d🔥", "❤️\u200d🔥"),
        ("👩🏽\u200d💻", "👩🏽\u200d💻"),
        ("👨\u200d", "👨"),
        ("🌶️", "🌶️"),
        ("a\x00b\x07c\x7fd", "abcd"),
        ("一\r\n二\r三\t四", "一\n二\n三\t四"),
        ("  ｑｕａｎ角 Ａ １ ﷽ ", "ｑｕａｎ角 Ａ １ ﷽"),
        ("\ud83c好", "好"),
        ("\u200b \x01", ""),
    ],
)
def test_what_goes_and_what_stays(raw: str, text: str) -> None:
    assert clean(raw).text == text


def test_every_change_is_said_and_no_change_says_nothing() -> None:
    assert clean("好的").changes == ()
    assert clean(" a&amp;b\u200b\u200b\r\n").changes == (
        "decoded &amp; ×1",
        "made line feeds of 1 carriage returns",
        "removed U+200B ×2",
        "stripped 2 white-space characters at the ends",
    )


_TEXTS = st.text(st.characters() | st.sampled_from("👨👩❤\ufe0f\u200d\u200b&#;amplt\r\x00"))


@given(_TEXTS)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = clean(text)
    assert clean(once.text) == type(once)(once.text, ())
    assert (once.text != text) == bool(once.changes)


@given(st.text(st.characters(categories=("L", "N", "P", "S", "M"), exclude_characters="&")))
def test_visible_text_without_entities_is_kept_exactly(text: str) -> None:
    assert clean(text).text == text


@given(_TEXTS)
def test_nothing_invisible_is_left(text: str) -> None:
    left = clean(text).text
    assert not [c for c in left if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    assert "\u200b" not in left
