"""The dummy baselines behave as scikit-learn's do, and draw the same whatever the order."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from omegaconf.errors import ValidationError
from sklearn.dummy import DummyClassifier
from support_models import spec_of

from mouse.contracts import Completion, Request
from mouse.models.base import BackendContext
from mouse.models.baseline import BaselineConfig

COUNTS = {"td": {"0": 600, "1": 400}, "rc/visual": {"1": 5, "0": 2}, "ms": {"B": 3, "A": 3, "C": 1}}


def request(task: str, item: int | str = 0, variant: str = "", **payload: Any) -> Request:
    return Request(f"{task}-{item}-{variant}", str(item), task, variant, 0, (), payload=payload)


def ask(strategy: str, requests: list[Request], seed: int = 1, counts: Any = None) -> list[Any]:
    context = BackendContext(label_counts=COUNTS if counts is None else counts, seed=seed)
    backend = spec_of(BaselineConfig, context, strategy=strategy).build()
    completions: list[Completion] = asyncio.run(backend.complete(requests))  # type: ignore[arg-type]
    assert [c.request_key for c in completions] == [r.key for r in requests]
    return [c.text if c.error is None else c.error for c in completions]


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9), min_size=1))
def test_majority_is_most_frequent(counts: dict[str, int]) -> None:
    gold = np.array([label for label, n in counts.items() for _ in range(n)])
    dummy = DummyClassifier(strategy="most_frequent").fit(np.zeros((len(gold), 1)), gold)
    expected = dummy.predict(np.zeros((1, 1)))[0]
    assert ask("majority", [request("ir")], counts={"ir": counts}) == [expected]


def test_counts_of_the_variant_go_before_those_of_the_task() -> None:
    assert ask("majority", [request("rc", variant="visual")]) == ["1"]


@pytest.mark.parametrize(("strategy", "share"), [("stratified", 0.4), ("uniform", 0.5)])
def test_draws_follow_the_strategy(strategy: str, share: float) -> None:
    drawn = Counter(ask(strategy, [request("td", item) for item in range(4000)]))
    assert set(drawn) == {"0", "1"}
    # Four standard errors of a share over 4,000 draws.
    assert drawn["1"] / 4000 == pytest.approx(share, abs=4 * (0.25 / 4000) ** 0.5)


def test_a_draw_depends_on_seed_and_item_and_not_on_order() -> None:
    requests = [request("td", item) for item in range(200)]
    forward = ask("stratified", requests)
    assert forward == ask("stratified", requests[::-1])[::-1]
    assert forward != ask("stratified", requests, seed=2)


def test_letters_are_those_shown() -> None:
    two = [request("ms", item, options=["x", "y"]) for item in range(100)]
    assert set(ask("uniform", two)) == {"A", "B"}
    assert ask("majority", two[:1]) == ["A"]
    five = [request("ms", item, options=list("vwxyz")) for item in range(200)]
    assert set(ask("uniform", five)) == set("ABCDE")
    assert set(ask("stratified", five)) == set("ABC")


def test_a_translation_is_the_input() -> None:
    assert ask("majority", [request("tr", text=" 太🐂🍺了 ")]) == [" 太🐂🍺了 "]


def test_no_labels_is_an_error_of_the_request() -> None:
    (error,) = ask("majority", [request("ir")], counts={})
    assert error.kind == "internal"


def test_an_unknown_strategy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValidationError, match="majority, stratified, uniform"):
        spec_of(BaselineConfig, strategy="mean")
