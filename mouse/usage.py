"""What a run used: tokens, dollars, attempts and latency, summed as completions arrive."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mouse.contracts import Completion

if TYPE_CHECKING:
    from mouse.config import Price


def cost(completion: Completion, price: Price) -> float:
    """US dollars of one completion; NaN without a price; 0 where the server counted nothing."""
    if completion.usage is None:
        return 0.0
    if price.input is None or price.output is None:
        return math.nan
    usage = completion.usage
    cached = usage.cached_tokens if price.cached_input is not None else 0
    dollars = (usage.prompt_tokens - cached) * price.input
    dollars += cached * (price.cached_input or 0.0)
    return (dollars + usage.completion_tokens * price.output) / 1e6


@dataclass
class UsageMeter:
    """Sums over completions. What the store answered costs nothing and is counted apart."""

    price: Price
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_prompt_tokens: int = 0
    cost_usd: float = 0.0
    stored_cost_usd: float = 0.0
    """What the answers taken from the store had cost when they were asked."""
    attempts: int = 0
    completions: int = 0
    latencies: array[float] = field(default_factory=lambda: array("d"))

    def add(self, completion: Completion, *, from_store: bool) -> None:
        self.completions += 1
        if from_store:
            self.stored_cost_usd += cost(completion, self.price)
            return
        self.attempts += completion.attempts
        self.cost_usd += cost(completion, self.price)
        if completion.latency_s is not None and completion.error is None:
            self.latencies.append(completion.latency_s)
        if completion.usage is not None:
            self.prompt_tokens += completion.usage.prompt_tokens
            self.completion_tokens += completion.usage.completion_tokens
            self.reasoning_tokens += completion.usage.reasoning_tokens
            self.cached_prompt_tokens += completion.usage.cached_tokens

    def summary(self) -> dict[str, float]:
        """Totals by the names that MLflow shows under `usage/`; latencies in seconds."""
        ordered = sorted(self.latencies)

        def percentile(share: float) -> float:
            if not ordered:
                return math.nan
            return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]

        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "reasoning_tokens": self.reasoning_tokens,
            "cached_prompt_tokens": self.cached_prompt_tokens,
            "cost_usd": self.cost_usd,
            "stored_cost_usd": self.stored_cost_usd,
            "attempts": self.attempts,
            "latency_p50_s": percentile(0.5),
            "latency_p95_s": percentile(0.95),
            "latency_p99_s": percentile(0.99),
        }
