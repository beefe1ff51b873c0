"""Removes from a collected line what no writer meant: entities, controls, invisible characters.

Everything else stays exactly as it was; nothing is normalised, since width, case, odd characters
and emoji selectors are what Chouxiang plays with.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from html.entities import html5

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_KEPT_CONTROLS = "\n\t"
_INVISIBLE = frozenset(
    "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
)
_JOINER = "\u200d"
_MODIFIERS = frozenset("\ufe0e\ufe0f🏻🏼🏽🏾🏿")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned text and one sentence a kind of change; no change, no sentence."""

    text: str
    changes: tuple[str, ...]


def clean(text: str) -> Cleaned:
    """Decode HTML entities, drop controls and invisible characters, strip the ends.

    A zero-width joiner between two emoji (👨‍👩‍👧) stays, anywhere else it goes; line feeds and tabs
    stay, CR LF and CR become a line feed. Cleaning a cleaned text changes nothing.
    """
    changes: list[str] = []
    entities: Counter[str] = Counter()
    before = None
    # Pages escape what was escaped already (&amp;lt;); each round shortens the text, so this ends.
    while before != text:
        before = text
        text = _ENTITY.sub(lambda found: _decode(found, entities), text)
    if entities:
        changes.append("decoded " + _counted(entities))
    if "\r" in text:
        changes.append(f"made line feeds of {text.count(chr(13))} carriage returns")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    dropped: Counter[str] = Counter()
    # Removing one character may bring a joiner next to something that is no emoji.
    while True:
        kept = [char for at, char in enumerate(text) if not _drop(text, at)]
        if len(kept) == len(text):
            break
        gone = Counter(text)
        gone.subtract(kept)
        dropped.update(+gone)
        text = "".join(kept)
    if dropped:
        changes.append("removed " + _counted({_code(c): n for c, n in dropped.items()}))
    stripped = text.strip()
    if stripped != text:
        changes.append(f"stripped {len(text) - len(stripped)} white-space characters at the ends")
    return Cleaned(stripped, tuple(changes))


def _decode(found: re.Match[str], seen: Counter[str]) -> str:
    named = found[0][1] != "#"
    # Looked up whole, for html.unescape finds the beginnings of names too (&notanentity; has ¬).
    decoded = html5.get(found[0][1:], found[0]) if named else html.unescape(found[0])
    if decoded != found[0]:
        seen[found[0]] += 1
    return decoded


def _drop(text: str, at: int) -> bool:
    char = text[at]
    if char == _JOINER:
        return not _joins_emoji(text, at)
    if char in _INVISIBLE:
        return True
    category = unicodedata.category(char)
    return category == "Cs" or (category == "Cc" and char not in _KEPT_CONTROLS)


def _joins_emoji(text: str, at: int) -> bool:
    import emoji

    left = at - 1
    while left >= 0 and text[left] in _MODIFIERS:
        left -= 1
    right = text[at + 1 : at + 2]
    return left >= 0 and emoji.is_emoji(text[left]) and emoji.is_emoji(right)


def _code(char: str) -> str:
    return f"U+{ord(char):04X}"


def _counted(counts: Counter[str] | dict[str, int]) -> str:
    return ", ".join(f"{name} ×{count}" for name, count in sorted(counts.items()))
