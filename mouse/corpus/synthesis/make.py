"""Draws substitutions for a plain sentence and writes it as a CXEI that its derivation undoes."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mouse.corpus.items import CXEI, Components
from mouse.corpus.labels import COMPONENT_BITS, COMPONENTS
from mouse.corpus.synthesis.candidates import Candidate, candidates
from mouse.corpus.synthesis.plain import Plain
from mouse.errors import UserError

SOURCE = "synthesized by mouse from a plain sentence"
REVISION = "1"


class Maker:
    """Makes items at a rate from the kinds allowed; stateless, so any item can be made again.

    `rate` in (0, 1]: the expected share of a sentence's substitutable characters that are
    substituted; at least one substitution in any case. `kinds`: a substitution is used only if
    all its components are among them. Raises `UserError` for what is out of range.
    """

    def __init__(self, rate: float, kinds: Sequence[str]) -> None:
        if not 0 < rate <= 1:
            raise UserError(f"rate {rate:g}: expected a share over 0 and at most 1")
        unknown = [kind for kind in kinds if kind not in COMPONENTS]
        if unknown or not kinds:
            shown = unknown[0] if unknown else "(none)"
            raise UserError(f"kind {shown}: expected some of {', '.join(COMPONENTS)}")
        self._rate = rate
        self._allowed = sum(COMPONENT_BITS[name] for name in COMPONENTS if name in kinds)

    def make(self, plain: Plain, seed: int, index: int, attempt: int = 0) -> CXEI | None:
        """Item `index` of the data set `seed`; None where the sentence admits no substitution.

        The same arguments give the same item in any process. Other attempts give other draws.
        """
        menus = _menus(plain.text, self._allowed)
        if not menus:
            return None
        name = f"{seed}\0{index}\0{attempt}\0{plain.text}"
        chance = random.Random(int.from_bytes(hashlib.sha256(name.encode()).digest()[:16], "big"))
        chosen = self._choose(chance.choice(menus), chance)
        original, chosen = write_out(plain.text, chosen)
        if not chosen:
            return None
        used = 0
        for candidate in chosen:
            used |= candidate.bits
        flags = {kind: bool(used & bit) for kind, bit in COMPONENT_BITS.items()}
        return CXEI(
            id=f"syn{seed}-{index:07d}",
            original_text=original,
            reference=plain.text,
            components=Components(**flags),
            intent=plain.intent,
            toxicity=plain.toxicity,
            source=SOURCE,
            revision=REVISION,
            derivation=tuple(candidate.step for candidate in chosen),
            group=plain.id,
        )

    def _choose(self, menu: _Menu, chance: random.Random) -> list[Candidate]:
        """Substitutions of the menu that do not overlap, in the order of the text."""
        pool = {bits: list(group) for bits, group in menu.groups}
        target = self._rate * menu.reach
        taken: set[int] = set()
        chosen: list[Candidate] = []
        missing = menu.wanted
        while pool:
            # What brings in a component that is still missing goes first.
            useful = [bits for bits in pool if bits & missing]
            if chosen and not useful and len(taken) + chance.random() > target:
                break
            drawn = chance.choice(useful or list(pool))
            group = pool[drawn]
            candidate = group.pop(chance.randrange(len(group)))
            if not group:
                del pool[drawn]
            span = range(candidate.start, candidate.end)
            if taken.isdisjoint(span):
                taken.update(span)
                chosen.append(candidate)
                missing &= ~candidate.bits
        return sorted(chosen, key=lambda c: c.start)


@dataclass(frozen=True, slots=True)
class _Menu:
    """What an item may use whose components are to be `wanted`."""

    wanted: int
    reach: int
    """Characters of the sentence that some substitution covers."""
    groups: tuple[tuple[int, tuple[Candidate, ...]], ...]
    """Substitutions by their components, as bits."""


@lru_cache(maxsize=2_048)
def _menus(text: str, allowed: int) -> tuple[_Menu, ...]:
    """One menu for each combination of components that the sentence admits.

    One of them is drawn first, every combination alike, so that no component is in nearly every
    item however many homophones there are. The cache is bounded: a stream of ever new sentences
    takes no more memory.
    """
    possible: dict[int, list[Candidate]] = {}
    for candidate in candidates(text):
        if not candidate.bits & ~allowed:
            possible.setdefault(candidate.bits, []).append(candidate)
    unions = {0}
    for bits in possible:
        unions |= {bits | union for union in unions}
    menus = []
    for wanted in sorted(unions - {0}):
        groups = tuple(
            (bits, tuple(group)) for bits, group in sorted(possible.items()) if not bits & ~wanted
        )
        reach = {at for _, group in groups for c in group for at in range(c.start, c.end)}
        menus.append(_Menu(wanted, len(reach), groups))
    return tuple(menus)


def write_out(text: str, chosen: Sequence[Candidate]) -> tuple[str, list[Candidate]]:
    """The text with the substitutions made, and those of them that undo exactly.

    One whose surface stands earlier in the text by chance, where undoing would find it first, is
    given up; `chosen` must be in order and free of overlap.
    """
    original, cursor, kept = "", 0, []
    for candidate in chosen:
        before = original + text[cursor : candidate.start]
        written = before + candidate.step.surface
        if written.find(candidate.step.surface, len(original)) == len(before):
            original, cursor = written, candidate.end
            kept.append(candidate)
    return original + text[cursor:], kept
