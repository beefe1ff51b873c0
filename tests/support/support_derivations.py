"""What the tests hold against derivations: the text undone, and everything that contradicts one."""

from __future__ import annotations

from collections.abc import Sequence

from mouse.corpus.derivations import component_fault, doubts
from mouse.corpus.items import CXEI, Derivation


def undo(original: str, derivation: Sequence[Derivation]) -> str:
    """Replace each surface, from left to right and each after the one before, by its target.

    For the sample and for synthesized items the result is the reference, exactly. Raises
    `ValueError` where a surface does not stand after the one before it.
    """
    done, cursor = "", 0
    for step in derivation:
        at = original.find(step.surface, cursor)
        if at < 0:
            raise ValueError(f"{step.surface!r} does not stand after position {cursor}")
        done += original[cursor:at] + step.target
        cursor = at + len(step.surface)
    return done + original[cursor:]


def contradictions(item: CXEI) -> list[str]:
    """What an item says against its own derivation, a sentence each; empty without a derivation."""
    fault = component_fault(item)
    return [*([fault] if fault else []), *doubts(item)]
