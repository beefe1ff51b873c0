"""Brings what is read (never the text under evaluation) to one form of each letter and digit.

`plain` is for closed answers only: a free-text translation must come back as it was written.
"""

from __future__ import annotations

import re
import unicodedata

HEAD = TAIL = 20_000
"""Characters kept from either end of a closed answer: an answer stands at its start or its end,
and a model that repeats itself for a megabyte must not cost seconds."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\u20e3\ufe00-\ufe0f\ufeff]"
)
"""Zero-width characters, direction marks, variation selectors, and the enclosing keycap."""


def _letter_like() -> dict[int, str]:
    """Letters and digits in a circle or square that NFKC leaves alone."""
    table: dict[int, str] = {}
    for first in (0x1F130, 0x1F150, 0x1F170, 0x1F1E6):
        table.update({first + i: chr(ord("A") + i) for i in range(26)})
    for first in (0x2776, 0x2780, 0x278A, 0x24F5):
        table.update({first + i: str(i + 1) for i in range(10)})
    table.update({0x24FF: "0", 0x1F51F: "10", 0x2019: "'", 0x2018: "'"})
    return table


_LETTER_LIKE = _letter_like()

_BOXED = re.compile(r"\\boxed\s*\{\s*(?:\\(?:text|mathrm|textbf)\s*\{)?([^{}\n]{1,60})\}{1,2}")
_TEXT_COMMAND = re.compile(r"\\(?:text|mathrm|textbf)\s*\{([^{}\n]{0,60})\}")
_ANSWER_TAG = re.compile(r"<\s*(?:final_?)?answer\s*>", re.IGNORECASE)
_ANSWER_TAG_END = re.compile(r"<\s*/\s*(?:final_?)?answer\s*>", re.IGNORECASE)
_BRACKETED_LABEL = re.compile(
    r"[【\[]((?:最终|正确|参考)?答案|解析|分析|解释|理由|(?:final )?answer|explanation|analysis)"
    r"[】\]]:?",
    re.IGNORECASE,
)
_LINE_MARKUP = re.compile(r"(?m)^[ \t]*(?:#{1,6}|>|[-+•·])[ \t]+")
_EMPHASIS = re.compile(r"[*`~$]+")
_FENCE_LANGUAGE = re.compile(r"```[ \t]*[\w+-]{0,20}[ \t]*(?=\n)")


def characters(text: str) -> str:
    """Full-width, circled, squared, keycap and mathematical forms as plain ones (NFKC)."""
    text = _INVISIBLE.sub("", text).translate(_LETTER_LIKE)
    return unicodedata.normalize("NFKC", text).replace("\r\n", "\n").replace("\r", "\n")


def clip(text: str) -> str:
    """Head and tail of a very long text; anything shorter unchanged."""
    if len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD]}\n{text[-TAIL:]}"


def plain(text: str) -> str:
    """`characters`, with Markdown, LaTeX and answer tags turned into words or taken away."""
    text = characters(text)
    text = _BOXED.sub(r"\nfinal answer: \1\n", text)
    text = _TEXT_COMMAND.sub(r"\1", text)
    text = _ANSWER_TAG_END.sub("\n", _ANSWER_TAG.sub("\nanswer: ", text))
    text = _BRACKETED_LABEL.sub(r"\n\1:", text)
    text = _FENCE_LANGUAGE.sub("", text)
    text = _EMPHASIS.sub("", text)
    return _LINE_MARKUP.sub("", text).replace("_", " ")


EDGE = " \t\n\r\f\v\"'“”‘’「」『』《》()[]{}【】<>〈〉.,:;!?。、·…—~-=|/\\"
"""What may stand around an answer without belonging to it."""


def bare(text: str) -> str:
    """The text without quotes, brackets and punctuation around it; itself if nothing is left."""
    return text.strip(EDGE) or text.strip()


def squeezed(text: str) -> str:
    """A form for comparing names: `characters`, `bare`, no white space, case folded."""
    return re.sub(r"\s+", "", bare(characters(text))).casefold()
