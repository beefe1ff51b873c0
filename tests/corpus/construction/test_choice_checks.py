"""Planted giveaways are found, clean sets stay quiet, and p-values hold their level."""

import random

import pytest

from mouse.corpus.construction.choice_checks import check_choices, without_questions
from mouse.corpus.construction.choice_cues import OPTIONS_ONLY, QUESTION_CUE, picks
from mouse.corpus.items import OPTION_LETTERS, ChoiceItem, Dataset
from mouse.corpus.load import load
from mouse.corpus.write import write

WORDS = "天地人和山水风云日月星辰花鸟鱼虫金木火土东西南北春夏秋冬"


def words(chance: random.Random, size: int) -> str:
    return "".join(chance.choice(WORDS) for _ in range(size))


def dataset(n: int, seed: int, plant=None, question: str = "一句话", answers=OPTION_LETTERS[:4]):
    """Items with random options of 4 to 8 characters; `plant` makes the right one special."""
    chance = random.Random(seed)
    items = []
    for number in range(n):
        options = [words(chance, chance.randint(4, 8)) for _ in range(4)]
        answer = chance.choice(answers)
        if plant:
            at = OPTION_LETTERS.index(answer)
            options[at] = plant(options[at], chance)
        items.append(
            ChoiceItem(f"m{number}", "ms", "", question + str(number), tuple(options), answer)
        )
    return Dataset("x", choices=tuple(items))


def pick(name: str, *options: str, text: str = "问", context: str = ""):
    return picks(ChoiceItem("i", "cc" if context else "ms", context, text, options, "A"))[name]


@pytest.mark.parametrize(
    ("cue", "options", "picked"),
    [
        ("longest", ("一", "二二", "三"), 1),
        ("longest", ("一一", "二二", "三"), None),
        ("shortest", ("一一", "二二", "三"), 2),
        ("only one with punctuation", ("一", "二，二", "三"), 1),
        ("only one with punctuation", ("一，", "二，二", "三"), None),
        ("only one without punctuation", ("一，", "二，", "三"), 2),
        ("only one that ends with punctuation", ("一，一", "二。", "三"), 1),
        ("only one with letters or digits", ("一", "b", "三"), 1),
        ("only one with an emoji", ("一", "二", "🌶️"), 2),
        ("only one without an emoji", ("🐎", "二", "🌶️"), 1),
        ("least like the other options", ("甲乙丙丁", "甲乙丙戊", "山水"), 2),
        ("most like the other options", ("甲乙丙丁", "甲乙丙戊", "甲乙己丁"), 0),
    ],
)
def test_cues(cue: str, options: tuple[str, ...], picked: int | None) -> None:
    assert pick(cue, *options) == picked


def test_sharing_characters_with_the_question_leaves_out_what_all_options_share() -> None:
    assert pick(QUESTION_CUE, "我去爬山", "我睡觉", "我吃饭", text="我周末爬山") == 0
    assert pick(QUESTION_CUE, "我去", "我来", "我吃", text="我周末爬山") is None
    assert pick(QUESTION_CUE, "听雨", "看花", text="____", context="甲：花开了") == 1


def test_a_cue_never_looks_at_the_answer() -> None:
    items = dataset(30, 0).choices
    for item in items:
        others = [ChoiceItem(item.id, "ms", "", item.text, item.options, a) for a in "ABCD"]
        assert all(picks(other) == picks(item) for other in others)


PLANTS = {
    "longest": lambda text, chance: text + words(chance, 6),
    "only one with punctuation": lambda text, chance: text[:2] + "，" + text[2:],
    "only one with an emoji": lambda text, chance: text + "🌶️",
}


@pytest.mark.parametrize("cue", PLANTS)
def test_a_planted_giveaway_is_found_as_a_cue_by_the_reader_and_in_the_items(cue: str) -> None:
    (checks,) = check_choices(dataset(60, 1, PLANTS[cue]), permutations=300)
    planted = next(result for result in checks.cues if result.cue == cue)
    assert planted.right == planted.picks >= 55 and planted.p_holm < 1e-9
    assert any(cue in finding for finding in checks.findings)
    assert checks.options_only.accuracy > 0.9 and checks.options_only.p <= 1 / 301
    assert len({found.item_id for found in checks.items}) >= 40


def test_clean_sets_are_called_biased_as_rarely_as_the_level_says() -> None:
    cues = readers = positions = 0
    trials = 60
    for seed in range(trials):
        (checks,) = check_choices(dataset(40, seed), permutations=99, seed=seed)
        cues += min(c.p_holm for c in checks.cues if c.picks) < 0.05
        readers += checks.options_only.p <= 0.05
        positions += checks.position_p <= 0.05
    # 5% asked for, 3 expected; nine or more would happen in 3 of 1,000 honest programs.
    assert max(cues, readers, positions) <= 8


def test_positions_are_tested() -> None:
    (checks,) = check_choices(dataset(40, 0, answers="AAAB"), permutations=999)
    assert checks.position_p < 0.01 and checks.positions["C"] == 0
    assert any("position" in finding for finding in checks.findings)


def test_twins_are_named() -> None:
    items = (
        ChoiceItem("a", "ms", "", "问", ("他今天没有来上班呢", "他今天没有来上班呀", "别的"), "C"),
        ChoiceItem("b", "ms", "", "问", ("好的", "好 的！", "别的"), "C"),
    )
    (checks,) = check_choices(Dataset("x", choices=items), permutations=9)
    problems = {found.item_id: found.problem for found in checks.items if "equal" in found.problem}
    assert problems["b"].startswith("options A and B are nearly equal")
    assert set(problems) == {"b"} or problems["a"].startswith("options A and B")


def test_hidden_questions_keep_options_and_answers_and_can_be_loaded(tmp_path) -> None:
    sample = load("sample")
    hidden = without_questions(sample)
    write(hidden, tmp_path, "jsonl")
    loaded = load("files", path=tmp_path)
    assert [(i.id, i.task, i.options, i.answer) for i in loaded.choices] == [
        (i.id, i.task, i.options, i.answer) for i in sample.choices
    ]
    assert len({i.text for i in loaded.choices}) == 2 and {i.context for i in loaded.choices} == {
        ""
    }


def test_all_cues_are_checked() -> None:
    (checks,) = check_choices(dataset(5, 0), permutations=9)
    assert [cue.cue for cue in checks.cues] == [*OPTIONS_ONLY, QUESTION_CUE]
