"""What is written as JSON and as UTF-8 can be read again."""

from __future__ import annotations

import json

import pytest

from mouse.text.json_text import finite, to_json, utf8


def test_what_json_lacks_becomes_null_however_deep() -> None:
    nan, inf = float("nan"), float("inf")
    assert finite({"a": nan, "b": (1.5, [inf, {"c": -inf}]), "d": "nan"}) == {
        "a": None,
        "b": [1.5, [None, {"c": None}]],
        "d": "nan",
    }
    assert json.loads(to_json({"辣": nan})) == {"辣": None}


@pytest.mark.parametrize("text", [None, "", "abc", "辣🌶️"])
def test_sound_text_stays(text: str | None) -> None:
    assert utf8(text) == text


def test_half_a_surrogate_pair_is_written_out() -> None:
    assert utf8("辣\ud83d") == "辣\\ud83d"
