"""Keeps few-shot examples apart from what is scored, whatever file they come from."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable
from dataclasses import replace

from mouse.corpus.items import CXEI, ChoiceItem, Dataset

_DROPPED = {"\ufe0e", "\ufe0f"}
"""Variation selectors: 🌶 and 🌶️ are one picture."""


def apart(examples: Dataset, scored: Dataset) -> tuple[Dataset, int]:
    """The examples that tell nothing of a scored item, and how many were left out.

    Left out is an expression whose text or reference is that of a scored one, and a choice item
    with the dialogue and text of a scored one of its task. White space, width and variation
    selectors do not count; ids do not either, since two files may number their rows alike.
    """
    items: tuple[CXEI | ChoiceItem, ...] = (*scored.cxeis, *scored.choices)
    known = {key for item in items for key in _keys(item)}
    cxeis = tuple(item for item in examples.cxeis if known.isdisjoint(_keys(item)))
    choices = tuple(item for item in examples.choices if known.isdisjoint(_keys(item)))
    kept = replace(examples, cxeis=cxeis, choices=choices)
    before = len(examples.cxeis) + len(examples.choices)
    return kept, before - len(cxeis) - len(choices)


def _keys(item: CXEI | ChoiceItem) -> list[Hashable]:
    if isinstance(item, ChoiceItem):
        return [(item.task, _fold(item.context), _fold(item.text))]
    keys: list[Hashable] = [("text", _fold(item.original_text))]
    if item.reference:
        keys.append(("reference", _fold(item.reference)))
    return keys


def _fold(text: str) -> str:
    wide = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in wide if not char.isspace() and char not in _DROPPED)
