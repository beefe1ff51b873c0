"""JSON rows come with their line or place, and what is not JSON is refused with its line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.corpus.reading.json_rows import parse, rows_of_lines, sections_of
from mouse.corpus.reading.raw import ReadingError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def test_lines_are_counted_as_an_editor_does() -> None:
    text = '{"a": 1}\n\n  {"a": "\u2028"}\r\n{"a": 2\n'
    rows = list(rows_of_lines(text))
    assert rows[:2] == [(1, {"a": 1}), (3, {"a": "\u2028"})]
    assert isinstance(rows[2][1], ReadingError)
    assert rows[2][0] == rows[2][1].line == 4


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1, "a": 2}', "[" * 100_000, "{}{}", "x"])
def test_what_json_does_not_allow_is_refused(text: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        parse(text)
    (row,) = rows_of_lines(text)
    assert isinstance(row[1], ReadingError)


def test_rows_of_a_list_know_their_places() -> None:
    text = '\n[\n  {"a": 1},\n  {"a":\n 2}, {"a": 3}\n]\n'
    assert list(sections_of(text)) == [("", [(1, {"a": 1}), (2, {"a": 2}), (3, {"a": 3})])]


def test_an_object_gives_its_lists_as_sections_and_other_values_as_they_are() -> None:
    text = '{"cxeis": [{"a": 1}],\n "ms": [],\n "version": {"x": [1]}\n}'
    assert list(sections_of(text)) == [
        ("cxeis", [(1, {"a": 1})]),
        ("ms", []),
        ("version", {"x": [1]}),
    ]


@given(st.lists(JSON), st.sampled_from([None, 1, 2]))
def test_a_list_is_read_as_the_json_module_reads_it(rows: list, indent: int | None) -> None:
    text = json.dumps(rows, indent=indent)
    ((section, found),) = sections_of(text)
    assert section == ""
    assert [value for _, value in found] == rows


@given(st.dictionaries(st.text(), st.lists(JSON)), st.sampled_from([None, 1]))
def test_an_object_is_read_as_the_json_module_reads_it(content: dict, indent: int | None) -> None:
    found = dict(sections_of(json.dumps(content, indent=indent)))
    assert {name: [value for _, value in rows] for name, rows in found.items()} == content


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("3", 1),
        ("", 1),
        ('[\n{"a": 1},\n{"a" 2}]', 3),
        ('[\n{"a": 1}\n{"a": 2}]', 3),
        ("[1]\n[2]", 2),
        ('{"a": [1],\n"a": [2]}', 1),
        ("{\n3: []}", 2),
        ('{"a"\n[]}', 2),
        ("[1,\n", 2),
    ],
)
def test_a_broken_document_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ReadingError) as caught:
        list(sections_of(text))
    assert caught.value.line == line
