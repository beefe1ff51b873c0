"""Masks personal data in a text and counts what was masked, by kind.

Found by form: a number that looks like a telephone number is masked whoever's it is, and what is
spelt in words or emoji is not found. The log of a masking never repeats the data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

_WIDE = {
    0xFF01 + offset: 0x21 + offset
    for offset in range(94)
    # Full-width , ! ? ; end a URL or a name, as their ASCII twins within a URL do not.
    if chr(0x21 + offset).isalnum() or chr(0x21 + offset) in "@.:/-_+()="
}

_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECKS = "10X98765432"


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with placeholders, and how many of each kind were put in."""

    text: str
    counts: dict[str, int]


def is_resident_id(digits: str) -> bool:
    """True for an 18-character resident identity number with a possible date and right check.

    The check character is that of GB 11643-1999 (ISO 7064 MOD 11-2).
    """
    if not re.fullmatch(r"[1-9]\d{16}[\dXx]", digits, re.ASCII):
        return False
    year, month, day = int(digits[6:10]), int(digits[10:12]), int(digits[12:14])
    if not (1850 <= year <= 2100 and 1 <= month <= 12 and 1 <= day <= 31):
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_ID_WEIGHTS, digits, strict=False))
    return _ID_CHECKS[total % 11] == digits[17].upper()


@dataclass(frozen=True)
class _Rule:
    kind: str
    placeholder: str
    pattern: str
    """Group `data`, if there is one, is what is masked; else the whole match. Case is ignored."""
    holds: Callable[[str], bool] = lambda found: True

    def apply(self, text: str, counts: Counter[str]) -> str:
        # The same length as the text, so that what is found in it can be cut out of the text.
        shadow = text.translate(_WIDE)
        pieces, cursor = [], 0
        for found in re.finditer(self.pattern, shadow, re.IGNORECASE):
            start, end = found.span("data" if "data" in found.re.groupindex else 0)
            if self.holds(shadow[start:end]):
                pieces += [text[cursor:start], self.placeholder]
                cursor = end
                counts[self.kind] += 1
        return "".join([*pieces, text[cursor:]])


_RULES = (
    _Rule("url", "[网址]", r"(?:https?://|www\.)[^\s\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]+"),
    _Rule(
        "url",
        "[网址]",
        r"(?<![a-z0-9_@.-])(?:[a-z0-9-]+\.)+(?:com|cn|net|org|top|xyz|cc|tv|info|me|io)(?![a-z0-9_])"
        r"(?:/[^\s\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]*)?(?!@)",
    ),
    _Rule("email", "[邮箱]", r"(?<![a-z0-9._%+-])[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+"),
    _Rule(
        "resident_id",
        "[身份证号]",
        r"(?<![0-9])[1-9][0-9]{5} ?[0-9]{8} ?[0-9]{3}[0-9x](?![0-9a-z])",
        lambda found: is_resident_id(found.replace(" ", "")),
    ),
    _Rule(
        "phone",
        "[电话]",
        r"(?<![0-9])(?:\+?86[- ]?)?1[3-9][0-9][- ]?[0-9]{4}[- ]?[0-9]{4}(?![0-9])",
    ),
    _Rule(
        "phone",
        "[电话]",
        r"(?<![0-9])(?:0[0-9]{2,3}[- ][1-9][0-9]{6,7}|\(0[0-9]{2,3}\) ?[1-9][0-9]{6,7}"
        r"|400[- ][0-9]{3}[- ]?[0-9]{4})(?![0-9])",
    ),
    _Rule(
        "qq",
        "[QQ号]",
        r"(?:qq|扣扣|球球|企鹅)[号群]*[是为:：= ]*(?P<data>[1-9][0-9]{4,10})(?![0-9])",
    ),
    _Rule(
        "wechat",
        "[微信号]",
        r"(?:微信|威信|薇信|v信|(?<![a-z])(?:vx|wx|weixin|wechat))号?[是为:：= ]*"
        r"(?P<data>[a-z][a-z0-9_-]{5,19})(?![a-z0-9_-])",
    ),
    _Rule("name", "[用户]", r"(?<![a-z0-9._%+-])@(?P<data>[\w-]{1,30})"),
)

KINDS = tuple(dict.fromkeys(rule.kind for rule in _RULES))


def mask(text: str) -> Masked:
    """The text with a placeholder for each telephone or resident id number, e-mail address, URL,
    QQ or WeChat id that is called one, and name after @; full-width digits and letters count.

    An 18-digit number with a wrong check character is no id and stays. Masking a masked text
    changes nothing. Counts name every kind, zeros included.
    """
    counts: Counter[str] = Counter()
    before = None
    # What is masked may have hidden the border of something else; placeholders hold no data, so
    # this ends.
    while before != text:
        before = text
        for rule in _RULES:
            text = rule.apply(text, counts)
    return Masked(text, {kind: counts[kind] for kind in KINDS})
