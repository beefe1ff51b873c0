"""Bytes become text without losing a character, or are refused with their line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.corpus.reading.decode import decode
from mouse.corpus.reading.raw import ReadingError

TEXT = "编号,原文\n1,我🌶️么菜，𠮷野家ｙｙｄｓ👨‍👩‍👧\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_every_encoding_gives_the_same_text(encoding: str) -> None:
    assert decode(TEXT.encode(encoding))[0] == TEXT


def test_encoding_is_named() -> None:
    assert decode(TEXT.encode("gb18030"))[1] == "gb18030"
    assert decode(TEXT.encode("utf-16-le")[:0] + TEXT.encode("utf-16"))[1].startswith("utf-16")
    assert decode(TEXT.encode())[1] == "utf-8"


def test_only_the_first_byte_order_mark_is_dropped() -> None:
    assert decode(b"\xef\xbb\xbf" * 2 + b"a")[0] == "\ufeffa"


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: text[:1] != "\ufeff"))
def test_utf8_is_always_read_back_exactly(text: str) -> None:
    assert decode(text.encode()) == (text, "utf-8")


def test_damaged_utf8_is_refused_and_not_read_as_gb18030() -> None:
    damaged = TEXT.encode().replace("么".encode(), b"\xe4\xb9")
    with pytest.raises(ReadingError) as caught:
        decode(damaged)
    assert caught.value.line == 2
    assert "damaged UTF-8" in caught.value.problem


def test_bytes_of_no_encoding_are_refused() -> None:
    with pytest.raises(ReadingError, match="neither UTF-8 nor GB18030"):
        decode(b"id,text\n1,\xff\xff\xff\xff\n")


def test_broken_utf16_is_refused() -> None:
    with pytest.raises(ReadingError, match="UTF-16-LE"):
        decode(b"\xff\xfea")
