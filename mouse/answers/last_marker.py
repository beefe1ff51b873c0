"""Finds the answer of a model that was asked to think in its text first and to answer at the end."""

from __future__ import annotations

import re

_MARKER = re.compile(
    r"(?im)(?:^|(?<=[。！？!?；;.]))[ \t>#*_\-【\[]{0,12}"
    r"(?:(?:因此|所以|综上|so|therefore|thus|hence)[，,：: ]{0,3})?"
    r"(?:最终的?|最后的?|正确|我的|本题|(?:the |my )?(?:final |correct ))?(?:答案|answer)"
    r"[ \t*_]{0,4}(?:是|为|is)?[ \t*_]{0,4}(?:[】\]][ \t*_]{0,4}[:：]?|[:：])"
)
"""`答案：`, `Answer:` and their usual dress, where a line or a sentence begins."""


def from_last_marker(text: str) -> str | None:
    """The text from its last marker on, which is written `答案：`; None where there is none.

    Markers with nothing behind them do not count.
    """
    for found in reversed(list(_MARKER.finditer(text))):
        rest = text[found.end() :]
        if rest.strip(" \t\r\n*_"):
            return f"答案：{rest.lstrip()}"
    return None
