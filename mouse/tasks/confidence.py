"""The probability that a model gave its answer, from the log-probabilities of its tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any


def confidence(names: Sequence[str], logprobs: Sequence[Mapping[str, Any]] | None) -> float | None:
    """Probability of the predicted label, in [0, 1]; None where it cannot be told.

    `names`: what the label may be written as (`Comment`, 评价); the first that was written counts.

    `logprobs` is `Completion.logprobs`. Where one generated token is the label (up to white space),
    the alternatives at that place that are the label too count with it (`B` and ` B`). Where the
    whole answer is the label in several tokens, it is the product of their probabilities.
    """
    for name in names if logprobs else ():
        found = _probability(name, logprobs or ())
        if found is not None:
            return found
    return None


def _probability(predicted: str, logprobs: Sequence[Mapping[str, Any]]) -> float | None:
    for token in logprobs:
        if str(token.get("token", "")).strip() == predicted:
            same = {str(token["token"]): float(token["logprob"])}
            for other, value in (token.get("top") or {}).items():
                if str(other).strip() == predicted:
                    same[str(other)] = float(value)
            return min(1.0, sum(math.exp(value) for value in same.values()))
    if "".join(str(token.get("token", "")) for token in logprobs).strip() == predicted:
        return min(1.0, math.exp(sum(float(token["logprob"]) for token in logprobs)))
    return None
