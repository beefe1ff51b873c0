"""Reads one cell of a data file as a label: yes or no, components, intent, options, answer.

Every function takes what a reader gave (text, number, list, object, None) and returns the label,
or raises `ValueError` whose message ends the sentence «this value is refused because …».
"""

from __future__ import annotations

import ast
import contextlib
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from mouse.corpus.items import OPTION_LETTERS, Components, Derivation
from mouse.corpus.labels import (
    COMPONENT_ZH,
    COMPONENTS,
    INTENT_ZH,
    INTENTS,
    MECHANISMS,
    NO,
    NO_COMPONENT,
    YES,
    ComponentName,
    Intent,
    fold,
    known_component,
    known_intent,
)
from mouse.corpus.reading.json_rows import parse
from mouse.corpus.reading.raw import is_missing

_GLOSS = re.compile(r"[(（][^()（）]*[)）]\s*\Z")
_BRACKETS = re.compile(r"[(（\[【][^()（）\[\]【】]*[)）\]】]")
_SEPARATORS = re.compile(r"以及|[、,，;；/|+&\n＋／｜＆和与及·・•]|\band\b", re.IGNORECASE)
_LETTERED = re.compile(r"^\s*([A-HＡ-Ｈa-h])\s*[.．、:：)）]\s*")
_ANSWER = re.compile(r"(?:选项|option|choice)?[\s(\[]*([a-h])[)\].、\s]*", re.IGNORECASE)


def flag(value: object) -> bool | None:
    """Yes or no in the spellings of both languages; None where the cell is empty."""
    if is_missing(value):
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if isinstance(value, str):
        spelt = unicodedata.normalize("NFKC", value).strip().casefold()
        if spelt in YES or spelt == "1.0":
            return True
        if spelt in NO or spelt == "0.0":
            return False
    raise ValueError(
        "expected 0 or 1, 是 or 否, true or false, 有 or 无, 有毒 or 无毒, toxic or non-toxic"
    )


def intent(value: object) -> Intent | None:
    """One of the eight intents, named in Chinese or English; None where the cell is empty.

    What stands in parentheses after a name explains it and need not be known: the paper writes
    `评价（吐槽，赞扬等）`, `Comments (criticisms, praises, etc.)` and `Comment (e.g., complaint, praise)`.
    """
    if is_missing(value):
        return None
    if isinstance(value, str):
        for name in (value, _GLOSS.sub("", value)):
            if found := known_intent(name):
                return found
    known = ", ".join(f"{name} ({INTENT_ZH[name]})" for name in INTENTS)
    raise ValueError(f"unknown intent; expected one of {known}")


def components(value: object) -> Components:
    """Which components a cell names: a list of labels (as list, JSON or separated text) or flags.

    A list says no to what it leaves out; an object says nothing of what it leaves out. `无` is
    all three absent, an empty cell all three unknown.
    """
    if is_missing(value):
        return Components(None, None, None)
    if isinstance(value, str):
        if value.lstrip()[:1] in "[{":
            return components(_json(value))
        if fold(value) in NO_COMPONENT:
            return Components(False, False, False)
        listed = parts(value)
        if not all(map(_is_component, listed)):
            # What brackets explain, `谐音（数字）`, need not be known.
            listed = parts(_BRACKETS.sub("", value)) or listed
        value = listed
        if not value:
            raise ValueError("expected component labels, found separators alone")
    if isinstance(value, Mapping):
        flags: dict[ComponentName, bool | None] = dict.fromkeys(COMPONENTS)
        for name, given in value.items():
            label = _component(name)
            if flags[label] is not None:
                raise ValueError(f"{label} is given twice")
            flags[label] = flag(given)
        return Components(**flags)
    if isinstance(value, list | tuple):
        named = {_component(name) for name in value}
        return Components(*(label in named for label in COMPONENTS))
    raise ValueError("expected component labels (谐音, 视觉, 语义), a list of them, or flags")


def _is_component(name: str) -> bool:
    return known_component(name) is not None


def parts(text: str, known: Callable[[str], bool] = _is_component) -> list[str]:
    """The labels that a cell lists, by any usual separator; by blanks where `known` says so."""
    found: list[str] = []
    for part in _SEPARATORS.split(text):
        words = part.split()
        found += words if words and not known(part) and all(map(known, words)) else [part]
    return [part for part in found if part.strip()]


def _component(name: object) -> ComponentName:
    if found := known_component(name):
        return found
    known = ", ".join(f"{label} ({COMPONENT_ZH[label]})" for label in COMPONENTS)
    raise ValueError(f"unknown component {name!r}; expected {known}")


def options(value: object) -> tuple[str, ...]:
    """Options as a list, as JSON, or one a line (with or without `A.` before each)."""
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            value = _json(value)
        else:
            lines = [line for line in value.splitlines() if line.strip()]
            marks = [_LETTERED.match(line) for line in lines]
            letters = "".join(fold(mark[1]).upper() for mark in marks if mark)
            if lines and letters == OPTION_LETTERS[: len(lines)]:
                lines = [
                    line[mark.end() :] for line, mark in zip(lines, marks, strict=True) if mark
                ]
            value = lines
    if not isinstance(value, list | tuple):
        raise ValueError("expected a list of options: JSON, or one a line, or one column each")
    for option in value:
        if not isinstance(option, str):
            raise ValueError(f"option {option!r} is not text")
    return tuple(value)


def answer(value: object, choices: tuple[str, ...]) -> str:
    """The right option's letter, from a letter (Ｂ, (b), 选项B) or from the option's own text.

    A number is refused, since nobody can tell whether it counts from 0 or from 1.
    """
    if not isinstance(value, str):
        raise ValueError("expected the letter of the right option")
    found = _ANSWER.fullmatch(unicodedata.normalize("NFKC", value).strip())
    if found:
        letter = found[1].upper()
        if OPTION_LETTERS.index(letter) >= len(choices):
            raise ValueError(f"there is no option {letter}: the item has {len(choices)} options")
        return letter
    if choices.count(value) == 1:
        return OPTION_LETTERS[choices.index(value)]
    raise ValueError("neither the letter nor the text of one of the options")


def derivation(value: object) -> tuple[Derivation, ...]:
    """Substitutions undone, as a list of {surface, chain, target, mechanism}, or JSON of one."""
    if is_missing(value):
        return ()
    if isinstance(value, str):
        value = _json(value)
    if not isinstance(value, list | tuple):
        raise ValueError("expected a list of {surface, chain, target, mechanism}")
    return tuple(_one_derivation(step, number) for number, step in enumerate(value, start=1))


def _one_derivation(step: object, number: int) -> Derivation:
    if not isinstance(step, Mapping) or set(step) != {"surface", "chain", "target", "mechanism"}:
        raise ValueError(f"step {number} needs exactly surface, chain, target and mechanism")
    surface, chain, target = (step[key] for key in ("surface", "chain", "target"))
    if not isinstance(surface, str) or not surface or not isinstance(target, str):
        raise ValueError(f"step {number}: surface and target must be text, surface not empty")
    if not isinstance(chain, list | tuple) or not all(isinstance(link, str) for link in chain):
        raise ValueError(f"step {number}: chain must be a list of text")
    mechanism = step["mechanism"]
    if mechanism not in MECHANISMS:
        raise ValueError(f"step {number}: mechanism must be one of {', '.join(MECHANISMS)}")
    return Derivation(surface, tuple(chain), target, mechanism)


def _json(text: str) -> Any:
    """JSON in a cell, or the Python literal that pandas writes into CSV for a list."""
    try:
        return parse(text.strip())
    except (ValueError, RecursionError) as error:
        if text.lstrip()[:1] in ("[", "{"):
            # Python's parser says what it finds wrong in ways of its own; JSON's word is clearer.
            with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                return ast.literal_eval(text.strip())
        raise ValueError(f"expected JSON: {error}") from error
