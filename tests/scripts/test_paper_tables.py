"""What the page says of the paper's own numbers follows from them alone."""

from __future__ import annotations

import math

import paper_tables
import pytest

from mouse.reporting.published import published_intervals, published_rows


def test_counts_give_back_the_printed_numbers() -> None:
    rows = dict(paper_tables.counts().blocks[0].rows)
    assert len(rows) == 14
    zero, one, two, fits, tp, fp, fn, tn, td_fits, ms, cc = rows["Doubao-Seed-1.8"]
    assert (tp.value + fn.value, fp.value + tn.value) == (500, 599)
    printed = published_rows()["Doubao-Seed-1.8"]
    assert round((tp.value + tn.value) / 1099, 3) == printed["td/acc"]
    assert round(two.value / 1099, 3) == printed["tr/perfect_rate"]
    assert (zero.text, one.text, fits.value, td_fits.value) == ("562–563", "88–89", 2, 1)
    assert (ms.value, cc.value) == (94, 78)


def test_support_adds_up_to_all_pairs() -> None:
    rows = dict(paper_tables.support().blocks[0].rows)
    assert set(rows) == {"tr/sem_acc", "tr/perfect_rate", "td/acc", "ms/acc", "cc/acc"}
    for cells in rows.values():
        pairs, *verdicts, neighbours, a, b, c = [cell.value for cell in cells]
        assert pairs == 91 == sum(verdicts) and neighbours == 13 == a + b + c
        # Those next to each other are the hardest to tell apart.
        assert a / 13 < verdicts[0] / 91


def test_the_inversion_is_not_claimed_to_hold() -> None:
    rows = dict(paper_tables.inversion().blocks[0].rows)
    order, difference, least, alone, most, correlation, verdict = rows["tr/sem_acc"]
    assert order.text == "Qwen3-14B over Qwen3-32B" and verdict.text == "depends"
    assert difference.value == pytest.approx(0.019, abs=0.001)
    assert least.value < 0.05 < alone.value < most.value
    assert correlation.value == pytest.approx(0.64, abs=0.01)
    assert rows["tr/perfect_rate"][0].text == "equal"
    note = paper_tables.note()
    assert "depends on how much their errors coincide" in note and "0.24" in note


def test_published_intervals_hold_the_printed_value_where_counts_are_known() -> None:
    for metric in ("tr/sem_acc", "tr/perfect_rate", "td/acc", "td/f1", "td/mcc", "cc/acc"):
        found = published_intervals()["GPT5.2"][metric]
        assert found.lo < found.value < found.hi
    for who, metric in (("GPT5.2", "ir/bal_acc"), ("familiar_participants", "cc/acc")):
        assert math.isnan(published_intervals()[who][metric].lo)


def test_the_page_and_the_intervals_are_what_the_script_makes() -> None:
    assert paper_tables.main(["--check"]) == 0
