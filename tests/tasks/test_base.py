"""What all six tasks ask: whom, how often, with which examples, and never with the gold answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from mouse.contracts import Request, Sampling
from mouse.corpus.items import Dataset
from mouse.corpus.labels import INTENT_ZH
from mouse.errors import UserError
from mouse.tasks.prompts import PromptSet
from mouse.tasks.registry import get_task, parse_tasks, task_codes


def ask(code: str, dataset: Dataset, prompts: PromptSet, **options: Any) -> list[Request]:
    task = get_task(code)
    items, _ = task.items(dataset)
    return list(task.requests(items, prompts, sampling=Sampling(), **{"pool": items, **options}))


@pytest.mark.parametrize(
    ("code", "asked", "left_out", "requests"),
    [
        ("tr", 25, 1, 25),
        ("rc", 25, 1, 24 * 3 + 2),
        ("ir", 24, 2, 24),
        ("td", 24, 2, 24),
        ("ms", 10, 0, 10),
        ("cc", 10, 0, 10),
    ],
)
def test_items_without_a_gold_answer_are_counted_and_not_asked(
    dataset: Dataset, prompts: PromptSet, code: str, asked: int, left_out: int, requests: int
) -> None:
    items, missing = get_task(code).items(dataset)
    assert (len(items), missing) == (asked, left_out)
    assert len(ask(code, dataset, prompts)) == requests


def test_a_component_that_is_not_stated_is_not_asked(dataset: Dataset, prompts: PromptSet) -> None:
    part = [r.variant for r in ask("rc", dataset, prompts) if r.item_id == "part"]
    assert part == ["homophonic", "semantic"]


@pytest.mark.parametrize("code", task_codes())
def test_the_gold_answer_is_a_label_and_stays_at_home(
    dataset: Dataset, prompts: PromptSet, code: str
) -> None:
    task = get_task(code)
    items, _ = task.items(dataset)
    by_id = {item.id: item for item in items}
    for request in ask(code, dataset, prompts):
        item = by_id[request.item_id]
        gold = task.gold(item, request.variant)
        if code == "tr":
            assert gold == item.reference
            assert all(gold not in message.content for message in request.messages)
        else:
            assert gold in task.labels(item)
        allowed = {"text", "component", "context", "options"}
        assert set(request.payload) <= allowed
        assert gold not in [value for key, value in request.payload.items() if key != "options"]


def test_payloads_are_what_backends_that_do_not_read_prose_expect(
    dataset: Dataset, prompts: PromptSet
) -> None:
    first = {code: ask(code, dataset, prompts)[0].payload for code in task_codes()}
    assert first["tr"] == first["ir"] == first["td"] == {"text": "原文0🌶️"}
    assert first["rc"] == {"text": "原文0🌶️", "component": "homophonic"}
    assert first["ms"] == {"text": "原文0", "options": ["选项文00", "选项文01", "选项文02"]}
    assert first["cc"] == {"context": "甲：你好0", **first["ms"], "text": "今天____0"}


@pytest.mark.parametrize("code", task_codes())
@pytest.mark.parametrize("shots", [0, 3])
def test_the_item_comes_last_and_what_comes_first_is_common(
    dataset: Dataset, prompts: PromptSet, code: str, shots: int
) -> None:
    requests = ask(code, dataset, prompts, shots=shots)
    for variant in get_task(code).variants:
        systems = {r.messages[0].content for r in requests if r.variant == variant}
        assert len(systems) == 1
    for request in requests:
        roles = [message.role for message in request.messages]
        assert roles == ["system", *["user", "assistant"] * shots, "user"]
        assert request.payload["text"] in request.messages[-1].content
    if shots:
        # All but the examples and their clusters (at most two items each) see the same examples.
        variant = get_task(code).variants[0]
        heads = Counter(r.messages[:-1] for r in requests if r.variant == variant)
        assert heads.most_common(1)[0][1] >= heads.total() - 2 * shots


def test_options_are_lettered_as_many_as_there_are(dataset: Dataset, prompts: PromptSet) -> None:
    requests = ask("ms", dataset, prompts, decoding="choice")
    assert requests[2].choices == ("A", "B", "C", "D", "E")
    assert requests[2].messages[-1].content.endswith("D. 选项文23\nE. 选项文24")


@pytest.mark.parametrize("code", task_codes())
def test_decoding_sets_the_constraint_and_the_instruction(
    dataset: Dataset, prompts: PromptSet, code: str
) -> None:
    task = get_task(code)
    item = task.items(dataset)[0][0]
    labels = task.labels(item)
    free, choice, json = (
        ask(code, dataset, prompts, decoding=decoding)[0] for decoding in ("free", "choice", "json")
    )
    assert (free.choices, free.json_schema) == ((), None)
    if code == "ir" and prompts.name == "zh":
        labels = tuple(INTENT_ZH[label] for label in labels)
    assert (choice.choices, choice.json_schema) == (labels, None)
    assert choice.messages == free.messages
    assert json.json_schema is not None and json.choices == ()
    assert json.json_schema["properties"]["answer"].get("enum", []) == list(labels)
    assert "JSON" in json.messages[0].content and "JSON" not in free.messages[0].content


def test_repeats_are_told_apart_by_their_number_alone(dataset: Dataset, prompts: PromptSet) -> None:
    first, second = ask("td", dataset, prompts, repeats=2)[:2]
    assert (first.repeat, second.repeat) == (0, 1)
    assert replace(second, repeat=0) == first


def test_examples_are_never_the_item_its_cluster_or_its_text(
    dataset: Dataset, prompts: PromptSet
) -> None:
    # Neighbours share a cluster; the last ten repeat the texts of the first ten.
    pool = [
        replace(cxei, id=f"i{n}", original_text=f"第{n % 14:02d}句", group=f"g{n // 2}")
        for n, cxei in enumerate(dataset.cxeis[:24])
    ]
    clusters: dict[str, set[str]] = {}
    for item in pool:
        clusters.setdefault(item.original_text, set()).add(item.cluster)
    by_id = {item.id: item for item in pool}
    for request in ask("td", Dataset("pairs", tuple(pool)), prompts, shots=5):
        item = by_id[request.item_id]
        shown = [
            next(text for text in clusters if message.content.endswith(text))
            for message in request.messages[1:-1:2]
        ]
        assert len(set(shown)) == 5
        assert item.original_text not in shown
        assert all(clusters[text] - {item.cluster} for text in shown)


def test_examples_show_every_label_and_their_own_answer(
    dataset: Dataset, prompts: PromptSet
) -> None:
    by_text = {cxei.original_text: cxei for cxei in dataset.cxeis}
    for request in ask("td", dataset, prompts, shots=4):
        turns = request.messages[1:-1]
        pairs = list(zip(turns[::2], turns[1::2], strict=True))
        for question, answer in pairs:
            text = max((t for t in by_text if question.content.endswith(t)), key=len)
            assert answer.content == str(by_text[text].toxicity)
        assert {answer.content for _, answer in pairs} == {"0", "1"}


def test_examples_follow_the_seed(dataset: Dataset, prompts: PromptSet) -> None:
    again = [ask("ir", dataset, prompts, shots=2, seed=seed) for seed in (1, 1, 2)]
    assert again[0] == again[1] != again[2]


def test_examples_answer_in_json_when_json_is_asked(dataset: Dataset, prompts: PromptSet) -> None:
    request = ask("ms", dataset, prompts, shots=1, decoding="json")[0]
    assert request.messages[2].content in [f'{{"answer": "{letter}"}}' for letter in "ABC"]


def test_examples_may_come_from_items_that_are_not_asked(
    dataset: Dataset, prompts: PromptSet
) -> None:
    task = get_task("td")
    items, _ = task.items(dataset)
    [request] = task.requests(items[:1], prompts, sampling=Sampling(), shots=4, pool=items)
    assert len(request.messages) == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shots": 25}, "there are 24: lower prompt.shots"),
        ({"shots": 2, "pool": ()}, "more in prompt.shots_from"),
        ({"shots": -1}, "prompt.shots=-1"),
        ({"repeats": 0}, "repeats=0"),
        ({"decoding": "beam"}, "free, choice or json"),
    ],
)
def test_mistakes_are_told_before_the_first_request(
    dataset: Dataset, prompts: PromptSet, options: dict[str, Any], message: str
) -> None:
    task = get_task("td")
    items, _ = task.items(dataset)
    with pytest.raises(UserError, match=message):
        task.requests(items, prompts, sampling=Sampling(), **{"pool": items, **options})


@pytest.mark.parametrize(
    ("value", "codes"),
    [
        ("all", list(task_codes())),
        ("td", ["td"]),
        ("td, CC", ["td", "cc"]),
        (["td", "tr", "td"], ["td", "tr"]),
        (["td,cc", "all"], ["td", "cc", "tr", "rc", "ir", "ms"]),
    ],
)
def test_task_codes_are_read_in_the_order_given(value: Any, codes: list[str]) -> None:
    assert parse_tasks(value) == codes


@pytest.mark.parametrize("value", ["", "toxic", ["td", "x"], []])
def test_an_unknown_task_is_refused_with_the_six(value: Any) -> None:
    with pytest.raises(UserError, match=r"tr .*rc .*ir .*td .*ms .*cc "):
        parse_tasks(value)
    with pytest.raises(UserError, match="toxicity"):
        get_task("toxic")


def test_examples_do_not_go_with_a_prompt_that_asks_to_think(dataset: Dataset) -> None:
    with pytest.raises(UserError, match=r"prompt\.shots=2 does not go with .* td\.txt"):
        ask("td", dataset, PromptSet.load("cot"), shots=2)
    assert all(request.steps for request in ask("td", dataset, PromptSet.load("cot")))
    assert not any(request.steps for request in ask("td", dataset, PromptSet.load("zh")))
