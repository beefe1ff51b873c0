"""`--where` picks runs by what was logged, and says where it cannot be read."""

from __future__ import annotations

import pytest

from mouse.errors import UserError
from mouse.tracking.where import parse

FACTS = {"model": "gpt5.2", "td/acc": 0.61, "model.params.temperature": "0.0", "name": "a b"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model = gpt5.2", True),
        ("model == 'gpt5.2' and td/acc > 0.6", True),
        ("model in (lexicon, gpt5.2)", True),
        ("model not in (lexicon, gpt5.2)", False),
        ("model in (lexicon)", False),
        ("td/acc >= 0.61 and td/acc < 0.62", True),
        ("td/acc <= 0.6 or not model = lexicon", True),
        ("not (model = gpt5.2 or td/acc > 2)", False),
        ("model.params.temperature = 0", True),
        ('name = "a b"', True),
        ("model like gpt%", True),
        ("model not like '%lex%'", True),
        ("model != lexicon", True),
        ("cc/acc > 0", False),
        ("cc/acc != 1", False),
        ("model=gpt5.2 AND td/acc>0.6", True),
    ],
)
def test_conditions(text: str, expected: bool) -> None:
    assert parse(text)(FACTS) is expected


@pytest.mark.parametrize(
    "text",
    ["", "model", "model in lexicon", "model = ", "model = a b", "(model = a", "= 3", "a = 'b"],
)
def test_what_cannot_be_read_is_refused_with_the_place(text: str) -> None:
    with pytest.raises(UserError, match="▸"):
        parse(text)


@pytest.mark.parametrize(
    "text", ["model = a (td/acc > 1)", "()", "not", "model = a and", "a=1, b=2"]
)
def test_comparisons_must_be_joined(text: str) -> None:
    with pytest.raises(UserError, match="▸"):
        parse(text)


def test_names_that_begin_like_a_joining_word_are_names() -> None:
    assert parse("order = 1 and notes = x and not android = y")(
        {"order": "1", "notes": "x", "android": "z"}
    )
