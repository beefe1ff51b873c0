"""The fingerprint names content: every field counts, the order of rows does not."""

import random
from dataclasses import replace

import pytest

from mouse.corpus.items import (
    CXEI,
    ChoiceItem,
    Components,
    Dataset,
    Derivation,
    item_fingerprint,
)

CXEIS = tuple(
    CXEI(
        id=f"s{number}",
        original_text=f"我🌶️么菜{number}",
        reference=f"我那么菜{number}",
        components=Components(True, True, False),
        intent="Comment",
        toxicity=0,
        source="test",
        revision="1",
        derivation=(Derivation("🌶️", ("辣",), "那", "image_chain"),),
    )
    for number in range(5)
)
CHOICES = (ChoiceItem("m1", "ms", "", "🌶️", ("那", "辣"), "A", "s1"),)


def fingerprint_of(cxeis, choices) -> str:
    return Dataset("test", tuple(cxeis), tuple(choices)).fingerprint


def test_order_of_rows_does_not_count() -> None:
    shuffled = list(CXEIS)
    random.Random(1).shuffle(shuffled)
    assert shuffled != list(CXEIS)
    assert fingerprint_of(shuffled, CHOICES) == fingerprint_of(CXEIS, CHOICES)
    assert Dataset("a", tuple(shuffled), CHOICES).fingerprint == fingerprint_of(CXEIS, CHOICES)


def test_name_and_notes_of_the_data_set_do_not_count() -> None:
    assert (
        Dataset("a", CXEIS, source="here", notes=("x",)).fingerprint
        == Dataset("b", CXEIS).fingerprint
    )


@pytest.mark.parametrize(
    "change",
    [
        {"id": "other"},
        {"original_text": "我🌶么菜0"},
        {"reference": None},
        {"components": Components(True, True, None)},
        {"intent": None},
        {"toxicity": None},
        {"source": ""},
        {"revision": "2"},
        {"derivation": ()},
        {"group": "g"},
    ],
)
def test_every_field_counts(change: dict) -> None:
    changed = replace(CXEIS[0], **change)
    assert item_fingerprint(changed) != item_fingerprint(CXEIS[0])
    assert fingerprint_of([changed, *CXEIS[1:]], CHOICES) != fingerprint_of(CXEIS, CHOICES)


def test_the_order_of_options_counts() -> None:
    assert item_fingerprint(replace(CHOICES[0], options=("辣", "那"))) != item_fingerprint(
        CHOICES[0]
    )


def test_a_repeated_item_counts() -> None:
    assert fingerprint_of([*CXEIS, CXEIS[0]], ()) != fingerprint_of(CXEIS, ())


def test_the_value_is_stable_between_versions() -> None:
    assert fingerprint_of((), ()) == (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
    assert item_fingerprint(CHOICES[0]) == (
        "12fdf431fc048ca9e3943bdd960ce35927f52e95f4cd810eac370f2087dff5e7"
    )
