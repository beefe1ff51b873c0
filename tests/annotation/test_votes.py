"""More than half decide on labels, references and ratings; what is unclear is for adjudication."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.annotation.votes import central_reference, consensus, majority


@pytest.mark.parametrize(
    ("votes", "asked", "winner"),
    [
        (["a", "a", "b"], 3, "a"),
        (["a", "b", "c"], 3, None),
        (["a", "a", None], 3, "a"),
        (["a", None, None], 3, None),
        (["a", "a", "b", "b"], 4, None),
        ([False, False, True], 3, False),
        ([0, 0, 1], 3, 0),
        ([], 3, None),
    ],
)
def test_majority(votes, asked, winner) -> None:
    assert majority(votes, asked) == winner
    assert type(majority(votes, asked)) is type(winner)


@given(st.lists(st.sampled_from("abc") | st.none(), max_size=7), st.randoms())
def test_the_order_of_votes_does_not_matter(votes, random) -> None:
    shuffled = list(votes)
    random.shuffle(shuffled)
    assert majority(votes, 7) == majority(shuffled, 7)


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        (["他很厉害。", "他很厉害", "不一样"], ("他很厉害。", "majority")),
        (["他很厉害呀", "他很厉害啊", "他真厉害啊"], ("他很厉害啊", "central")),
        (["今天下雨", "牛马不上班", "我要睡觉了"], None),
        (["", "只有一个", ""], ("只有一个", "undecided")),
        (["", "", ""], ("", "undecided")),
    ],
)
def test_central_reference(references, expected) -> None:
    found = central_reference(references, 3)
    if expected is None:
        assert found[1] == "undecided" and found[0] in references
    else:
        assert found == expected


RATINGS = st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("ratings", "majority", "median"),
    [
        ([2], (2, False), (2, False)),
        ([2, 2, 0], (2, False), (2, False)),
        ([0, 1, 2], (1, True), (1, False)),
        ([0, 1], (0, True), (0, True)),
        ([0, 2], (0, True), (0, True)),
        ([0, 0, 2, 2], (0, True), (0, True)),
        ([0, 1, 1, 2], (1, True), (1, False)),
        ([0, 0, 0, 2, 2], (0, False), (0, False)),
    ],
)
def test_rules(ratings, majority, median):
    for how, expected in (("majority", majority), ("median", median)):
        found = consensus(ratings, how)
        assert (found.score, found.adjudicate) == expected


@given(RATINGS, st.randoms())
def test_order_does_not_matter_and_an_odd_median_is_the_median(ratings, rng):
    again = list(ratings)
    rng.shuffle(again)
    for how in ("majority", "median"):
        assert consensus(ratings, how) == consensus(again, how)
        assert min(ratings) <= consensus(ratings, how).score <= max(ratings)
    if len(ratings) % 2:
        assert consensus(ratings, "median").score == statistics.median(ratings)
        assert not consensus(ratings, "median").adjudicate


def test_nobody_has_no_consensus():
    with pytest.raises(ValueError, match="no scores"):
        consensus([], "majority")
