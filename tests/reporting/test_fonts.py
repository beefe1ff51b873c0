"""Chinese and emoji render in figures from the shipped fonts, wherever the machine."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from mouse.reporting import fonts

MIXED = "意图 Sexualized 🌶️🐔👴 囧槑嘦 彳亍口巴 ⑧①1️⃣ ＡＢ，。「」 ☎ ɐʍ −0.5"


@pytest.fixture(autouse=True)
def registered() -> None:
    fonts.register()


def render(text: str) -> np.ndarray:
    figure = plt.figure(figsize=(6, 1), dpi=60)
    figure.text(0.02, 0.4, text)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="raw")
    plt.close(figure)
    return np.frombuffer(buffer.getvalue(), dtype=np.uint8)


def test_mixed_text_has_a_glyph_for_every_character_and_warns_of_none() -> None:
    assert fonts.missing(MIXED) == set()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = render(fonts.drawable(MIXED))
    assert (drawn != 255).any()


def test_no_font_of_the_machine_is_used() -> None:
    from matplotlib.font_manager import findfont

    shipped = {str(fonts.FONTS / name) for name in fonts.FILES}
    found = {str(findfont(family, fallback_to_default=False)) for family in fonts.FAMILIES}
    assert shipped < found
    (bundled,) = found - shipped
    assert Path(bundled).is_relative_to(Path(matplotlib.get_data_path()))


def test_different_characters_draw_differently() -> None:
    pictures = [render(character).tobytes() for character in "辣鸡囧🐔🌶□"]
    assert len(set(pictures)) == len(pictures)


def test_what_no_font_has_is_a_box_and_not_a_warning() -> None:
    unknown = "\U00013000"
    assert fonts.missing(unknown) == {unknown}
    assert fonts.drawable(f"古{unknown}文\x1b[31m\u202e") == "古□文[31m"


@given(st.text(max_size=30))
def test_whatever_a_model_wrote_can_be_drawn(text: str) -> None:
    assert fonts.missing(fonts.drawable(text)) == set()


def test_gb2312_is_covered_in_full() -> None:
    characters = {
        bytes([high, low]).decode("gb2312", "ignore")
        for high in range(0xB0, 0xF8)
        for low in range(0xA1, 0xFF)
    }
    assert fonts.missing("".join(characters)) == set()


def test_every_font_file_is_under_the_size_limit_and_has_its_licence() -> None:
    for name in fonts.FILES:
        assert (fonts.FONTS / name).stat().st_size < 1_400_000
    assert "SIL OPEN FONT LICENSE Version 1.1" in (fonts.FONTS / "OFL.txt").read_text()
