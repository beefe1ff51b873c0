"""Finds expressions whose labels contradict their own derivation, as far as a program can tell.

Certain: components that are not the union of the steps' components, and `open_case` that does not
follow from their mechanisms. Doubtful, since sounds and shapes are judged by table: a step whose
mechanism cannot be how it works (a homophone that does not sound like what it stands for).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

from mouse.corpus.character_parts import decompositions
from mouse.corpus.items import Components, Derivation
from mouse.corpus.mechanisms import COMPONENTS, Mechanism, components_of, is_open
from mouse.corpus.near_sounds import same_sound, sounds_like

_SIGNS = ("So", "Sm", "Sk", "Sc", "No", "Me")


def label_contradictions(
    steps: Sequence[Derivation], components: Components, open_case: bool | None
) -> Iterator[tuple[str, str]]:
    """(field, what contradicts it) of each label that is given and does not follow from the steps.

    Nothing where there are no steps: no derivation says nothing about the labels.
    """
    if not steps:
        return
    derived = components_of(step.mechanism for step in steps)
    for name in COMPONENTS:
        given = getattr(components, name)
        if given is not None and given != (name in derived):
            has = "a step has" if name in derived else "no step has"
            yield name, f"{has} this component, which follows from the steps' mechanisms"
    if open_case is not None and open_case != is_open(step.mechanism for step in steps):
        yield "open_case", "is true exactly where a step's mechanism is meme or transliteration"


def doubtful_steps(steps: Sequence[Derivation]) -> Iterator[tuple[int, str]]:
    """(number of the step, why its mechanism cannot be right) of each step that looks wrong.

    A heuristic: an accent or a pun that the tables do not know is doubted with no right.
    """
    for number, step in enumerate(steps, start=1):
        doubt = _DOUBTS.get(step.mechanism, _none)(step)
        if doubt:
            yield number, f"{_shown(step)} as {step.mechanism}: {doubt}"


def _shown(step: Derivation) -> str:
    return " → ".join((step.surface, *step.chain, step.target))


def _none(step: Derivation) -> str:
    return ""


def _homophone(step: Derivation) -> str:
    if any(map(_is_picture, step.surface)):
        return "the surface has a picture or sign, whose sound is image_chain's"
    if not _some_link(step, sounds_like):
        return "no link sounds like the next"
    return ""


def _image_chain(step: Derivation) -> str:
    if not any(map(_is_picture, step.surface)):
        return "the surface has no picture or sign"
    if not step.chain:
        return "the chain lacks the picture's name"
    if not sounds_like(step.chain[-1], step.target):
        return f"{step.chain[-1]} does not sound like {step.target}"
    return ""


def _digit(step: Derivation) -> str:
    return "" if any(map(_is_digit, step.surface)) else "the surface has no digit"


def _letter(step: Derivation) -> str:
    return "" if any(map(_is_latin, step.surface)) else "the surface has no Latin letter"


def _symbol(step: Derivation) -> str:
    return "" if any(map(_is_picture, step.surface)) else "the surface has no picture or sign"


def _decomposition(step: Derivation) -> str:
    return "" if _some_link(step, _taken_apart) else "the parts do not make the target"


def _meme(step: Derivation) -> str:
    if not step.chain and same_sound(step.surface, step.target):
        return "the surface sounds like the target, which makes it a homophone"
    return ""


_DOUBTS: Mapping[Mechanism, Callable[[Derivation], str]] = {
    "homophone": _homophone,
    "digit": _digit,
    "letter": _letter,
    "image_chain": _image_chain,
    "decomposition": _decomposition,
    "symbol": _symbol,
    "meme": _meme,
}


def _some_link(step: Derivation, holds: Callable[[str, str], bool]) -> bool:
    path = (step.surface, *step.chain, step.target)
    return any(holds(one, other) for one, other in pairwise(path))


def _taken_apart(one: str, other: str) -> bool:
    """True where some character of one text stands in the other as its parts, the rest as it is.

    Either way round: 弓虽 for 强, and 嫑 for 不要.
    """
    return _made_of(one, other) or _made_of(other, one)


def _made_of(parts: str, whole: str) -> bool:
    reached = {0}
    for char in whole:
        if not decompositions(char):
            return False
        spelt = {char, *decompositions(char)}
        reached = {at + len(form) for at in reached for form in spelt if parts.startswith(form, at)}
    doubled = {whole * 2, whole * 3} & decompositions(parts)
    return bool(doubled) or (len(parts) in reached and parts != whole)


def _is_latin(char: str) -> bool:
    return "LATIN" in unicodedata.name(unicodedata.normalize("NFKC", char)[0], "") or (
        "LATIN" in unicodedata.name(char, "")
    )


def _is_digit(char: str) -> bool:
    return unicodedata.digit(char, None) is not None or char in "⑩⑽⒑🔟"


@cache
def _is_picture(char: str) -> bool:
    """An emoji or a sign: neither writing nor punctuation, but circled numbers and characters."""
    import emoji

    # Python's Unicode tables may be older than the newest emoji.
    return unicodedata.category(char) in _SIGNS or emoji.is_emoji(char)
