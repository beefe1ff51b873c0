"""Synthesized items: undoing the derivation gives the reference, labels follow, nothing repeats."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_derivations import contradictions, undo

from mouse.corpus.chinese.characters import is_han
from mouse.corpus.chinese.lexicon import weights
from mouse.corpus.chinese.readings import readings_in_context, usual_reading
from mouse.corpus.construction.deduplication import duplicates
from mouse.corpus.items import COMPONENTS, Derivation
from mouse.corpus.load import load
from mouse.corpus.resources import read_table
from mouse.corpus.synthesis import substitutes
from mouse.corpus.synthesis.candidates import Candidate, candidates
from mouse.corpus.synthesis.make import Maker, write_out
from mouse.corpus.synthesis.plain import Plain, from_dataset, from_text_file, shipped
from mouse.corpus.synthesis.stream import Seen, Synthesis, synthesize, write_stream
from mouse.dataset import main
from mouse.errors import DataError, UserError

SHIPPED = [plain.text for plain in from_text_file(shipped())()]
KINDS = st.sets(st.sampled_from(COMPONENTS), min_size=1)


def items(n: int, rate: float = 0.3, kinds=COMPONENTS, seed: int = 0, source=None):
    return list(
        synthesize(source or from_text_file(shipped()), n, seed, rate, tuple(kinds), Synthesis())
    )


# --- the property the whole is for


@given(
    st.sampled_from(SHIPPED)
    | st.text("我的狗马吗是四4气七上班偷懒🐶🌶️好女子a1，。 ", min_size=1, max_size=24),
    st.floats(0.01, 1),
    KINDS,
    st.integers(0, 10_000),
)
def test_undoing_gives_the_reference_exactly_and_labels_are_the_kinds_used(
    text, rate, kinds, seed
) -> None:
    item = Maker(rate, sorted(kinds)).make(Plain(text), seed, 0)
    if item is None:
        return
    assert item.reference == text
    assert undo(item.original_text, item.derivation) == text
    assert item.derivation and item.original_text != text
    used = {step.component for step in item.derivation}
    assert used <= kinds
    assert used == {name for name in COMPONENTS if getattr(item.components, name)}
    assert contradictions(item) == []


def test_what_stands_between_surface_and_target_is_the_known_chain() -> None:
    heard = {}
    for item in items(1_500):
        for step in item.derivation:
            by_sound = step.component == "homophonic"
            if step.chain and by_sound and len(step.target) == 1:
                heard[step.chain[-1], step.target] = step
            if step.mechanism == "image_chain":
                assert step.surface in substitutes.emoji_readings()[step.chain[-1]]
    assert len(heard) > 100
    texts = " ".join(SHIPPED)
    for (heard_as, target), _ in heard.items():
        in_context = {
            readings_in_context(text)[at]
            for text in SHIPPED
            for at, char in enumerate(text)
            if char == target
        }
        assert usual_reading(heard_as) in in_context and target in texts


# --- what a substitution may be


def test_homophones_sound_the_same_and_do_not_look_the_same() -> None:
    seen = 0
    for text in SHIPPED[:60]:
        heard = readings_in_context(text)
        assert len(heard) == len(text)
        for c in candidates(text):
            if c.step.component == "homophonic" and not c.step.chain and is_han(c.step.surface):
                if len(c.step.surface) != c.end - c.start:
                    continue
                for own, other in zip(c.step.target, c.step.surface, strict=True):
                    assert own == other or not substitutes.parts_of(own) & substitutes.parts_of(
                        other
                    )
                if len(c.step.surface) == 1:
                    assert usual_reading(c.step.surface) == heard[c.start]
                seen += 1
    assert seen > 500


def test_readings_follow_the_context() -> None:
    assert readings_in_context("银行还行") == ["yin", "hang", "hai", "xing"]
    assert readings_in_context("好🌶️ab") == ["hao", "🌶", "\ufe0f", "a", "b"]


@pytest.mark.parametrize(
    ("text", "surface", "target", "mechanism"),
    [
        ("一条狗", "🐶", "狗", "symbol"),
        ("很好", "女子", "好", "decomposition"),
        ("我想偷懒", "摸鱼", "偷懒", "meme"),
        ("我想偷懒", "🐟", "偷懒", "symbol"),
        ("他没有来", "木有", "没有", "dialect"),
        ("我想死", "4", "死", "digit"),
        ("对不起", "dbq", "对不起", "letter"),
        ("我喜欢你", "稀饭", "喜欢", "dialect"),
        ("我想离开", "润", "离开", "transliteration"),
        ("给我", "莪", "我", "geometric"),
        ("你是人吗", "🐴", "吗", "image_chain"),
        ("我很皮", "🍺", "皮", "image_chain"),
        ("关心你", "❤️", "心", "symbol"),
        ("十个人", "✝️", "十", None),
        ("还没有来", "冇", "没", None),
        ("向右转", "👉", "右", None),
    ],
)
def test_known_substitutions_are_offered(text, surface, target, mechanism) -> None:
    offered = {(c.step.surface, c.step.target, c.step.mechanism) for c in candidates(text)}
    if mechanism:
        assert (surface, target, mechanism) in offered
    else:
        assert not {step for step in offered if step[:2] == (surface, target)}


def test_the_chain_of_a_picture_has_its_whole_name_before_the_short_one() -> None:
    chains = {c.step.surface: c.step.chain for c in candidates("我很皮，是吗，啦")}
    assert (chains["🍺"], chains["🐴"], chains["🌶️"]) == (("啤酒", "啤"), ("马",), ("辣椒", "辣"))


def test_pairs_that_are_no_synonyms_are_not_in_the_tables() -> None:
    wrong = "失望/下头 结婚/上岸 分手/下线 吹牛/画饼 同事/牛马 努力/卷 冷静/🧊 生气/破防 笨/🧠💧"
    for pair in wrong.split():
        target, surface = pair.split("/")
        assert surface not in {e.surface for e in substitutes.phrases().get(target, ())}, pair
    meant = {row[0]: row[1] for row in read_table("lexicon/memes.tsv")}
    assert (meant["zdjd"], meant["zbc"], meant["ky"]) == ("真的假的", "真不错", "没眼色")


def test_no_candidate_brings_in_a_rude_word_by_sound() -> None:
    rude = weights("rude")
    for text in SHIPPED:
        for c in candidates(text):
            if c.step.component == "homophonic" and not c.step.chain and is_han(c.step.surface):
                known = any(word in c.step.target for word in rude)
                assert known or not any(word in c.step.surface for word in rude)


def test_a_surface_that_stands_earlier_by_chance_is_given_up() -> None:
    first = Candidate(3, 4, Derivation("马", (), "妈", "homophone"), 1)
    assert write_out("马上骂妈", [first]) == ("马上骂妈", [])
    other = Candidate(2, 3, Derivation("🐴", ("马",), "骂", "image_chain"), 1)
    # After another substitution the search begins behind it, and 马 is found where it stands.
    assert write_out("马上骂妈", [other, first]) == ("马上🐴马", [other, first])


# --- sets


def test_the_shipped_sentences_are_enough_distinct_and_plain() -> None:
    assert len(SHIPPED) >= 200 and duplicates(SHIPPED) == []
    assert all(6 <= len(text) <= 40 and not text.endswith("。") for text in SHIPPED)
    usable = sum(bool(candidates(text)) for text in SHIPPED)
    assert usable == len(SHIPPED)
    semantic = sum(any(c.step.component == "semantic" for c in candidates(t)) for t in SHIPPED)
    assert semantic >= 60


def test_no_original_stands_twice_and_every_combination_occurs() -> None:
    found = items(3_000, rate=0.15)
    assert len({item.original_text for item in found}) == len({item.id for item in found}) == 3_000
    assert len({item.components for item in found}) == 7
    share = {n: sum(getattr(i.components, n) for i in found) / 3_000 for n in COMPONENTS}
    # A component that nearly every item has, or none, would make its question worthless.
    assert all(0.4 < share[name] < 0.85 for name in COMPONENTS), share


def test_a_higher_rate_substitutes_more_and_one_kind_keeps_to_itself() -> None:
    def changed(rate: float) -> float:
        found = items(400, rate)
        return sum(len(s.target) for i in found for s in i.derivation) / sum(
            len(i.reference or "") for i in found
        )

    low, middle, high = changed(0.05), changed(0.4), changed(1.0)
    assert low < middle < high and high > 0.5
    for kind in COMPONENTS:
        for item in items(60, 0.5, (kind,)):
            assert [n for n in COMPONENTS if getattr(item.components, n)] == [kind]


def test_items_are_the_same_in_another_process(tmp_path: Path) -> None:
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    command = ["synthesize", "--n", "300", "--seed", "7", "--out"]
    assert main([*command, str(here)]) == 0
    subprocess.run(
        [sys.executable, "-m", "mouse.dataset", *command, str(there)],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        stdout=subprocess.DEVNULL,
    )
    written = here.read_bytes()
    assert written == there.read_bytes() and written.count(b"\n") == 300
    other = items(300, seed=8)
    first = [json.loads(line)["original_text"] for line in written.splitlines()]
    assert sum(a == b.original_text for a, b in zip(first, other, strict=True)) < 30


def test_files_are_read_back_item_by_item_with_the_labels_of_their_sentences(
    tmp_path: Path,
) -> None:
    sample = load("sample")
    source = from_dataset(sample)
    path = tmp_path / "cxei.jsonl"
    write_stream(path, source, 400, 3, 0.3, COMPONENTS)
    loaded = load("files", path=path).cxeis
    assert list(loaded) == items(400, 0.3, seed=3, source=source)
    labels = {c.reference: (c.intent, c.toxicity) for c in sample.cxeis}
    assert all(labels[item.reference] == (item.intent, item.toxicity) for item in loaded)
    assert len({item.cluster for item in loaded}) <= len(labels)
    plain = items(5)
    assert {(item.intent, item.toxicity) for item in plain} == {(None, None)}


# --- ends


def test_exhausted_sentences_say_so(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("狗\n", encoding="utf-8")
    source = from_text_file(tmp_path / "one.txt")
    with pytest.raises(UserError, match="different items and no more"):
        items(1_000, source=source)
    (tmp_path / "one.txt").write_text("abc\n\n", encoding="utf-8")
    with pytest.raises(UserError, match="none of the 1 sentences"):
        items(1, source=source)
    (tmp_path / "one.txt").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="no plain sentences"):
        items(1, source=source)


@pytest.mark.parametrize(
    ("n", "rate", "kinds"),
    [
        (0, 0.3, COMPONENTS),
        (1, 0, COMPONENTS),
        (1, 1.1, COMPONENTS),
        (1, 0.3, ()),
        (1, 0.3, ("sound",)),
        (1, float("nan"), COMPONENTS),
    ],
)
def test_wrong_arguments_are_refused(n, rate, kinds) -> None:
    with pytest.raises(UserError, match="expected"):
        items(n, rate, kinds)


def test_a_failed_stream_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes("今天下雨\n".encode() + b"\xff\xfe\n")
    out = tmp_path / "out.jsonl"
    with pytest.raises(DataError, match="row 2"):
        write_stream(out, from_text_file(tmp_path / "bad.txt"), 5, 0, 0.3, COMPONENTS)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.txt"]
    with pytest.raises(UserError, match="JSONL"):
        write_stream(tmp_path / "x.csv", from_text_file(shipped()), 5, 0, 0.3, COMPONENTS)


def test_the_filter_never_calls_a_known_text_new_and_rarely_a_new_one_known() -> None:
    seen = Seen()
    fresh = sum(seen.add(f"t{number}") for number in range(50_000))
    assert fresh >= 49_999
    assert not any(seen.add(f"t{number}") for number in range(50_000))
