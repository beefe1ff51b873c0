"""Readings and the syllables that pass for one another."""

from __future__ import annotations

import pytest

from mouse.corpus.chinese.readings import common_readings, fold, known_syllables
from mouse.models.noisy_channel.language import sounds_alike


def test_readings_are_those_in_common_use() -> None:
    assert common_readings("行") == ("xing", "hang")
    assert common_readings("个") == ("ge",)
    assert common_readings("女") == ("nv",)
    assert common_readings("a") == common_readings("🌶️") == ()


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [
        ("马", "吗", 0),
        ("辣", "那", 1),
        ("是", "四", 1),
        ("心", "星", 1),
        ("福", "湖", 1),
        ("马", "狗", 2),
    ],
)
def test_distance_of_sounds(left: str, right: str, distance: int) -> None:
    assert sounds_alike(left, right) == sounds_alike(right, left) == distance


def test_folding_twice_changes_nothing() -> None:
    for syllable in known_syllables():
        assert fold(fold(syllable)) == fold(syllable), syllable
