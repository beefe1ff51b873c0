"""The lexicon tables in the form that arcs are made from, with what each entry undoes as bits."""

from __future__ import annotations

from functools import cached_property

from mouse.corpus.chinese import lexicon
from mouse.corpus.chinese.characters import decomposition_table, is_han
from mouse.corpus.labels import COMPONENT_BITS, COMPONENT_OF
from mouse.models.noisy_channel.signs import bare_emoji

HOMOPHONIC, VISUAL, SEMANTIC = COMPONENT_BITS.values()
PICTURE = 8
"""A picture read by its name: semantic where the name itself is meant, homophonic where only its
sound is, which shows when the word is looked up."""
TURNED = 16
"""Upside-down letters: visual alone, whatever they spell (the paper's Table 1)."""


class Tables:
    """The lexicon tables, by the surface that is looked up."""

    def __init__(self) -> None:
        self.digits = lexicon.readings_of("digits")
        self.letters = lexicon.readings_of("letters")
        self.turned = lexicon.turned_letters()
        self.emoji: dict[str, list[tuple[str, int]]] = {}
        """Bare emoji → (reading, bit of how it is reached), best first."""
        for row in lexicon.emoji_table():
            ways = ((row.meant, PICTURE), (row.heard, HOMOPHONIC), (row.looks_like, VISUAL))
            self.emoji[bare_emoji(row.symbol)] = [
                (name, bit) for names, bit in ways for name in names
            ]
        self.emoji_names: dict[str, str] = {}
        """Bare emoji → its Chinese name in the library `emoji`."""
        for symbol, name in lexicon.library_emoji_names().items():
            self.emoji_names.setdefault(bare_emoji(symbol), name)
        self.lookalikes: dict[str, list[str]] = {}
        for surface, meant in lexicon.lookalikes():
            self.lookalikes.setdefault(surface, []).append(meant)
        self.memes: dict[str, dict[str, tuple[str, int, bool]]] = {}
        """First character → {surface in lower case → (meaning, its bit, only as a whole clause)}."""
        for meme in lexicon.memes():
            meaning = meme.surface if meme.meaning == "=" else meme.meaning
            entry = (meaning, COMPONENT_BITS[COMPONENT_OF[meme.mechanism]], meme.alone)
            surface = meme.surface.casefold()
            self.memes.setdefault(meme.surface[0].casefold(), {})[surface] = entry

    @cached_property
    def joined(self) -> dict[str, dict[str, str]]:
        """First component → {components side by side → the character they make}."""
        found: dict[str, dict[str, str]] = {}
        for char, spellings in sorted(decomposition_table().items()):
            for parts in spellings if is_han(char) else ():
                surface = "".join(parts)
                if 2 <= len(parts) <= 3 and len(surface) == len(parts):
                    found.setdefault(surface[0], {}).setdefault(surface, char)
        return found
