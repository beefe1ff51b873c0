"""Between mouse's words and vLLM's: sampling parameters in, completions out. Pure, no vLLM.

Every sampling parameter is stated, because vLLM's own defaults are 16 tokens at temperature 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mouse.answers.reasoning import split_reasoning
from mouse.contracts import Completion, CompletionError, Request, Usage

EXTRA_SAMPLING = frozenset(
    {"top_k", "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty", "stop"}
    | {"min_tokens", "stop_token_ids"}
)
"""Sampling parameters of vLLM that `model.extra_body` may set beyond those of `Sampling`."""


def sampling_arguments(request: Request, extra: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of `vllm.SamplingParams`, the constraint left out."""
    sampling = request.sampling
    arguments: dict[str, Any] = {
        "n": 1,
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
        "top_p": 1.0 if sampling.top_p is None else sampling.top_p,
        "top_k": 0,
        "min_p": 0.0,
        "seed": sampling.seed,
        "logprobs": sampling.logprobs,
        "repetition_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
    }
    return arguments | dict(extra)


def constraint_arguments(request: Request) -> dict[str, Any] | None:
    """Keyword arguments of `vllm.sampling_params.StructuredOutputsParams`; None for free text."""
    if request.choices:
        return {"choice": list(request.choices)}
    if request.json_schema is not None:
        return {"json": dict(request.json_schema)}
    return None


def logprob_records(
    token_ids: Sequence[int], positions: Sequence[Mapping[int, Any]] | None, top: int
) -> tuple[Mapping[str, Any], ...] | None:
    """vLLM's log-probabilities in the form of `Completion.logprobs`; `top`: how many were asked.

    Under a constraint they are what vLLM samples from, so that they add up to one over the allowed
    tokens; forbidden ones (minus infinity) are left out. Two tokens that read alike (broken pieces
    of a Chinese character) share an entry of `top`, the likelier one's.
    """
    if positions is None:
        return None
    records = []
    for token_id, position in zip(token_ids, positions, strict=False):
        alternatives: dict[str, float] = {}
        # vLLM adds the sampled token to the alternatives even where it is not among the likeliest.
        for other in position.values():
            listed = other.rank is None or other.rank <= top
            if listed and math.isfinite(other.logprob):
                token = other.decoded_token or ""
                known = alternatives.get(token, other.logprob)
                alternatives[token] = float(max(known, other.logprob))
        chosen = position[token_id]
        records.append(
            {
                "token": chosen.decoded_token or "",
                "logprob": float(chosen.logprob),
                "top": alternatives,
            }
        )
    return tuple(records)


def completion(
    request: Request,
    output: Any,
    *,
    model: str,
    latency_s: float,
    opened: bool = False,
    close_ids: frozenset[int] = frozenset(),
) -> Completion:
    """The completion in a finished `vllm.RequestOutput`.

    `latency_s` counts from when the request was handed to vLLM, its queue included. `close_ids`:
    tokens that end reasoning, for the count of reasoning tokens.
    """
    answer = output.outputs[0]
    if answer.finish_reason not in ("stop", "length"):
        problem = CompletionError("server", f"vLLM ended the request: {answer.finish_reason}.")
        return Completion(request.key, error=problem, latency_s=latency_s)
    text, reasoning = split_reasoning(answer.text, opened)
    token_ids = list(answer.token_ids)
    thought = 0
    if reasoning is not None:
        thought = next((i + 1 for i, token in enumerate(token_ids) if token in close_ids), 0)
    return Completion(
        request_key=request.key,
        text=text,
        reasoning=reasoning,
        finish_reason=answer.finish_reason,
        logprobs=logprob_records(
            # A label that is only thought of is no answer, so its probability is none either.
            token_ids[thought:],
            None if answer.logprobs is None else answer.logprobs[thought:],
            request.sampling.logprobs or 0,
        ),
        usage=Usage(
            prompt_tokens=len(output.prompt_token_ids or ()),
            completion_tokens=len(token_ids),
            reasoning_tokens=thought,
            cached_tokens=int(output.num_cached_tokens or 0),
        ),
        latency_s=latency_s,
        model_reported=model,
    )


def too_long(request: Request, prompt_tokens: int, model: str) -> Completion:
    """The completion of a prompt that leaves no room for a single token."""
    return Completion(
        request.key,
        text="",
        finish_reason="context_length",
        usage=Usage(prompt_tokens=prompt_tokens),
        latency_s=0.0,
        model_reported=model,
    )
