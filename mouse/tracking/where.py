"""The conditions of `--where`: `model in (lexicon, gpt5.2) and td/acc > 0.6`.

Comparisons (`=`, `==`, `!=`, `<`, `<=`, `>`, `>=`, `in (…)`, `not in (…)`, `like`, where `%`
stands for any text) joined by `and`, `or`, `not` and brackets. A value needs quotes only where
it has spaces, commas or brackets. Numbers compare as numbers where both sides are numbers.

MLflow's own filters have no `or`, no `not`, and no `in` for parameters and tags.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from fnmatch import translate
from typing import NoReturn

from mouse.errors import UserError

Facts = Mapping[str, str | float]
Predicate = Callable[[Facts], bool]

_WORD = r"""(?:'[^']*'|"[^"]*"|[^\s()',"<>=!]+)"""
_JOINING = re.compile(r"\s*(and\b|or\b|not\b|\(|\))", re.I)
_COMPARISON = re.compile(
    rf"\s*(?P<name>{_WORD})\s*"
    rf"(?:(?P<sign>==|!=|<=|>=|=|<|>)\s*(?P<value>{_WORD})"
    rf"|(?P<negated>not\s+)?(?:in\s*\((?P<values>\s*{_WORD}\s*(?:,\s*{_WORD}\s*)*)\)"
    rf"|like\s+(?P<pattern>{_WORD})))",
    re.I,
)
_ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def parse(text: str) -> Predicate:
    """A predicate over a run's facts. A fact that a run lacks makes its comparison false.

    Raises:
        UserError: the text does not follow the grammar; the message shows where.
    """
    comparisons: list[Predicate] = []
    pieces: list[str] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        if found := _JOINING.match(text, position):
            pieces.append(found[1].lower())
        elif found := _COMPARISON.match(text, position):
            pieces.append(f"c{len(comparisons)}")
            comparisons.append(_comparison(found))
        else:
            _fail(text, position)
        position = found.end()
    try:
        # The comparisons by number: what is left has the grammar of Python's own conditions.
        tree = ast.parse(" ".join(pieces), mode="eval").body
        return _predicate(tree, comparisons)
    except (SyntaxError, TypeError):
        _fail(text, end)


def _predicate(node: ast.expr, comparisons: list[Predicate]) -> Predicate:
    match node:
        case ast.Name(id=number):
            return comparisons[int(number[1:])]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _predicate(operand, comparisons)
            return lambda facts: not inner(facts)
        case ast.BoolOp(op=joined, values=values):
            parts = [_predicate(value, comparisons) for value in values]
            every = all if isinstance(joined, ast.And) else any
            return lambda facts: every(part(facts) for part in parts)
    raise TypeError(f"{type(node).__name__} is no condition")


def _comparison(found: re.Match[str]) -> Predicate:
    name, sign = _unquoted(found["name"]), found["sign"]
    if sign in _ORDER:
        value = _number(_unquoted(found["value"]))
        return lambda facts: (
            value is not None
            and (fact := _number(facts.get(name, ""))) is not None
            and _ORDER[sign](fact, value)
        )
    wanted = sign != "!=" and not found["negated"]
    if pattern := found["pattern"]:
        matches = re.compile(translate(_unquoted(pattern).replace("%", "*")), re.I).match
        return lambda facts: name in facts and bool(matches(str(facts[name]))) == wanted
    values = [_unquoted(value) for value in re.findall(_WORD, found["values"] or found["value"])]
    return lambda facts: (
        name in facts and any(_equal(facts[name], value) for value in values) == wanted
    )


def _unquoted(word: str) -> str:
    return word[1:-1] if word[0] in "'\"" else word


def _number(value: str | float) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _equal(fact: str | float, value: str) -> bool:
    one, other = _number(fact), _number(value)
    return one == other if one is not None and other is not None else str(fact) == value


def _fail(text: str, position: int) -> NoReturn:
    raise UserError(
        "--where: a comparison (name = value, name in (one, other)), and, or, not or a bracket was "
        f"expected at ▸ in «{text[:position]}▸{text[position:]}»; for example: "
        "model in (lexicon, gpt5.2) and td/acc > 0.6"
    )
