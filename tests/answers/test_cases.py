"""Every case of data/answer_cases/cases.jsonl is read as it says."""

import json
from collections import Counter
from pathlib import Path

import pytest

from mouse.answers.read import read_answer
from mouse.answers.types import LabelSet
from mouse.tasks.registry import get_task, task_codes

PATH = Path(__file__).parents[2] / "data" / "answer_cases" / "cases.jsonl"
CASES = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def label_set(case: dict) -> LabelSet:
    if case["kind"] == "letter":
        return LabelSet.letters(case["options"])
    return get_task(case["task"]).label_set()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict) -> None:
    answer = read_answer(
        case["text"],
        kind=case["kind"],
        labels=label_set(case),
        finish_reason=case["finish_reason"],
        prompt=case.get("prompt"),
        reasoning=case.get("reasoning"),
    )
    assert (answer.outcome.value, answer.value) == (case["outcome"], case["expected"]), (
        f"{case['text']!r}: {case['why']} (note: {answer.note})"
    )


def test_the_table_is_large_and_covers_every_task_and_outcome() -> None:
    assert len(CASES) >= 300
    assert Counter(case["task"] for case in CASES).keys() == set(task_codes())
    assert min(Counter(case["task"] for case in CASES).values()) >= 30
    assert {case["outcome"] for case in CASES} == {
        "valid", "refusal", "unparseable", "truncated", "content_filtered"
    }  # fmt: skip


def test_case_ids_are_unique_and_expectations_consistent() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES)
    for case in CASES:
        assert (case["expected"] is not None) == (case["outcome"] == "valid"), case["id"]
        assert case["why"]
