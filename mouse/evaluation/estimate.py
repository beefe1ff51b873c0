"""What a run would ask, how many tokens that is, and what it would cost: nothing is sent.

Tokens are counted with the model's own tokenizer where it is a local folder; otherwise they are
estimated, and the estimate says so.
"""

from __future__ import annotations

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
    """What `evaluate` would ask, and an estimate of its cost; nothing is started or sent.

    Reads every prompt once and keeps none.
    """
    config.check()
    plan, judge = plan_run(config), config.judge
    model = priced(config.model, config.engine)
    calls = (len(judge.members) + (judge.model is not None)) * judge.repeats
    rated = [p.prediction(judge.copy_threshold).outcome for p in rated_to_judge(judge, plan)]
    count, method = token_counter(model)
    cached = cache(count)  # system messages and examples recur in thousands of requests
    requests = prompt = expected = 0
    judged = calls * rated.count(Outcome.VALID)
    for request in plan.requests():
        requests += 1
        prompt += sum(cached(message.content) + OVERHEAD_TOKENS for message in request.messages)
        answer = 5
        if get_task(request.task).judged:
            judged += calls
            answer = count(str(request.payload["text"]))
        expected += min(plan.sampling.max_tokens, answer)
    limit = requests * plan.sampling.max_tokens
    seconds, basis = _seconds(requests, prompt + expected, model)
    return plan, Estimate(
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
