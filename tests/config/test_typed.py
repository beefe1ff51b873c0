"""What a person types on a command line, read as a value; entries put together to a mapping."""

from __future__ import annotations

import pytest

from mouse.config.typed import merged, read_typed, typed_mapping


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("test", "test"),
        ("1", 1),
        ("-1.5", -1.5),
        ("007", "007"),
        ("1_000", "1_000"),
        ("2024-01-01", "2024-01-01"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("off", "off"),
        ("", ""),
        ("x: y", "x: y"),
        ("- x", "- x"),
        ("# x", "# x"),
        ("[a, 2, no]", ["a", 2, "no"]),
        ("{hate: 1, 冒犯: 1}", {"hate": 1, "冒犯": 1}),
        ("{hate:1,冒犯:0}", {"hate": 1, "冒犯": 0}),
        ("{a:b: 1}", {"a:b": 1}),
        ("{1: 1, off: 0, null: null}", {"1": 1, "off": 0, "null": None}),
        ("{split: [dev, test], ok: false}", {"split": ["dev", "test"], "ok": False}),
        ("'标注'", "标注"),
        ("[unclosed", "[unclosed"),
        ("{a: &b", "{a: &b"),
        ("[*alias]", "[*alias]"),
        ("[!!python/name:os.system x]", ["x"]),
    ],
)
def test_a_value_is_read_as_typed(text: str, value: object) -> None:
    found = read_typed(text)
    assert found == value and type(found) is type(value)


def test_entries_make_one_mapping_in_their_order() -> None:
    entries = [
        ("", {"toxicity": {"hate": 1}}),
        ("toxicity.v1.0", 0),
        ("intent", {"吐槽": "Comment"}),
    ]
    assert typed_mapping("labels", entries) == {
        "toxicity": {"hate": 1, "v1.0": 0},
        "intent": {"吐槽": "Comment"},
    }
    assert typed_mapping("where", [("meta.lang", "zh"), ("meta.lang", "en")]) == {"meta.lang": "en"}
    with pytest.raises(ValueError, match="expected a mapping"):
        typed_mapping("where", [("", ["a"])])


def test_merging_changes_neither_mapping() -> None:
    first, then = {"a": {"x": 1}, "b": 1}, {"a": {"y": 2}, "b": {"z": 3}}
    assert merged(first, then) == {"a": {"x": 1, "y": 2}, "b": {"z": 3}}
    assert first == {"a": {"x": 1}, "b": 1} and then == {"a": {"y": 2}, "b": {"z": 3}}
