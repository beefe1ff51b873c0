"""Stops a run before it exceeds `budget.usd` or `budget.requests`.

Each request is admitted as it is about to be sent. Dollars are held to what can be proved
beforehand: a prompt has at most as many tokens as its UTF-8 has bytes, an answer at most
`max_tokens`. While requests are out their worst case counts as spent; when that alone stands in
the way, the next one waits for them to come back, and is refused only if it still does not fit.
What the vendor bills for an attempt that failed is not known to us and not counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from mouse.config.schema import BudgetConfig
from mouse.contracts import CompletionError, Request
from mouse.engine.dispatch import Engine
from mouse.errors import UserError
from mouse.evaluation.usage import dollars
from mouse.models.config import ModelConfig, Price

MESSAGE_BYTES = 16
"""Role markers and separators of one message, in tokens, generously."""


class Budget:
    """The `admit` of an engine. `models`: pool name → the model asked there."""

    def __init__(self, config: BudgetConfig, models: Mapping[str, ModelConfig]) -> None:
        """Raises `UserError` where dollars are limited and a model has no price."""
        self._usd = config.usd
        self._requests = config.requests
        self._prices: dict[str, Price] = {pool: model.price for pool, model in models.items()}
        self._admitted = 0
        self._worst: dict[str, float] = {}
        if config.usd is None:
            return
        for model in models.values():
            if model.paid and (model.price.input is None or model.price.output is None):
                raise UserError(
                    f"budget.usd needs the price of model {model.name!r}: set model.price.input "
                    "and model.price.output (US dollars per million tokens)."
                )

    def watch(self, engine: Engine) -> None:
        """The engine whose counts are the spending; called once before the first request."""
        self._engine = engine

    def admit(self, pool: str, request: Request) -> CompletionError | Literal["hold"] | None:
        """None to send it, `hold` to wait for what is out, an error to refuse it for good."""
        if self._requests is not None and self._admitted >= self._requests:
            return CompletionError(
                "budget", f"Not asked: budget.requests={self._requests} are spent."
            )
        if self._usd is not None:
            worst = self._worst_case(pool, request)
            spent, out = self._spending()
            if spent + worst > self._usd:
                return CompletionError(
                    "budget",
                    f"Not asked: ${spent:.4f} of budget.usd={self._usd:g} are spent, and this "
                    f"request may cost ${worst:.4f}.",
                )
            if spent + out + worst > self._usd:
                return "hold"
        self._admitted += 1
        return None

    def _worst_case(self, pool: str, request: Request) -> float:
        prompt = sum(
            len(message.content.encode("utf-8", "surrogatepass")) + MESSAGE_BYTES
            for message in request.messages
        )
        cost = dollars(self._prices[pool], prompt, request.sampling.max_tokens)
        cost = 0.0 if math.isnan(cost) else cost  # a local model: its tokens cost nothing
        self._worst[pool] = max(self._worst.get(pool, 0.0), cost)
        return cost

    def _spending(self) -> tuple[float, float]:
        """(paid so far, worst case of what is out), in dollars."""
        paid = out = 0.0
        for pool, price in self._prices.items():
            stats = self._engine.stats_of(pool)
            cost = dollars(price, stats.prompt_tokens, stats.completion_tokens, stats.cached_tokens)
            paid += 0.0 if math.isnan(cost) else cost
            out += stats.in_flight * self._worst.get(pool, 0.0)
        return paid, out
