"""Heights of a sheet's rows, and a file without the time of writing."""

from __future__ import annotations

import io
import math
import re
import unicodedata
import zipfile
from collections.abc import Sequence

MAX_CELL = 32_000
"""Characters of one cell; Excel takes 32,767."""
GUIDE_WIDTH = 100
"""Columns of the guidelines' one cell a line."""
_LINE_HEIGHT = 16.5
"""Points; Chinese and emoji need more than the 15 of Latin text."""
_MOST_HEIGHT = 409
"""Excel's limit."""


def row_height(texts: Sequence[tuple[str, float]], *, bold: bool = False) -> float:
    """Height in points of a row with these (text, column width), wrapped; programs fit none themselves."""
    most = 1
    for text, width in texts:
        room = max(2.0, width - 1.5) * (0.9 if bold else 1.0)
        lines = text[:MAX_CELL].splitlines() or [""]
        most = max(most, sum(max(1, math.ceil(_width(line) / room)) for line in lines))
    return min(_MOST_HEIGHT, most * _LINE_HEIGHT)


def _width(line: str) -> float:
    """Width in columns: a Chinese character or an emoji takes two Latin ones and a little."""
    return sum(2.1 if unicodedata.east_asian_width(sign) in "WFA" else 1.0 for sign in line)


_TIMES = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")


def timeless(book: bytes) -> bytes:
    """The file without the time of writing, so that equal sheets are equal files."""
    result = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(book)) as old,
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            content = old.read(name)
            if name == "docProps/core.xml":
                content = _TIMES.sub(rb"\g<1>2000-01-01T00:00:00Z", content)
            entry = zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, content)
    return result.getvalue()
