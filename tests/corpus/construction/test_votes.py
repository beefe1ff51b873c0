"""A label needs more than half of those asked; a reference must be agreed on or central."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.annotation.labelling.votes import central_reference, majority


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
