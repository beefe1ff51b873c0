"""A budget stops a run before it is exceeded, whatever the answers turn out to cost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mouse.config.schema import BudgetConfig
from mouse.contracts import Completion, Message, Request, Sampling, Usage
from mouse.engine.inline import InlineEngine
from mouse.errors import UserError
from mouse.evaluation.budget import Budget
from mouse.evaluation.usage import dollars
from mouse.models.api.config import OpenAIChatConfig
from mouse.models.base import BackendSpec
from mouse.models.config import Price

PRICE = Price(input=2.0, output=10.0)


class Spender:
    """Answers with as many tokens as it is told to, within what a real server could use."""

    def __init__(self, shares: Sequence[float]) -> None:
        self._shares = shares
        self._calls = 0

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        done = []
        for request in requests:
            share = self._shares[self._calls % len(self._shares)]
            self._calls += 1
            prompt = sum(len(message.content.encode()) for message in request.messages)
            usage = Usage(round(prompt * share), round(request.sampling.max_tokens * share))
            done.append(Completion(request.key, text="1", finish_reason="stop", usage=usage))
        return done

    def close(self) -> None:
        return None


def spec(shares: Sequence[float]) -> BackendSpec:
    return BackendSpec(
        f"{__name__}:Spender", {"shares": shares}, {"backend": "spender"}, chunk_size=4
    )


def ask(number: int) -> Request:
    messages = (Message("user", f"第{number}句" * 20),)
    return Request("", f"i{number}", "td", "", 0, messages, Sampling(max_tokens=128))


def run(config: BudgetConfig, shares: Sequence[float], monkeypatch, n: int = 60):
    """(completions, dollars spent) of n requests under a budget."""
    model = OpenAIChatConfig(name="m", price=PRICE)
    budget = Budget(config, {"model": model})
    built = spec(shares)
    monkeypatch.setattr(BackendSpec, "build", lambda self: Spender(**self.options))
    with InlineEngine(admit=budget.admit) as engine:
        budget.watch(engine)
        engine.open("model", built)
        engine.submit("model", (ask(i) for i in range(n)))
        completions = [completion for _, _, completion in engine.results()]
        stats = engine.stats_of("model")
    return completions, dollars(PRICE, stats.prompt_tokens, stats.completion_tokens)


@settings(max_examples=25)
@given(
    usd=st.floats(0, 0.2),
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=5),
)
def test_dollars_are_never_exceeded_and_nothing_is_lost(usd, shares):
    with pytest.MonkeyPatch.context() as patch:
        completions, spent = run(BudgetConfig(usd=usd), shares, patch)
    assert spent <= usd + 1e-12
    assert len(completions) == 60
    refused = [c for c in completions if c.error is not None]
    assert all(c.error.kind == "budget" for c in refused)


def test_the_budget_is_used_up_to_one_request(monkeypatch):
    worst = 60 * 3 * 3.2e-6 + 128 * 10e-6
    completions, spent = run(BudgetConfig(usd=0.05), [0.1], monkeypatch, n=1000)
    assert 0.05 - worst - 0.001 < spent <= 0.05
    assert any(c.error is not None for c in completions)


def test_requests_are_counted_exactly(monkeypatch):
    completions, _ = run(BudgetConfig(requests=17), [1.0], monkeypatch)
    assert sum(completion.error is None for completion in completions) == 17


def test_a_dollar_budget_without_a_price_is_refused():
    model = OpenAIChatConfig(name="m")
    with pytest.raises(UserError, match=r"budget\.usd needs the price of model 'm'"):
        Budget(BudgetConfig(usd=1.0), {"model": model})
