"""Cells are read as labels in the spellings of both languages, and refused with what is expected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.corpus.items import COMPONENTS, INTENTS, Components, Derivation
from mouse.corpus.labels import (
    COMPONENT_SYNONYMS,
    COMPONENT_ZH,
    INTENT_SYNONYMS,
    INTENT_ZH,
)
from mouse.corpus.reading import values

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@pytest.mark.parametrize(
    "value",
    [
        True,
        1,
        1.0,
        "1",
        "1.0",
        "１",
        "是",
        "有",
        "有毒",
        "TRUE",
        "True",
        " yes ",
        "y",
        "toxic",
        "✓",
    ],
)
def test_yes(value: object) -> None:
    assert values.flag(value) is True


@pytest.mark.parametrize(
    "value",
    [
        False,
        0,
        0.0,
        "0",
        "0.0",
        "０",
        "否",
        "无",
        "无毒",
        "FALSE",
        "no",
        "N",
        "non-toxic",
        "Non toxic",
        "×",
    ],
)
def test_no(value: object) -> None:
    assert values.flag(value) is False


@pytest.mark.parametrize("value", [None, ""])
def test_an_empty_cell_is_no_label(value: object) -> None:
    assert values.flag(value) is None
    assert values.intent(value) is None
    assert values.components(value) == Components(None, None, None)
    assert values.derivation(value) == ()


@pytest.mark.parametrize("value", [2, -1, 0.5, "2", "maybe", "不知道", " ", [], {}, "None"])
def test_what_is_neither_yes_nor_no_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="expected 0 or 1"):
        values.flag(value)


def test_every_name_of_an_intent_is_read_and_none_names_two() -> None:
    seen: dict[str, str] = {}
    for label in INTENTS:
        for name in {label, INTENT_ZH[label], *INTENT_SYNONYMS[label]}:
            for spelling in (name, name.upper(), f" {name} "):
                assert values.intent(spelling) == label
            assert seen.setdefault(values.fold(name), label) == label


def test_every_name_of_a_component_is_read_and_none_names_two() -> None:
    seen: dict[str, str] = {}
    for label in COMPONENTS:
        for name in {label, COMPONENT_ZH[label], *COMPONENT_SYNONYMS[label]}:
            expected = Components(*(other == label for other in COMPONENTS))
            assert values.components(name) == values.components([name]) == expected
            assert seen.setdefault(values.fold(name), label) == label


def test_intents_of_both_languages_and_loose_spelling() -> None:
    assert values.intent("HUMOR AND MEMES") == values.intent("幽默与梗") == "Humor & Memes"
    assert values.intent("emotional_expression") == values.intent("情绪 表达")
    assert values.intent("Others.") == "Others"


def test_what_explains_an_intent_in_parentheses_need_not_be_known() -> None:
    assert values.intent("情绪表达（开心、难过等）") == "Emotional Expression"
    assert values.intent("一般陈述（General Statement）") == "General Statement"
    assert values.intent("Comment (e.g., complaint, praise)") == "Comment"
    with pytest.raises(ValueError, match="unknown intent"):
        values.intent("愤怒（评价）")


@pytest.mark.parametrize("value", ["愤怒", "9", 3, ["Comment"], "Comment, Urging"])
def test_an_unknown_intent_is_refused_with_the_known_ones(value: object) -> None:
    with pytest.raises(ValueError, match="Urging \\(催促\\)"):
        values.intent(value)


@pytest.mark.parametrize("separator", [*"、,，;；/|+＋&\n", " 和 ", " ", "， "])
def test_labels_in_one_cell_may_be_separated_in_any_usual_way(separator: str) -> None:
    assert values.components(f"谐音{separator}视觉") == Components(True, True, False)
    assert values.components(f"Semantic{separator}visual") == Components(False, True, True)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('["谐音", "semantic"]', Components(True, False, True)),
        (["visual"], Components(False, True, False)),
        ([], Components(False, False, False)),
        ("[]", Components(False, False, False)),
        ("['谐音', '视觉']", Components(True, True, False)),
        ("无", Components(False, False, False)),
        ("None", Components(False, False, False)),
        ({"homophonic": True, "visual": 0, "语义": "是"}, Components(True, False, True)),
        ({"homophonic": None, "visual": True}, Components(None, True, None)),
        ('{"谐音": "否"}', Components(False, None, None)),
    ],
)
def test_components_as_lists_and_flags(value: object, expected: Components) -> None:
    assert values.components(value) == expected


@pytest.mark.parametrize(
    "value",
    ["拼音", "谐音、拼音", ["谐音", 3], {"谐音": "maybe"}, {"x": 1}, 3, "[谐音]", "、", " "],
)
def test_other_components_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"expected|JSON"):
        values.components(value)


def test_one_component_given_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="given twice"):
        values.components({"谐音": 1, "homophonic": 0})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", "b"], ("a", "b")),
        ('["一", " 二 "]', ("一", " 二 ")),
        ("['一', \"二'\"]", ("一", "二'")),
        ("A. 一\nB. 二\nC. 三", ("一", "二", "三")),
        ("Ａ、一\r\nＢ、二", ("一", "二")),
        ("一\n二\n", ("一", "二")),
        ("A. 一\nC. 二", ("A. 一", "C. 二")),
    ],
)
def test_options(value: object, expected: tuple[str, ...]) -> None:
    assert values.options(value) == expected


@pytest.mark.parametrize("value", [3, {"A": "x"}, [1, 2], ["a", None], "[1"])
def test_options_that_are_not_a_list_of_text_are_refused(value: object) -> None:
    with pytest.raises(ValueError):
        values.options(value)


@pytest.mark.parametrize(
    "value", ["B", "b", "Ｂ", "(B)", "（Ｂ）", "选项B", "Option b", "B.", " B、", "二"]
)
def test_the_answer_is_a_letter_or_the_option_itself(value: str) -> None:
    assert values.answer(value, ("一", "二", "三")) == "B"


@pytest.mark.parametrize("value", ["D", "H", "I", "", None, 1, "1", "AB", "四", "A, B"])
def test_an_answer_that_names_no_option_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        values.answer(value, ("一", "二", "三"))


def test_a_letter_goes_before_an_option_that_spells_one() -> None:
    assert values.answer("A", ("B", "A")) == "A"


STEP = {"surface": "🌶️", "chain": ["辣"], "target": "那", "mechanism": "image_chain"}


def test_a_derivation_is_read_from_a_list_and_from_json() -> None:
    expected = (Derivation("🌶️", ("辣",), "那", "image_chain"),)
    assert values.derivation([STEP]) == expected
    text = '[{"surface": "🌶️", "chain": ["辣"], "target": "那", "mechanism": "image_chain"}]'
    assert values.derivation(text) == expected


@pytest.mark.parametrize(
    "change",
    [
        {"surface": ""},
        {"target": 1},
        {"chain": "辣"},
        {"chain": [1]},
        {"mechanism": ""},
        {"mechanism": ["symbol"]},
    ],
)
def test_a_wrong_derivation_is_refused(change: dict) -> None:
    with pytest.raises(ValueError):
        values.derivation([{**STEP, **change}])
    with pytest.raises(ValueError, match="step 1 needs"):
        values.derivation([{"surface": "x"}])


@given(ANYTHING)
def test_no_value_makes_a_reader_fail_otherwise_than_by_refusing(value: object) -> None:
    for read in (
        values.flag,
        values.intent,
        values.components,
        values.options,
        values.derivation,
        lambda given: values.answer(given, ("x", "y")),
    ):
        try:
            read(value)
        except ValueError as error:
            assert str(error)
