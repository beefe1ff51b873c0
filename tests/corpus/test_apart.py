"""Examples are kept apart from what is scored, whatever their ids are."""

from __future__ import annotations

import pytest

from mouse.corpus.apart import apart
from mouse.corpus.items import CXEI, ChoiceItem, Components, Dataset
from mouse.corpus.load import load, sample_examples

NOTHING = Components(None, None, None)


def cxei(key: str, text: str, reference: str | None = None) -> CXEI:
    return CXEI(key, text, reference, NOTHING, None, None)


SCORED = Dataset(
    "scored",
    (cxei("1", "他⑧来🌶️", "他不来了"), cxei("2", "泥萌")),
    (ChoiceItem("3", "cc", "甲：在吗", "____", ("在", "不在"), "A"),),
)


@pytest.mark.parametrize(
    "item",
    [
        cxei("9", "他⑧来🌶️"),
        cxei("9", " 他⑧来🌶 "),
        cxei("9", "另一种写法", "他不来了"),
        ChoiceItem("9", "cc", "甲：在吗", "____", ("有", "没有"), "B"),
    ],
)
def test_what_tells_of_a_scored_item_is_no_example(item: CXEI | ChoiceItem) -> None:
    cxeis, choices = ((item,), ()) if isinstance(item, CXEI) else ((), (item,))
    kept, left_out = apart(Dataset("examples", cxeis, choices), SCORED)
    assert (kept.cxeis, kept.choices, left_out) == ((), (), 1)


def test_equal_ids_and_other_tasks_do_not_count() -> None:
    given = Dataset(
        "examples",
        (cxei("1", "别的话", "别的意思"), cxei("2", "又一句")),
        (
            ChoiceItem("3", "cc", "乙：走吗", "____", ("走", "不走"), "A"),
            ChoiceItem("4", "ms", "", "____", ("在", "不在"), "A"),
        ),
    )
    kept, left_out = apart(given, SCORED)
    assert (kept.cxeis, kept.choices, left_out) == (given.cxeis, given.choices, 0)


def test_the_samples_examples_are_apart_from_what_it_scores() -> None:
    assert apart(sample_examples(), load("sample"))[1] == 0
