"""What a run used: tokens, dollars, attempts and latency.

Two questions are kept apart: what this run paid for (its own calls), and what all its answers
cost whenever they were asked (the stored ones included), which is what models are compared by.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field, replace

from mouse.contracts import Completion
from mouse.engine.config import EngineConfig
from mouse.engine.stats import EngineStats
from mouse.models.config import ModelConfig, Price

COUNTED = (
    "requests", "cache_hits", "asked", "attempts", "restarts", "prompt_tokens",
    "completion_tokens", "reasoning_tokens", "cached_tokens",
)  # fmt: skip
"""Counts of a pool of workers that a run logs by the same names."""


def dollars(price: Price, prompt: float, completion: float, cached: float = 0) -> float:
    """US dollars for these tokens; NaN where the price is not known and tokens were used.

    `cached`: the part of the prompt that the vendor's cache served, at its own price if it has one.
    """
    if not prompt and not completion:
        return 0.0
    if price.input is None or price.output is None:
        return math.nan
    cheaper = cached if price.cached_input is not None else 0
    paid = (prompt - cheaper) * price.input + cheaper * (price.cached_input or 0.0)
    return (paid + completion * price.output) / 1e6


def priced(model: ModelConfig, engine: EngineConfig) -> ModelConfig:
    """`model` at the prices of its vendor's batch endpoint, where that is what will be asked."""
    if engine.mode.value != "batch":
        return model
    share = 1 - model.price.batch_discount

    def cheaper(price: float | None) -> float | None:
        return None if price is None else price * share

    price = replace(
        model.price,
        input=cheaper(model.price.input),
        output=cheaper(model.price.output),
        cached_input=cheaper(model.price.cached_input),
    )
    return replace(model, price=price)


@dataclass
class UsageMeter:
    """Sums over the answers of one model, fresh and stored alike."""

    price: Price
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    answers: int = 0
    latencies: array[float] = field(default_factory=lambda: array("d"))

    def add(self, completion: Completion) -> None:
        if completion.error is not None:
            return
        self.answers += 1
        if completion.latency_s is not None:
            self.latencies.append(completion.latency_s)
        if completion.usage is not None:
            self.prompt_tokens += completion.usage.prompt_tokens
            self.completion_tokens += completion.usage.completion_tokens
            self.cached_tokens += completion.usage.cached_tokens

    def paid(self, stats: EngineStats) -> float:
        """US dollars of this run's own calls so far."""
        return dollars(
            self.price, stats.prompt_tokens, stats.completion_tokens, stats.cached_tokens
        )

    def summary(self, stats: EngineStats) -> dict[str, float]:
        """Totals by the names that MLflow shows under `usage/`; latencies in seconds."""
        ordered = sorted(self.latencies)

        def percentile(share: float) -> float:
            if not ordered:
                return math.nan
            return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]

        return {
            **{name: getattr(stats, name) for name in COUNTED},
            "cost_usd": self.paid(stats),
            "answers_prompt_tokens": self.prompt_tokens,
            "answers_completion_tokens": self.completion_tokens,
            "answers_cost_usd": dollars(
                self.price, self.prompt_tokens, self.completion_tokens, self.cached_tokens
            ),
            "latency_p50_s": percentile(0.5),
            "latency_p95_s": percentile(0.95),
            "latency_p99_s": percentile(0.99),
        }
