"""Headers of both languages find their fields, and the user's word goes over the defaults."""

import pytest

from mouse.corpus.reading.columns import CHOICE_HEADERS, CXEI_HEADERS, ColumnMap
from mouse.errors import UserError


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (
            ["编号", "原文", "译文", "成分", "意图", "是否有毒"],
            ["id", "original_text", "reference", "components", "intent", "toxicity"],
        ),
        (
            ["ID", "Original Text", "Reference", "is_homophonic", "Visual", "语义"],
            ["id", "original_text", "reference", "homophonic", "visual", "semantic"],
        ),
        (["content", "toxic"], ["original_text", "toxicity"]),
        (["抽象话", "释义", "毒性"], ["original_text", "reference", "toxicity"]),
    ],
)
def test_headers_of_a_cxei_table(headers: list[str], expected: list[str]) -> None:
    columns = ColumnMap()
    assert columns.kind(headers) == "cxei"
    resolved = columns.resolve("cxei", headers)
    assert resolved.headers == dict(zip(expected, headers, strict=True))
    assert resolved.unknown == () and resolved.problems == ()


@pytest.mark.parametrize(
    "headers",
    [
        ["题干", "选项A", "选项B", "选项C", "选项D", "答案"],
        ["text", "option_a", "option_b", "option_c", "option_d", "answer"],
        ["question", "A", "B", "C", "D", "label"],
        ["text", "Ａ", "Ｂ", "Ｃ", "Ｄ", "gold"],
        ["text", "选项1", "选项2", "选项3", "选项4", "gold"],
    ],
)
def test_headers_of_a_choice_table(headers: list[str]) -> None:
    columns = ColumnMap()
    assert columns.kind(headers) == "choice"
    expected = ["text", "option_a", "option_b", "option_c", "option_d", "answer"]
    assert columns.resolve("choice", headers).headers == dict(zip(expected, headers, strict=True))


@pytest.mark.parametrize("known", [CXEI_HEADERS, CHOICE_HEADERS])
def test_no_header_means_two_fields(known: dict) -> None:
    kind = "cxei" if known is CXEI_HEADERS else "choice"
    for field, headers in known.items():
        for header in headers:
            assert ColumnMap().resolve(kind, [header]).headers == {field: header}


def test_the_users_word_goes_first() -> None:
    columns = ColumnMap({"original_text": "备注", "reference": "原文"})
    resolved = columns.resolve("cxei", ["原文", "备注", "意图"])
    assert resolved.headers == {"original_text": "备注", "reference": "原文", "intent": "意图"}


def test_an_empty_header_leaves_a_field_unread() -> None:
    resolved = ColumnMap({"context": ""}).resolve("choice", ["text", "context"])
    assert resolved.headers == {"text": "text"}
    assert resolved.unknown == ("context",)


def test_two_headers_for_one_field_are_a_problem_unless_one_is_the_fields_name() -> None:
    resolved = ColumnMap().resolve("cxei", ["原文", "文本"])
    assert resolved.problems[0][0] == "original_text"
    assert "columns.original_text" in resolved.problems[0][1]
    resolved = ColumnMap().resolve("cxei", ["text", "original_text"])
    assert resolved.headers == {"original_text": "original_text"}
    assert resolved.unknown == ("text",) and resolved.problems == ()


def test_an_unknown_field_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"columns\.orignal_text.*original_text"):
        ColumnMap({"orignal_text": "x"})


def test_a_header_that_no_table_has_is_refused_with_those_there_are() -> None:
    columns = ColumnMap({"original_text": "抽象"})
    columns.check_used([["a"], ["抽象"]])
    with pytest.raises(UserError, match=r"columns\.original_text=抽象.*原文, 意图"):
        columns.check_used([["原文", "意图"]])
