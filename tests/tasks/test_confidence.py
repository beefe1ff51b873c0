"""Confidence is a probability of the label, and absent where the tokens do not tell it."""

from __future__ import annotations

import math

import pytest

from mouse.tasks.confidence import confidence


def token(text: str, probability: float, **top: float) -> dict[str, object]:
    return {
        "token": text,
        "logprob": math.log(probability),
        "top": {name: math.log(value) for name, value in top.items()},
    }


def test_spellings_of_one_label_are_added_up() -> None:
    top = {"B": 0.6, " B": 0.1, "A": 0.3}
    assert confidence(("B",), [token("B", 0.6, **top)]) == pytest.approx(0.7)


def test_the_token_itself_need_not_be_among_the_alternatives() -> None:
    assert confidence(("1",), [token("答", 0.9), token(" 1", 0.25)]) == pytest.approx(0.25)


def test_a_label_of_several_tokens_is_their_product() -> None:
    tokens = [token("General", 0.5), token(" Statement", 0.5)]
    assert confidence(("General Statement",), tokens) == pytest.approx(0.25)


@pytest.mark.parametrize("tokens", [None, (), [token("评论", 0.9)], [token("AB", 0.9)]])
def test_it_is_unknown_where_the_label_was_not_written(tokens: object) -> None:
    assert confidence(("B",), tokens) is None  # type: ignore[arg-type]


def test_rounding_never_leads_above_one() -> None:
    assert confidence(("B",), [token("B", 1.0, **{" B": 1e-9})]) == 1.0


def test_a_label_counts_under_the_name_that_was_written() -> None:
    names = ("Comment", "评价")
    assert confidence(names, [token("评价", 0.8)]) == pytest.approx(0.8)
