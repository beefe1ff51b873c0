"""What a run would ask, how many tokens that is, and what it would cost: nothing is sent.

Tokens are counted with the model's own tokenizer where it is at hand (a local model folder, or
tiktoken with its tables cached); otherwise they are estimated, and the estimate says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mouse.config.schema import RunConfig
from mouse.contracts import Outcome
from mouse.evaluation.asking import rated_to_judge
from mouse.evaluation.plan import Plan, plan_run
from mouse.evaluation.usage import dollars, priced
from mouse.models.config import ModelConfig
from mouse.tasks.registry import get_task

OVERHEAD_TOKENS = 4
"""Role markers and separators of one chat message, as OpenAI documents them."""

SECONDS_A_REQUEST = 1.0
"""Latency assumed where nothing is known: a short answer of a hosted model."""

Counter = Callable[[str], int]


@dataclass(frozen=True)
class Estimate:
    """Of one run. Tokens: `prompt_tokens` in all, `output_limit` at most; dollars NaN if unpriced.

    `expected_output` assumes labels of five tokens and translations as long as their originals.
    """

    requests: int
    judge_requests: int
    prompt_tokens: int
    expected_output: int
    output_limit: int
    method: str
    expected_usd: float
    limit_usd: float
    seconds: float
    seconds_basis: str


def dry_run(config: RunConfig) -> tuple[Plan, Estimate]:
    """What `evaluate` would ask, and an estimate of its cost; nothing is started or sent."""
    config.check()
    plan = plan_run(config)
    judge = config.judge
    calls = (len(judge.members) + (judge.model is not None)) * judge.repeats
    pairs = rated_to_judge(judge, plan)
    rated = [pair.prediction(judge.copy_threshold).outcome for pair in pairs]
    return plan, estimate(
        plan, priced(config.model, config.engine), calls, calls * rated.count(Outcome.VALID)
    )


def estimate(
    plan: Plan, model: ModelConfig, judge_calls_a_translation: int, judge_checks: int = 0
) -> Estimate:
    """Count a plan's requests and tokens. Reads every prompt once and keeps none.

    `judge_checks`: calls of the judge about translations whose ratings are known.
    """
    count, method = token_counter(model)
    cached = cache(count)  # system messages and examples recur in thousands of requests
    requests = prompt = expected = 0
    judged = judge_checks
    for request in plan.requests():
        requests += 1
        prompt += sum(cached(message.content) + OVERHEAD_TOKENS for message in request.messages)
        if get_task(request.task).judged:
            judged += judge_calls_a_translation
            expected += min(plan.sampling.max_tokens, count(str(request.payload["text"])))
        else:
            expected += min(plan.sampling.max_tokens, 5)
    limit = requests * plan.sampling.max_tokens
    seconds, basis = _seconds(requests, prompt + expected, model)
    return Estimate(
        requests=requests,
        judge_requests=judged,
        prompt_tokens=prompt,
        expected_output=expected,
        output_limit=limit,
        method=method,
        expected_usd=dollars(model.price, prompt, expected),
        limit_usd=dollars(model.price, prompt, limit),
        seconds=seconds,
        seconds_basis=basis,
    )


def token_counter(model: ModelConfig) -> tuple[Counter, str]:
    """(text → tokens, how it counts)."""
    if model.id and Path(model.id).is_dir():
        try:
            from transformers import AutoTokenizer

            tokenizer = AutoTokenizer.from_pretrained(model.id)
            return lambda text: len(tokenizer.encode(text)), "the model's own tokenizer"
        except (ImportError, OSError, ValueError):
            pass
    if model.family == "gpt" and os.environ.get("TIKTOKEN_CACHE_DIR"):
        try:
            import tiktoken

            encoding = tiktoken.get_encoding("o200k_base")
            return lambda text: len(encoding.encode(text, disallowed_special=())), "tiktoken o200k"
        except Exception:  # tiktoken fetches its tables, which a dry run must not depend on
            pass
    return rough_tokens, "estimated from characters (no tokenizer of this model at hand)"


def rough_tokens(text: str) -> int:
    """Tokens by character class: Han 0.8, ASCII 0.25, other (emoji, full-width) 2 a character."""
    tokens = 0.0
    for character in text:
        if character < "\x80":
            tokens += 0.25
        elif "\u3000" <= character <= "\u9fff":
            tokens += 0.8
        else:
            tokens += 2.0
    return round(tokens + 0.5)


def _seconds(requests: int, tokens: int, model: ModelConfig) -> tuple[float, str]:
    limits = model.assumed_limits()
    candidates = [
        (
            requests * SECONDS_A_REQUEST / limits.max_in_flight,
            f"{SECONDS_A_REQUEST:g} s a request at {limits.max_in_flight} in flight (assumed)",
        )
    ]
    for limit, asked, what in (
        (limits.requests_per_minute, requests, "requests"),
        (limits.tokens_per_minute, tokens, "tokens"),
    ):
        if limit:
            candidates.append((60 * asked / limit, f"the configured {what} a minute"))
    return max(candidates)
