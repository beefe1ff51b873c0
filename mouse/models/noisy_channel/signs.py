"""What kind of sign a character is: digits, faces, clause ends, emoji without their modifiers."""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    """Lower case and ordinary width, character by character, so that lengths stay the same."""
    if text.isascii():
        return text.lower()
    plain = [unicodedata.normalize("NFKC", char).casefold() for char in text]
    return "".join(new if len(new) == 1 else old for old, new in zip(text, plain, strict=True))


def ascii_form(char: str) -> str:
    """The ASCII character that a sign is a form of (Ａ, ⑧, ⁸); empty where there is none."""
    plain = unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 and plain.isascii() else ""


def is_odd_digit(char: str) -> bool:
    """True for a digit that no number is written with (⑧, ⁸): neither ASCII nor full-width."""
    return not char.isascii() and not "０" <= char <= "９"


_FACE_RANGES = ((0x1F600, 0x1F64F), (0x1F910, 0x1F92F), (0x1F970, 0x1F97A), (0x1F493, 0x1F49F))
FACES = frozenset(chr(p) for low, high in _FACE_RANGES for p in range(low, high + 1))


def is_boundary(char: str) -> bool:
    """True for punctuation, space and the ends of a text: what ends a clause."""
    return not char or unicodedata.category(char)[0] in "PZ"


def in_one_word(char: str, other: str) -> bool:
    """True for two ASCII letters or digits side by side; either may be empty."""
    return all(c.isascii() and c.isalnum() for c in (char, other))


def bare_emoji(symbol: str) -> str:
    """An emoji without presentation selectors and skin tones."""
    return "".join(c for c in symbol if not is_modifier(c)) or symbol


def is_modifier(char: str) -> bool:
    """True for a presentation selector or a skin tone."""
    return char in "\ufe0f\ufe0e" or "🏻" <= char <= "🏿"
