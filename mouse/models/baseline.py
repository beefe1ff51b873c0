"""Answers without reading: the chance floor of every metric (scikit-learn's dummy strategies).

`majority` is `DummyClassifier(strategy="most_frequent")`, `stratified` draws labels as often as
the gold labels have them, `uniform` all labels alike. Fitted on the run's own gold labels, as the
papers' majority rows are. A translation has no label: there the baseline copies the input, which
the copy filter scores 0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mouse.contracts import Completion, CompletionError, Request, Usage
from mouse.corpus.items import OPTION_LETTERS
from mouse.models.base import Backend, BackendContext, BackendSpec
from mouse.models.config import ModelConfig
from mouse.tasks.registry import get_task


class Strategy(StrEnum):
    majority = "majority"
    stratified = "stratified"
    uniform = "uniform"


@dataclass
class BaselineConfig(ModelConfig):
    """A baseline that reads nothing."""

    backend: str = "baseline"
    strategy: Strategy = Strategy.majority
    """`majority`: the commonest gold label; `stratified`: labels as often as in the gold labels;
    `uniform`: all labels alike."""


def spec(config: BaselineConfig, context: BackendContext) -> BackendSpec:
    """The specification, with the gold labels that the baseline is fitted on."""
    counts = {
        key: dict(sorted((str(label), int(n)) for label, n in labels.items()))
        for key, labels in sorted(context.label_counts.items())
    }
    fitted = {
        "strategy": config.strategy.value,
        "label_counts": counts,
        "seed": 0 if config.strategy is Strategy.majority else context.seed,
    }
    return BackendSpec(
        target="mouse.models.baseline:Baseline",
        options=fitted,
        identity={"backend": "baseline", **fitted},
        cacheable=False,
    )


class Baseline(Backend):
    """Draws a label a request: a function of seed, item, task, variant and repeat alone."""

    def __init__(
        self, strategy: str, label_counts: Mapping[str, Mapping[str, int]], seed: int
    ) -> None:
        self._strategy = strategy
        self._counts = label_counts
        self._seed = seed

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Completion:
        if get_task(request.task).kind == "text":
            text = str(request.payload.get("text", ""))
        else:
            weights = self.weights(request)
            if not weights:
                error = CompletionError(
                    "internal",
                    f"No gold labels of {request.task} to fit the baseline on, and no options.",
                )
                return Completion(request.key, error=error)
            text = self._label(weights, request)
        return Completion(
            request.key,
            text=text,
            finish_reason="stop",
            usage=Usage(estimated=True),
            latency_s=0.0,
            model_reported=f"baseline-{self._strategy}",
        )

    def weights(self, request: Request) -> dict[str, float]:
        """Label → weight for this request, only labels that the request offers; sorted by label.

        Counts of `task/variant` are taken before those of `task`. Letters follow the options
        shown; a label never seen among the gold labels has weight 0, except for `uniform`,
        which, like scikit-learn's, draws among the labels seen (or the letters shown).
        """
        key = f"{request.task}/{request.variant}"
        counts = self._counts.get(key) or self._counts.get(request.task) or {}
        options = request.payload.get("options")
        if options:
            letters = OPTION_LETTERS[: len(options)]
            if self._strategy == "uniform" or not any(counts.get(c) for c in letters):
                return dict.fromkeys(letters, 1.0)
            counts = {letter: counts[letter] for letter in letters if counts.get(letter)}
        seen = {label: float(n) for label, n in sorted(counts.items()) if n > 0}
        return dict.fromkeys(seen, 1.0) if self._strategy == "uniform" else seen

    def _label(self, weights: Mapping[str, float], request: Request) -> str:
        if self._strategy == "majority":
            # Ties go to the first label in order, as in scikit-learn.
            return max(weights, key=lambda label: weights[label])
        place = self._draw(request) * sum(weights.values())
        for label, weight in weights.items():
            place -= weight
            if place < 0:
                return label
        return list(weights)[-1]

    def _draw(self, request: Request) -> float:
        """A number in [0, 1) that no order, worker or restart can change."""
        identity = "\x1f".join(
            (str(self._seed), request.item_id, request.task, request.variant, str(request.repeat))
        )
        digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:7], "big") / 2.0**56
