"""Finds labels and steps that contradict a derivation.

What a substitution is, people decide (docs/decisions/labels.md); here is what a program can hold
against it. Certain: components that are not the union of the steps' components. Doubtful, since
sounds and shapes are judged by tables: a step that cannot be what its mechanism says (a homophone
that does not sound like its target, parts that do not make the character).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from mouse.corpus.chinese.characters import decompositions
from mouse.corpus.chinese.near_sounds import same_sound, sounds_like
from mouse.corpus.items import CXEI, Derivation
from mouse.corpus.labels import COMPONENTS, components_of

_SIGNS = frozenset(("So", "Sm", "Sk", "Sc", "No", "Me"))
"""Unicode categories of emoji, signs, circled numbers and keycaps."""


def component_fault(item: CXEI) -> str:
    """Why the components cannot be right: they are not those of the steps. Empty where they are.

    A component that is not given contradicts nothing; nor does any without a derivation.
    """
    follow = components_of(step.mechanism for step in item.derivation)
    given = {name: getattr(item.components, name) for name in COMPONENTS}
    if not item.derivation or all(given[n] in (None, n in follow) for n in COMPONENTS):
        return ""
    named = " and ".join(name for name in COMPONENTS if name in follow)
    return f"the components are not those of the derivation, which are {named}"


def doubts(item: CXEI) -> list[str]:
    """Steps whose mechanism seems wrong, a sentence each.

    A heuristic: an accent or a pun that the tables do not know is doubted with no right.
    """
    found = []
    for step in item.derivation:
        doubt = _doubt(step)
        if doubt:
            shown = " → ".join((step.surface, *step.chain, step.target))
            found.append(f"{shown} as {step.mechanism}: {doubt}")
    return found


def _doubt(step: Derivation) -> str:
    match step.mechanism:
        case "homophone" if any(map(_is_sign, step.surface)):
            return "there is an emoji or sign in it, whose sound would be an image_chain"
        case "homophone" if not _some_link(step, _heard_as_another):
            return "no link of the chain sounds like the next"
        case "image_chain" if not any(map(_is_sign, step.surface)):
            return "there is no emoji or sign in it"
        case "image_chain" if not step.chain:
            return "the chain lacks the picture's name"
        case "image_chain" if not sounds_like(step.chain[-1], step.target):
            return "the last link of the chain does not sound like the target"
        case "digit" if not any(map(_is_digit, step.surface)):
            return "there is no digit in it"
        case "letter" if not any(map(_is_latin, step.surface)):
            return "there is no letter in it"
        case "decomposition" if not _some_link(step, _taken_apart):
            return "neither side is the other taken apart"
        case "symbol" if not any(map(_is_sign, step.surface)):
            return "there is no emoji or sign in it"
        case "dialect" | "meme" if not any(map(str.isalnum, step.surface)):
            return "an emoji or sign alone is a symbol or an image_chain"
        case "meme" if not step.chain and same_sound(step.surface, step.target):
            return "the surface sounds like the target, which makes it a homophone"
    return ""


def _some_link(step: Derivation, holds: Callable[[str, str], bool]) -> bool:
    return any(holds(*link) for link in pairwise((step.surface, *step.chain, step.target)))


def _heard_as_another(one: str, other: str) -> bool:
    return one != other and sounds_like(one, other)


def _taken_apart(one: str, other: str) -> bool:
    """True where one text is the other with characters written as their parts, either way round.

    弓虽 for 强, 嫑 for 不要, 槑 for 呆.
    """
    doubled = other * 2 in decompositions(one)
    return doubled or _spells(one, other) or _spells(other, one)


def _spells(parts: str, whole: str) -> bool:
    reached = {0}
    for char in whole:
        spelt = {char, *decompositions(char)}
        reached = {at + len(form) for at in reached for form in spelt if parts.startswith(form, at)}
    return len(parts) in reached and parts != whole


def _is_latin(char: str) -> bool:
    return any("LATIN" in unicodedata.name(c, "") for c in (char, *_plain(char)))


def _is_digit(char: str) -> bool:
    return any(c.isdigit() for c in (char, *_plain(char))) or char == "🔟"


def _plain(char: str) -> str:
    return unicodedata.normalize("NFKC", char)


@cache
def _is_sign(char: str) -> bool:
    """An emoji or a sign: neither writing nor punctuation, nor what merely joins emoji."""
    import emoji

    # Python's Unicode tables may be older than the newest emoji.
    return unicodedata.category(char) in _SIGNS or emoji.is_emoji(char)
