"""The description counts what is there and warns of what could bend a result."""

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.corpus.describe import describe, length_histogram
from mouse.corpus.items import CXEI, ChoiceItem, Components, Dataset
from mouse.text.json_text import to_json


def cxei(identity: str, text: str, reference: str | None = "那么", **labels: object) -> CXEI:
    item = CXEI(identity, text, reference, Components(True, False, False), "Comment", 1)
    return replace(item, **labels)


def choice(identity: str, options: tuple[str, ...], answer: str) -> ChoiceItem:
    return ChoiceItem(identity, "ms", "", f"第{identity}题", options, answer)


def test_labels_are_counted_and_unknown_ones_too() -> None:
    found = describe(
        Dataset(
            "x",
            (
                cxei("1", "一二三四五六七八"),
                cxei("2", "甲乙丙丁", intent=None, toxicity=None),
                cxei("3", "子丑寅卯", components=Components(None, True, False), toxicity=0),
                cxei("4", "天地玄黄", components=Components(False, False, False)),
            ),
        )
    ).cxeis
    assert found is not None
    assert found.intent["Comment"] == 3 and found.intent["unknown"] == 1
    assert found.toxicity == {"0": 1, "1": 2, "unknown": 1}
    assert found.components["homophonic"] == {"0": 1, "1": 2, "unknown": 1}
    assert found.components["visual"] == {"0": 3, "1": 1}
    assert found.combinations == {"homophonic": 2, "not fully known": 1, "none": 1}
    assert found.original_lengths["1-5"] == 3 and found.original_lengths["6-10"] == 1


def test_repeats_are_counted_exact_and_near() -> None:
    text = "今天我真的非常开心呀朋友们"
    found = describe(
        Dataset(
            "x",
            (
                cxei("1", text),
                cxei("2", text),
                cxei("3", text.replace("们", "门"), reference=text.replace("们", "门")),
                cxei("4", "完全不同的一句话", reference=None, group="g"),
                cxei("5", "完全不同的一句话呀", group="g"),
            ),
        )
    )
    assert found.cxeis is not None
    repeats = found.cxeis.repeats
    assert (repeats.exact, repeats.near) == (1, 2)
    assert repeats.examples[0] == ("1", "2", 1.0)
    assert {pair[:2] for pair in repeats.examples[1:]} == {("1", "3"), ("2", "3")}
    assert (found.cxeis.groups, found.cxeis.with_reference) == (4, 4)
    assert found.cxeis.equal_to_reference == 1
    assert "1 originals equal their references." in found.warnings


def test_right_answers_are_counted_by_position() -> None:
    options = ("一一", "二二", "三三", "四四")
    even = [choice(f"{at:03d}", options, "ABCD"[at % 4]) for at in range(40)]
    (found,) = describe(Dataset("x", choices=tuple(even))).choices
    assert found.answer_positions == {"A": 10, "B": 10, "C": 10, "D": 10}


def test_a_right_option_that_is_always_longest_is_seen() -> None:
    items = tuple(
        choice(
            f"{at:03d}",
            tuple("长" * (3 if at % 4 == option else 1) for option in range(4)),
            "ABCD"[at % 4],
        )
        for at in range(40)
    )
    (found,) = describe(Dataset("x", choices=items)).choices
    assert (found.right_is_longest, found.right_is_shortest) == (1, 0)
    assert found.expected_longest == 0.25


def test_options_of_equal_length_tell_nothing() -> None:
    (found,) = describe(Dataset("x", choices=(choice("1", ("一", "二"), "B"),))).choices
    assert found.right_is_longest == found.expected_longest == 0.5


def test_items_with_different_numbers_of_options_expect_their_own_share() -> None:
    items = (choice("1", ("一", "二"), "A"), choice("2", ("一", "二", "三", "四"), "C"))
    (found,) = describe(Dataset("x", choices=items)).choices
    assert found.options == {"2": 1, "4": 1}
    assert found.expected_longest == pytest.approx(0.375)


def test_the_description_is_json() -> None:
    dataset = Dataset("x", (cxei("1", "一"),), (choice("1", ("一", "二"), "B"),), notes=("n",))
    found = json.loads(to_json(asdict(describe(dataset))))
    assert found["choices"][0]["right_is_longest"] == 0.5
    assert found["cxeis"]["n"] == 1 and found["fingerprint"] == dataset.fingerprint


@given(st.lists(st.text(min_size=1, max_size=400)))
def test_every_text_is_in_one_bin(texts: list[str]) -> None:
    assert sum(length_histogram(texts).values()) == len(texts)


def test_bins_include_their_upper_bound() -> None:
    found = length_histogram(["a" * 5, "a" * 6, "a" * 320, "a" * 321])
    assert {name for name, count in found.items() if count} == {"1-5", "6-10", "161-320", "321+"}
