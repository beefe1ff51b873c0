"""All near-duplicates are found, and none that is not one."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

from mouse.corpus.near_duplicates import near_duplicates

# Few characters, so that texts are often similar and often not quite.
STEMS = st.text("ab我", max_size=24)
TEXTS = st.lists(STEMS, max_size=8).flatmap(
    lambda stems: st.lists(
        st.sampled_from(["", *stems]).flatmap(
            lambda stem: st.integers(0, len(stem)).map(lambda at: stem[:at] + "b" + stem[at + 1 :])
        ),
        max_size=8,
    ).map(lambda edited: stems + edited)
)


@given(texts=TEXTS, threshold=st.sampled_from([0.81, 0.85, 0.9, 0.95, 1.0]))
@example(texts=["a" * 20, "a" * 19 + "b" * 2, "", "a"], threshold=0.9)
def test_the_pairs_are_those_of_comparing_every_pair(texts: list[str], threshold: float) -> None:
    clusters = [str(at) for at in range(len(texts))]
    every = [
        (i, j, Indel.normalized_similarity(texts[i], texts[j]))
        for j in range(len(texts))
        for i in range(j)
        if texts[i] != texts[j] and Indel.normalized_similarity(texts[i], texts[j]) >= threshold
    ]
    assert near_duplicates(texts, clusters, threshold) == sorted(every)


@pytest.mark.parametrize("threshold", [0.8, 0.0, 1.1])
def test_a_threshold_at_which_pairs_would_be_missed_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match=r"over 0\.8"):
        near_duplicates(["a"], ["1"], threshold)


def test_texts_of_one_cluster_are_not_compared() -> None:
    texts = ["今天我真的很开心呀朋友们", "今天我真的很开心呀朋友门"]
    assert len(near_duplicates(texts, ["a", "b"])) == 1
    assert near_duplicates(texts, ["a", "a"]) == []


def test_a_pair_among_ten_thousand_texts_is_found() -> None:
    draw = random.Random(0)
    words = [chr(0x4E00 + at) for at in range(800)]
    texts = ["".join(draw.choices(words, k=draw.randint(5, 40))) for _ in range(10_000)]
    texts[9_000] = texts[0] + "呀" if len(texts[0]) > 12 else texts[1] + "呀"
    found = near_duplicates(texts, [str(at) for at in range(len(texts))])
    assert any(9_000 in pair[:2] for pair in found)
