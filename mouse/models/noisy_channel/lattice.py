"""Searches the cheapest sequence of words that a text can stand for (Viterbi over a word lattice).

A word hypothesis covers one or more arcs whose characters it has, each either literally or by
its sound. Its cost is the word's (language model), plus the arcs', plus what hearing one
character for another costs. The model has no memory beyond the word, so for every stretch of
text the cheapest word is all that is needed, and it is remembered across sentences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from mouse.corpus.chinese.characters import is_ideograph, simplified
from mouse.models.noisy_channel.arcs import Arc
from mouse.models.noisy_channel.language import MAX_WORD, Language, codes, sounds_alike
from mouse.models.noisy_channel.tables import HOMOPHONIC, PICTURE, SEMANTIC, TURNED, VISUAL

_CACHE_LIMIT = 100_000
_Hypothesis = tuple[int, float, str, int]


@dataclass(frozen=True, slots=True)
class SoundCosts:
    """What it costs, in nats, to hear a word for other characters that sound like it."""

    word: float
    """Once for a word that differs from the text."""
    char: float
    """For each character replaced by one of the same toneless sound."""
    fuzzy: float
    """On top, for each whose sound is only similar (n/l, zh/z, in/ing …)."""
    soft: float
    """For each replaced character that an emoji, digit or letter stood for, instead of `char`."""


class Lattice:
    """Viterbi search with the costs given."""

    def __init__(self, language: Language, costs: SoundCosts) -> None:
        self._language, self._costs = language, costs
        self._cheapest_word = lru_cache(_CACHE_LIMIT)(self._search)

    def best(self, length: int, arcs: dict[int, list[Arc]]) -> tuple[float, str, int]:
        """The cheapest reading from 0 to `length`: its cost in nats, its text, and the components
        that reading it so undid (bits as in `arcs`)."""
        cost = [math.inf] * (length + 1)
        back: list[tuple[int, str, int]] = [(0, "", 0)] * (length + 1)
        cost[0] = 0.0
        for start in sorted(arcs):
            here = cost[start]
            if here == math.inf:
                continue
            for width, word_cost, word, kinds in self._hypotheses(start, arcs):
                end = start + width
                total = here + word_cost
                if total < cost[end]:
                    cost[end] = total
                    back[end] = (start, word, kinds)
        text, undone, position = "", 0, length
        while position > 0:
            position, word, kinds = back[position]
            text, undone = word + text, undone | kinds
        return cost[length], text, undone

    def _hypotheses(self, start: int, arcs: dict[int, list[Arc]]) -> list[_Hypothesis]:
        """All words that may begin at `start`: (width in the text, cost, word, components)."""
        found: list[_Hypothesis] = []
        # (position, characters, cost of arcs, components, soft mask, pictures' mask, sounds)
        stack: list[tuple[int, str, float, int, int, int, tuple[str, ...]]] = [
            (start, "", 0.0, 0, 0, 0, ())
        ]
        while stack:
            position, literal, base, kinds, soft, shown, sounds = stack.pop()
            for arc in arcs.get(position, ()):
                if arc.final:
                    if not literal:
                        found.append((arc.end - start, arc.cost, arc.text, _components(arc.kinds)))
                    continue
                size = len(literal) + len(arc.text)
                if size > MAX_WORD or not size:
                    continue
                if not arc.text:
                    # A space inside spelt pinyin joins what stands before and after it.
                    stack.append((arc.end, literal, base + arc.cost, kinds, soft, shown, sounds))
                    continue
                mask, pictures = soft, shown
                if arc.kinds:
                    places = (1 << size) - (1 << len(literal))
                    mask |= places
                    if arc.kinds & PICTURE:
                        pictures |= places
                joined, heard = literal + arc.text, sounds + arc.sounds
                arc_cost, arc_kinds = base + arc.cost, kinds | arc.kinds
                cost, word, word_kinds = self._cheapest_word(joined, mask, heard)
                if word:
                    width = arc.end - start
                    undone = _components(arc_kinds | word_kinds, joined, word, pictures)
                    found.append((width, arc_cost + cost, word, undone))
                if size < MAX_WORD:
                    stack.append((arc.end, joined, arc_cost, arc_kinds, mask, pictures, heard))
        return found

    def _search(self, literal: str, soft: int, sounds: tuple[str, ...]) -> tuple[float, str, int]:
        """The cheapest word for these characters: (cost, word, components its sound adds)."""
        best = (math.inf, "", 0)
        language = self._language
        if "\0" not in literal:
            plain = "".join(map(simplified, literal))
            known = language.cost.get(plain)
            if known is not None:
                best = (known, literal, 0)
            elif len(literal) == 1:
                best = (language.char_cost(plain), literal, 0)
        parts = []
        heard = iter(sounds)
        for char in literal:
            options = (next(heard),) if char == "\0" else codes(simplified(char))
            if not options:
                return best
            parts.append(options)
        for key in product(*parts):
            for cost, word in language.by_sound.get("".join(key), ()):
                if cost >= best[0]:
                    break  # the rest is rarer still
                total = cost + self._misheard(literal, word, soft)
                if total < best[0]:
                    best = (total, self._as_written(literal, word), HOMOPHONIC)
        return best

    def _misheard(self, literal: str, word: str, soft: int) -> float:
        costs, total = self._costs, 0.0
        hard = False
        for place, (char, meant) in enumerate(zip(literal, word, strict=True)):
            if char in ("\0", meant) or simplified(char) == meant:
                continue
            if soft >> place & 1:
                total += costs.soft
            else:
                total += costs.char
                hard = True
            if sounds_alike(char, meant):
                total += costs.fuzzy
        return total + (costs.word if hard else 0.0)

    @staticmethod
    def _as_written(literal: str, word: str) -> str:
        """The word, with the text's own (traditional) characters where only the script differs."""
        return "".join(
            char if is_ideograph(char) and simplified(char) == meant else meant
            for char, meant in zip(literal, word, strict=True)
        )


def _components(kinds: int, literal: str = "", word: str = "", pictures: int = 0) -> int:
    """The components of a hypothesis from its arcs' bits; `pictures` masks places of `literal`.

    A picture whose name stands in the word is meant as that; one whose name was heard as another
    character adds nothing to the sound that `kinds` has already.
    """
    if kinds & TURNED:
        return VISUAL
    if kinds & PICTURE:
        kinds &= ~PICTURE
        meant = not word or any(
            pictures >> place & 1 and simplified(char) == simplified(said)
            for place, (char, said) in enumerate(zip(literal, word, strict=True))
        )
        kinds |= SEMANTIC if meant else 0
    return kinds
