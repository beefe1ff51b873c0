"""Undoes a derivation, and finds steps that cannot be what their mechanism says.

What a substitution is, people decide (docs/decisions/labels.md); here is what a program can hold
against it: whether the components follow from the steps, and for each mechanism what must be so
whatever the sentence (a digit has a digit, a picture's chain ends in a sound like the target's).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from mouse.corpus.items import COMPONENTS, CXEI, Derivation
from mouse.corpus.mechanisms import components_of
from mouse.corpus.synthesis.tables import is_han, parts_of

_SAME_INITIAL = {"zh": "z", "ch": "c", "sh": "s", "n": "l", "r": "l", "f": "h"}
"""Initials that speakers mix and writers play with, each by the one it is taken for."""
_SAME_FINAL = {
    "ang": "an",
    "eng": "en",
    "ing": "in",
    "iang": "ian",
    "uang": "uan",
    "uo": "o",
    "e": "o",
}


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
    return [
        *([fault] if fault else []),
        *(
            f"{step.surface} → {step.target}: {problem}"
            for step in item.derivation
            for problem in _problems(step)
        ),
    ]


def component_fault(item: CXEI) -> str:
    """Why the components cannot be right: they are not those of the steps. Empty where they are.

    Nothing is said where a component, or the derivation, is not given.
    """
    flags = [getattr(item.components, name) for name in COMPONENTS]
    if not item.derivation or None in flags:
        return ""
    said = {name for name in COMPONENTS if getattr(item.components, name)}
    follow = components_of(step.mechanism for step in item.derivation)
    if said == follow:
        return ""
    named = " and ".join(name for name in COMPONENTS if name in follow)
    return f"the components are not those of the derivation, which are {named}"


def _problems(step: Derivation) -> Iterator[str]:
    surface, chain, target = step.surface, step.chain, step.target
    path = [surface, *chain, target]
    match step.mechanism:
        case "homophone":
            if not is_han(surface):
                yield "a homophone is written in Chinese characters"
            elif not any(sound_alike(a, b) for a, b in pairwise(path)):
                yield "no two links of a homophone's chain sound alike"
        case "image_chain":
            if not _has_sign(surface):
                yield "a chain from a picture begins with one"
            elif not chain:
                yield "a chain from a picture needs the picture's name"
            elif not any(sound_alike(a, b) for a, b in pairwise(path[1:])):
                yield "no two links after the picture sound alike"
        case "digit":
            if not any(unicodedata.numeric(char, None) is not None for char in surface):
                yield "there is no digit in it"
        case "letter":
            if not any("LATIN" in unicodedata.name(char, "") for char in surface):
                yield "there is no letter in it"
        case "decomposition":
            if not (_made_of(target, surface) or _made_of(surface, target)):
                yield "neither side is made of parts of the other"
        case "symbol":
            if not _has_sign(surface):
                yield "there is no emoji or sign in it"
        case "dialect" | "meme":
            if all(not char.isalnum() for char in surface):
                yield f"an emoji or sign alone is no {step.mechanism}"


def _has_sign(text: str) -> bool:
    return any(not is_han(char) and unicodedata.category(char)[0] in "SNC" for char in text)


def _made_of(whole: str, parts: str) -> bool:
    """Whether every character of `whole` that `parts` lacks has a part among them."""
    return all(parts_of(char) & set(parts) for char in whole if is_han(char) and char not in parts)


def sound_alike(one: str, other: str) -> bool:
    """Whether two texts of Chinese characters may pass for homophones, generously.

    Tones, initials and finals that dialects merge do not count; each pair of characters shares its
    initial or its final in some reading. Texts of unequal length sound alike where one is the other
    run together (表, 不要), so that its first sound and its last are, or where one ends the other.
    """
    if not (is_han(one) and is_han(other)):
        return False
    if len(one) != len(other):
        short, long = sorted((one, other), key=len)
        return (sound_alike(short[-1], long[-1]) and sound_alike(short[0], long[0])) or sound_alike(
            short, long[-len(short) :]
        )
    return all(
        any(
            initial == other_initial != "" or final == other_final
            for initial, final in _syllables(a)
            for other_initial, other_final in _syllables(b)
        )
        for a, b in zip(one, other, strict=True)
    )


@cache
def _syllables(char: str) -> tuple[tuple[str, str], ...]:
    """(initial, final) of every reading of a character, mergers undone."""
    from pypinyin import Style, pinyin

    initials = pinyin(char, style=Style.INITIALS, heteronym=True)[0]
    finals = pinyin(char, style=Style.FINALS, heteronym=True)[0]
    return tuple(
        (_SAME_INITIAL.get(initial, initial), _SAME_FINAL.get(final, final))
        for initial in initials
        for final in finals
    )
