"""Fonts that draw Chinese and emoji in figures on any machine: shipped, not looked for.

matplotlib falls back from family to family within one string, so a label may mix scripts. What
the shipped files lack (DejaVu Sans holds upside-down letters, for one) falls through to the next.
"""

from __future__ import annotations

import functools
from pathlib import Path

FONTS = Path(__file__).parent.parent / "fonts"
FILES = ("MouseSansSC-1.otf", "MouseSansSC-2.otf", "MouseEmoji.ttf")
FAMILIES = ("Mouse Sans SC", "Mouse Sans SC Ext", "Mouse Emoji", "DejaVu Sans")
"""In the order of fallback; the last one comes with matplotlib."""

INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufe0e\ufe0f\ufeff")
"""Joiners and variation selectors: part of the text, never a glyph."""


@functools.cache
def register() -> None:
    """Make the shipped families known to matplotlib and the default; further calls do nothing."""
    import matplotlib
    from matplotlib import font_manager

    for name in FILES:
        font_manager.fontManager.addfont(FONTS / name)
    matplotlib.rcParams["font.family"] = list(FAMILIES)
    matplotlib.rcParams["axes.unicode_minus"] = True
    # Text stays text in SVG only where the reader has the font; outlines look alike everywhere.
    matplotlib.rcParams["svg.fonttype"] = "path"


def drawable(text: str) -> str:
    """`text` fit for a label: no invisible marks, no control characters, `□` for what no family has.

    A label only: the text under evaluation is never changed.
    """
    covered = _covered()
    return "".join(
        character if ord(character) in covered or character == "\n" else "□"
        for character in text
        if character not in INVISIBLE and (character == "\n" or character.isprintable())
    )


def missing(text: str) -> set[str]:
    """The visible characters of `text` that no family can draw."""
    covered = _covered()
    return {c for c in text if c not in INVISIBLE and ord(c) not in covered and c != "\n"}


def families(text: str) -> list[str]:
    """The families that `text` needs, in the order of fallback: fewer are found faster."""
    if all(ord(character) in _covered_by(FAMILIES[0]) for character in text if character != "\n"):
        return [FAMILIES[0]]
    return list(FAMILIES)


@functools.cache
def _covered_by(family: str) -> frozenset[int]:
    from matplotlib.font_manager import findfont, get_font

    register()
    return frozenset(get_font(findfont(family, fallback_to_default=False)).get_charmap())


@functools.cache
def _covered() -> frozenset[int]:
    return frozenset().union(*(_covered_by(family) for family in FAMILIES))
