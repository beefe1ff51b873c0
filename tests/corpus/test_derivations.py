"""What contradicts its own derivation is found, and what the tables themselves say does not."""

import pytest
from support_derivations import contradictions, undo

from mouse.corpus.derivations import component_fault, doubts
from mouse.corpus.items import CXEI, Components, Derivation
from mouse.corpus.resources import read_table


def item(*steps: Derivation, labels: Components | None = None) -> CXEI:
    text = "".join(step.surface for step in steps)
    return CXEI("x", text, None, labels or Components(None, None, None), None, None, "", "", steps)


def test_equal_surfaces_are_undone_in_turn_and_a_lost_one_is_an_error() -> None:
    steps = [Derivation("4", (), "是", "digit"), Derivation("4", (), "死", "digit")]
    assert undo("4不4", steps) == "是不死"
    with pytest.raises(ValueError, match="does not stand"):
        undo("4不", steps)


@pytest.mark.parametrize(
    ("surface", "chain", "target", "mechanism"),
    [
        ("表", "", "不要", "homophone"),
        ("碧莲", "逼脸", "脸", "homophone"),
        ("🌶️", "辣椒 辣", "了", "image_chain"),
        ("🪿", "鹅", "饿", "image_chain"),
        ("⑧", "八", "不", "digit"),
        ("🔟", "十", "是", "digit"),
        ("8️⃣", "八", "不", "digit"),
        ("９４", "", "就是", "digit"),
        ("ＹＹＤＳ", "", "永远的神", "letter"),
        ("𝓎𝓎𝒹𝓈", "", "永远的神", "letter"),
        ("hún", "", "混", "letter"),
        ("🅱️", "", "逼", "letter"),
        ("弓虽", "", "强", "decomposition"),
        ("彳亍口巴", "", "行吧", "decomposition"),
        ("木目心", "", "想", "decomposition"),
        ("嫑", "", "不要", "decomposition"),
        ("槑", "", "呆", "decomposition"),
        ("🉑", "", "可", "symbol"),
        ("1️⃣", "", "一", "symbol"),
        ("🀄", "", "中", "symbol"),
        ("香🍌", "", "香蕉", "symbol"),
        ("囧", "", "尴尬", "visual_metaphor"),
        ("¿", "", "？", "geometric"),
        ("滚粗克", "", "滚出去", "dialect"),
        ("破防", "", "崩溃", "meme"),
        ("纯纯", "", "纯粹", "meme"),
    ],
)
def test_what_works_as_it_says_is_not_doubted(surface, chain, target, mechanism) -> None:
    assert doubts(item(Derivation(surface, tuple(chain.split()), target, mechanism))) == []


@pytest.mark.parametrize(
    ("surface", "chain", "target", "mechanism", "problem"),
    [
        ("狗", "", "牛", "homophone", "no link"),
        ("🐎", "", "妈", "homophone", "emoji or sign"),
        ("摸鱼", "摸鱼", "偷懒", "homophone", "no link"),
        ("辣", "辣椒 辣", "了", "image_chain", "no emoji"),
        ("🌶️", "", "了", "image_chain", "lacks"),
        ("🌶️", "辣椒", "羡慕", "image_chain", "does not sound"),
        ("四", "", "死", "digit", "no digit"),
        ("永远", "", "永远的神", "letter", "no letter"),
        ("女子", "", "强", "decomposition", "taken apart"),
        ("强", "", "强", "decomposition", "taken apart"),
        ("火", "", "伙", "symbol", "no emoji"),
        ("🐶", "", "舔", "meme", "symbol"),
        ("🐶", "", "舔", "dialect", "symbol"),
        ("艹", "", "操", "meme", "homophone"),
    ],
)
def test_a_step_that_cannot_be_what_it_says_is_doubted(
    surface, chain, target, mechanism, problem
) -> None:
    (found,) = doubts(item(Derivation(surface, tuple(chain.split()), target, mechanism)))
    assert problem in found and mechanism in found and surface in found


def test_components_that_are_not_those_of_the_steps_are_a_fault() -> None:
    step = Derivation("🐶", (), "狗", "symbol")
    assert component_fault(item(step, labels=Components(False, False, True))) == ""
    for labels in (Components(True, False, True), Components(None, True, None)):
        assert "semantic" in component_fault(item(step, labels=labels))
    # What is not said contradicts nothing, with a derivation or without.
    assert component_fault(item(step, labels=Components(None, None, True))) == ""
    assert contradictions(item(labels=Components(True, True, True))) == []


def test_the_tables_pairs_work_as_they_say() -> None:
    rows = [(s, (), t, m) for s, t, m, *_ in read_table("lexicon/memes.tsv") if t != "="]
    rows += [(s, tuple(c.split()), t, m) for t, s, c, m in read_table("synthesis/semantic.tsv")]
    assert len(rows) > 300
    steps = [Derivation(*row) for row in rows]  # type: ignore[arg-type]
    assert [doubt for step in steps for doubt in doubts(item(step))] == []
