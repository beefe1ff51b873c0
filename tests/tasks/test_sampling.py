"""Sampling is decided by seed and id alone, keeps the strata's shares, and grows without change."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.errors import UserError
from mouse.tasks.sampling import first_distinct, interleaved, select


@dataclass(frozen=True)
class Row:
    id: str
    label: str


def label(row: Row) -> str:
    return row.label


rows = st.lists(
    st.tuples(st.integers(0, 500), st.sampled_from("ab")), unique_by=lambda pair: pair[0]
).map(lambda pairs: [Row(str(number), letter) for number, letter in pairs])


@given(items=rows, limit=st.integers(1, 60), more=st.integers(0, 60), seed=st.integers(0, 9))
def test_a_smaller_limit_is_part_of_a_larger_one(
    items: list[Row], limit: int, more: int, seed: int
) -> None:
    small = select(items, limit, seed, label)
    large = select(items, limit + more, seed, label)
    assert len(small) == min(limit, len(items))
    assert set(small) <= set(large)


@given(items=rows, limit=st.integers(1, 60), seed=st.integers(0, 9), shuffle=st.randoms())
def test_the_file_order_has_no_say(
    items: list[Row], limit: int, seed: int, shuffle: random.Random
) -> None:
    other = list(items)
    shuffle.shuffle(other)
    assert set(select(items, limit, seed, label)) == set(select(other, limit, seed, label))


@given(items=rows, limit=st.integers(1, 60), seed=st.integers(0, 9))
def test_two_strata_keep_their_share_to_within_one(items: list[Row], limit: int, seed: int) -> None:
    taken = Counter(label(row) for row in select(items, limit, seed, label))
    for letter, size in Counter(map(label, items)).items():
        share = min(limit, len(items)) * size / len(items)
        assert abs(taken[letter] - share) <= 1


def test_eight_equal_strata_are_taken_evenly() -> None:
    items = [Row(str(number), "abcdefgh"[number % 8]) for number in range(800)]
    assert set(Counter(map(label, select(items, 80, 3, label))).values()) == {10}


def test_items_come_back_in_the_order_given_and_seeds_differ() -> None:
    items = [Row(str(number), "a") for number in range(100)]
    taken = select(items, 10, 0)
    assert taken == sorted(taken, key=items.index)
    assert taken != select(items, 10, 1)


def test_the_sample_is_the_same_on_every_machine_and_day() -> None:
    items = [Row(str(number), "ab"[number % 2]) for number in range(20)]
    assert [row.id for row in select(items, 4, 0, label)] == ["2", "5", "10", "19"]


def test_no_limit_is_all_and_none_is_a_mistake() -> None:
    items = [Row("1", "a")]
    assert select(items, None, 0) == items
    with pytest.raises(UserError, match="limit=0"):
        select(items, 0, 0)


def test_balanced_order_begins_with_every_stratum_however_rare() -> None:
    items = [Row(str(number), "a") for number in range(50)] + [Row("r", "b"), Row("s", "b")]
    assert {row.label for row in interleaved(items, 0, label, balanced=True)[:2]} == {"a", "b"}


def test_first_distinct_takes_one_of_each_cluster_and_none_to_avoid() -> None:
    items = [Row("1", "a"), Row("2", "a"), Row("3", "b"), Row("4", "c")]
    taken = first_distinct(items, 3, lambda row: (row.label,), ("b",))
    assert [row.id for row in taken] == ["1", "4"]
