"""A derivation is undone from left to right."""

import pytest

from mouse.corpus.items import Derivation
from mouse.corpus.load import load
from mouse.corpus.synthesis.replay import undo


def test_the_sample_s_derivations_give_its_references() -> None:
    for item in load("sample").cxeis:
        assert undo(item.original_text, item.derivation) == item.reference


def test_equal_surfaces_are_taken_in_turn_and_a_lost_one_is_an_error() -> None:
    steps = [Derivation("4", (), "是", ("homophonic",)), Derivation("4", (), "死", ("homophonic",))]
    assert undo("4不4", steps) == "是不死"
    with pytest.raises(ValueError, match="does not stand"):
        undo("4不", steps)
