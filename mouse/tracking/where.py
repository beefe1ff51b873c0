"""The small language of `--where`: `model in (lexicon, gpt5.2) and td/acc > 0.6`.

Comparisons (`=`, `==`, `!=`, `<`, `<=`, `>`, `>=`, `in (…)`, `not in (…)`, `like`, where `%`
stands for any text) joined by `and`, `or`, `not` and brackets. A value needs quotes only where
it has spaces, commas or brackets. Numbers compare as numbers where both sides are numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fnmatch import translate
from typing import NoReturn

from mouse.errors import UserError

Facts = Mapping[str, str | float]
Predicate = Callable[[Facts], bool]

_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>'[^']*'|\"[^\"]*\")|(?P<sign><=|>=|==|!=|=|<|>|\(|\)|,)|(?P<word>[^\s()',\"<>=!]+))"
)
_ORDER: dict[str, Callable[[float, float], bool]] = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}


def parse(text: str) -> Predicate:
    """A predicate over a run's facts. A fact that a run lacks makes its comparison false.

    Raises:
        UserError: the text does not follow the grammar; the message shows where.
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        position = 0
        end = len(text.rstrip())
        while position < end:
            found = _TOKEN.match(text, position)
            if found is None:
                self._fail(position, "cannot be read")
            kind = found.lastgroup or ""
            self.tokens.append((kind, found.group(kind), found.start(kind)))
            position = found.end()
        self.next = 0

    def whole(self) -> Predicate:
        predicate = self._or()
        if self.next < len(self.tokens):
            self._fail(self.tokens[self.next][2], "and, or, or the end was expected")
        return predicate

    def _or(self) -> Predicate:
        parts = [self._and()]
        while self._take("or"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else lambda facts: any(part(facts) for part in parts)

    def _and(self) -> Predicate:
        parts = [self._not()]
        while self._take("and"):
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else lambda facts: all(part(facts) for part in parts)

    def _not(self) -> Predicate:
        if self._take("not"):
            inner = self._not()
            return lambda facts: not inner(facts)
        if self._take("("):
            inner = self._or()
            self._expect(")")
            return inner
        return self._comparison()

    def _comparison(self) -> Predicate:
        name = self._value("the name of a tag, parameter or metric")
        negated = self._take("not")
        if self._take("in"):
            self._expect("(")
            values = [self._value("a value")]
            while self._take(","):
                values.append(self._value("a value"))
            self._expect(")")
            return lambda facts: (
                name in facts and any(_equal(facts[name], v) for v in values) != negated
            )
        if self._take("like"):
            pattern = re.compile(translate(self._value("a pattern").replace("%", "*")), re.I)
            return lambda facts: (
                name in facts and (pattern.match(str(facts[name])) is not None) != negated
            )
        for sign in ("==", "=", "!=", "<=", ">=", "<", ">"):
            if not negated and self._take(sign):
                value = self._value("a value")
                if sign in _ORDER:
                    return lambda facts: name in facts and _ordered(facts[name], sign, value)
                wanted = sign != "!="
                return lambda facts: name in facts and _equal(facts[name], value) == wanted
        self._fail(self._position(), f"after {name!r}, one of = != < <= > >= in like was expected")

    def _position(self) -> int:
        return self.tokens[self.next][2] if self.next < len(self.tokens) else len(self.text)

    def _take(self, wanted: str) -> bool:
        if self.next < len(self.tokens):
            kind, token, _ = self.tokens[self.next]
            if kind != "quoted" and token.lower() == wanted:
                self.next += 1
                return True
        return False

    def _expect(self, wanted: str) -> None:
        if not self._take(wanted):
            self._fail(self._position(), f"{wanted!r} was expected")

    def _value(self, what: str) -> str:
        if self.next < len(self.tokens):
            kind, token, _ = self.tokens[self.next]
            if kind != "sign":
                self.next += 1
                return token[1:-1] if kind == "quoted" else token
        self._fail(self._position(), f"{what} was expected")

    def _fail(self, position: int, problem: str) -> NoReturn:
        shown = f"{self.text[:position]}▸{self.text[position:]}"
        raise UserError(
            f"--where: {problem} at ▸ in «{shown}»; for example: "
            "model in (lexicon, gpt5.2) and td/acc > 0.6"
        )


def _number(value: str | float) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _equal(fact: str | float, value: str) -> bool:
    one, other = _number(fact), _number(value)
    if one is not None and other is not None:
        return one == other
    return str(fact) == value


def _ordered(fact: str | float, sign: str, value: str) -> bool:
    one, other = _number(fact), _number(value)
    return one is not None and other is not None and _ORDER[sign](one, other)
