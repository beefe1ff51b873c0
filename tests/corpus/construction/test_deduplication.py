"""What stays is unlike everything else that stays; what goes is like something that stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.corpus.construction.deduplication import duplicates, fold_text
from mouse.corpus.near_duplicates import near_duplicates

LONG = "这关是不是有点太难了我卡了整整三天还没过去"


def test_the_first_stays_and_reasons_are_named() -> None:
    texts = ["快更新！", "快更新！", "快 更新!", LONG, LONG[:-1], "别的"]
    found = {d.index: (d.kept, d.reason) for d in duplicates(texts)}
    assert found == {
        1: (0, "same text"),
        2: (0, "same but for width, case, spaces and punctuation"),
        4: (3, "near-duplicate"),
    }


def test_a_manual_text_stays_before_a_raw_one() -> None:
    found = duplicates([LONG, LONG + "啊", "别的"], [False, True, False])
    assert [(d.index, d.kept) for d in found] == [(0, 1)]


def test_emoji_and_tones_of_writing_are_not_folded_away() -> None:
    assert duplicates(["好🌶️", "好🌶️🌶️", "好", "！！", "？？"]) == []
    assert fold_text("！！") == "！！"


def test_a_chain_of_small_changes_does_not_swallow_what_is_far_apart() -> None:
    a = "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸"
    b = a[:-2]
    c = a[2:-2] + "子"
    pairs = {(i, j) for i, j, _ in near_duplicates([b, a, c], ["0", "1", "2"])}
    assert (0, 1) in pairs and (1, 2) not in pairs
    assert 2 not in {d.index for d in duplicates([b, a, c], threshold=0.95)}


@pytest.mark.parametrize("threshold", [0.8, 1.1])
def test_a_threshold_that_cannot_be_kept_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        duplicates(["a", "b"], threshold=threshold)


@given(st.lists(st.text("甲乙丙丁！ ", min_size=1, max_size=14), max_size=25), st.randoms())
def test_kept_texts_are_unlike_and_removed_ones_have_a_kept_one(texts, random) -> None:
    preferred = [random.random() < 0.3 for _ in texts]
    found = duplicates(texts, preferred)
    gone = {d.index for d in found}
    kept = [at for at in range(len(texts)) if at not in gone]
    assert all(d.kept in kept for d in found)
    assert len({fold_text(texts[at]) for at in kept}) == len(kept)
    assert near_duplicates([texts[at] for at in kept], [str(at) for at in kept]) == []
