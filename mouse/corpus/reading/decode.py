"""Turns the bytes of a text file into text without changing a character: UTF-8, UTF-16, GB18030."""

from __future__ import annotations

import codecs

from mouse.corpus.reading.raw import ReadingError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

DAMAGED_SHARE = 0.2
"""Below this share of undecodable among non-ASCII characters a file is damaged UTF-8, and not
GB18030, whose Chinese text is almost never valid UTF-8 by chance."""


def decode(data: bytes) -> tuple[str, str]:
    """The text and the encoding's name. One byte-order mark at the start is not text.

    Raises `ReadingError` where a byte fits no encoding. Reading damaged UTF-8 as GB18030
    would turn all of it into other characters without a complaint, so that is refused.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            try:
                return body.decode(encoding), encoding
            except UnicodeDecodeError as error:
                raise _undecodable(f"not valid {encoding.upper()}", body, error) from error
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        utf8_error = error
    lenient = data.decode("utf-8", errors="replace")
    foreign = sum(1 for character in lenient if ord(character) > 127)
    if lenient.count("\ufffd") < DAMAGED_SHARE * foreign:
        raise _undecodable("damaged UTF-8", data, utf8_error) from utf8_error
    try:
        return data.decode("gb18030"), "gb18030"
    except UnicodeDecodeError as error:
        raise _undecodable("neither UTF-8 nor GB18030; save it as UTF-8", data, error) from error


def _undecodable(problem: str, data: bytes, error: UnicodeDecodeError) -> ReadingError:
    line = data.count(b"\n", 0, error.start) + 1
    return ReadingError(problem, line, data[error.start : error.end], "(encoding)")
