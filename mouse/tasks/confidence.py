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
    written = [str(token.get("token", "")) for token in logprobs or ()]
    for name in names if logprobs else ():
        for text, token in zip(written, logprobs or (), strict=True):
            if text.strip() == name:
                same = {text: float(token["logprob"])}
                for other, value in (token.get("top") or {}).items():
                    if str(other).strip() == name:
                        same[str(other)] = float(value)
                return min(1.0, sum(math.exp(value) for value in same.values()))
        if "".join(written).strip() == name:
            return min(1.0, math.exp(sum(float(token["logprob"]) for token in logprobs or ())))
    return None
