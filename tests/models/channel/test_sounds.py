"""Readings and the syllables that pass for one another."""

from __future__ import annotations

import pytest

from mouse.models.noisy_channel.sounds import fold, known_syllables, sounds_alike, syllables


def test_readings_are_those_in_common_use() -> None:
    assert syllables("行") == ("xing", "hang")
    assert syllables("个") == ("ge",)
    assert syllables("女") == ("nv",)
    assert syllables("a") == syllables("🌶️") == ()


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
