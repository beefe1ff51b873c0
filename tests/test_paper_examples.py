"""The paper's own examples: the rules give each of them the paper's label."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support_derivations import contradictions, undo

from mouse.contracts import Request
from mouse.corpus.items import COMPONENTS, CXEI, Components
from mouse.corpus.labels import components_of
from mouse.corpus.load import load
from mouse.models.noisy_channel.answers import Answerer
from mouse.prompts import __file__ as prompts

FILE = Path(__file__).parents[1] / "data" / "paper" / "examples.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").split("\n") if line]
ITEMS = {item.id: item for item in load("files", path=FILE).cxeis}

# What the paper's Tables 1 and 2 print in the column of components.
PRINTED = {
    "主包": {"homophonic"},
    "91安🀄上": {"homophonic"},
    "彳亍口巴": {"visual"},
    "我扬了你🦴灰": {"visual"},
    "¿ e u a m i u on h s i u": {"visual"},
    "踩到🍌皮": {"semantic"},
    "滚粗克": {"semantic"},
    "小🔥汁你⑧要命🌶️": {"homophonic"},
    "宁可真是个小🧠👻": {"homophonic", "visual", "semantic"},
}


def named(components: Components) -> set[str]:
    return {name for name in COMPONENTS if getattr(components, name)}


@pytest.mark.parametrize(("text", "components"), PRINTED.items())
def test_the_rules_give_the_label_that_the_paper_prints(text: str, components: set[str]) -> None:
    (item,) = [item for item in ITEMS.values() if item.original_text == text]
    assert components_of(step.mechanism for step in item.derivation) == components
    assert named(item.components) == components


@pytest.mark.parametrize("item", ITEMS.values(), ids=lambda item: item.id)
def test_every_derivation_gives_the_standard_chinese_and_holds(item: CXEI) -> None:
    assert undo(item.original_text, item.derivation) == item.reference
    assert contradictions(item) == []
    assert not item.open_case


def test_every_row_of_the_three_tables_is_there() -> None:
    tables = [row["source"].rpartition(", ")[2] for row in ROWS]
    assert [tables.count(name) for name in ("Table 1", "Table 2", "Table 7")] == [7, 1, 7]
    assert all(sign in row["original_text"] for row in ROWS for sign in row["reconstructed"])


def test_table_2_is_a_comment_and_not_toxic() -> None:
    item = ITEMS["p08"]
    assert (item.intent, item.toxicity) == ("Comment", 0)
    chains = [(step.surface, step.chain, step.target) for step in item.derivation]
    assert ("🌶️", ("辣椒", "辣"), "了") in chains and ("⑧", ("八",), "不") in chains


def test_none_of_them_is_an_example_in_the_prompts_or_a_row_of_the_sample() -> None:
    sample = load("sample")
    texts = {item.original_text for item in sample.cxeis}
    assert not texts & {row["original_text"] for row in ROWS if len(row["original_text"]) > 4}
    for file in Path(prompts).parent.glob("*/*.txt"):
        said = file.read_text(encoding="utf-8")
        assert not any(row["original_text"] in said for row in ROWS), file


NOT_LABELLED = {
    "91安🀄上": "91 is read as 就要, 🀄 as 中",
    "我扬了你🦴灰": "decoded, but a bone read as 骨 is a symbol by rule 1; the paper's label differs",
    "小🔥汁你⑧要命🌶️": "🔥 is taken at its word, not heard as 伙",
    "宁可真是个小🧠👻": "🧠 is read as 脑, for the word it makes with 小",
    "🐷包快点开播了": "🐷 is taken at its word, not heard as 主",
}
"""Examples whose components the lexicon model gets wrong, and why."""


def test_the_lexicon_model_labels_the_others_as_they_are() -> None:
    answerer = Answerer()

    def answers(text: str) -> set[str]:
        payloads = {c: {"text": text, "component": c} for c in COMPONENTS}
        requests = {c: Request("", "x", "rc", c, 0, (), payload=p) for c, p in payloads.items()}
        return {c for c, request in requests.items() if answerer.answer(request) == "1"}

    wrong = {
        item.original_text
        for item in ITEMS.values()
        if answers(item.original_text) != named(item.components)
    }
    assert wrong == NOT_LABELLED.keys()
