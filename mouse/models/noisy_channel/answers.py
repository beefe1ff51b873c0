"""Answers tasks from one decoding by rules, not learned; a task names its rule.

`translate` gives the decoded text, `component` whether the decoding undid that component;
`toxicity` adds the weights of rude words in the decoded text, `intent` those of keywords;
`meaning` and `cloze` compare options by characters and sounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from mouse.contracts import Request
from mouse.corpus.chinese.characters import is_ideograph
from mouse.corpus.chinese.lexicon import weights
from mouse.corpus.items import INTENTS, OPTION_LETTERS
from mouse.corpus.resources import read_table
from mouse.models.noisy_channel.decoder import Decoder
from mouse.models.noisy_channel.language import codes
from mouse.tasks.registry import all_tasks

RUDE_FROM = 0.2
"""Sum of rude weights from which a text is called toxic."""
DEFAULT_INTENT = "Comment"
"""Taken where no keyword speaks: the genre mostly comments."""
BLANK = "____"


class Answerer:
    """Turns a request's payload into an answer's text; deterministic."""

    def __init__(self) -> None:
        self._decoder = Decoder()
        # Several tasks ask about one text, so its decoding is kept for the next of them.
        self._decode = lru_cache(maxsize=4096)(self._decoder.decode)

    def answer(self, request: Request) -> str:
        """The answer in the form the task asks for.

        The task names its rule (`Task.lexicon_rule`). Raises `KeyError` where the payload lacks
        a field, `ValueError` for a task without a rule.
        """
        task = all_tasks().get(request.task)
        rule = RULES.get(task.lexicon_rule) if task else None
        if rule is None:
            raise ValueError(f"the lexicon model has no rule for task {request.task!r}")
        return rule(self, request.payload)

    def _translation(self, payload: Mapping[str, Any]) -> str:
        return self._decode(payload["text"]).text

    def _component(self, payload: Mapping[str, Any]) -> str:
        return str(int(self._decode(payload["text"]).components[payload["component"]]))

    def _toxicity(self, payload: Mapping[str, Any]) -> str:
        """1 where the weights of rude words, longest words first, no overlap, add up to enough."""
        text, total = self._decode(payload["text"]).text, 0.0
        for word, weight in self._rude:
            if found := text.count(word):
                total += weight * found
                text = text.replace(word, "\0")
        return str(int(total >= RUDE_FROM))

    def _intent(self, payload: Mapping[str, Any]) -> str:
        """The intent whose keywords weigh most; the first of `INTENTS` on a tie."""
        text, found = self._decode(payload["text"]).text, dict.fromkeys(INTENTS, 0.0)
        for intent, word, weight in self._keywords:
            if word in text:
                found[intent] += weight
        best = max(INTENTS, key=lambda intent: found[intent])
        return best if found[best] > 0 else DEFAULT_INTENT

    def _meaning(self, payload: Mapping[str, Any]) -> str:
        """Nearest to what is meant, as far as it is not nearest to what is shown.

        A wrong option of this task often takes the surface at its word (🥬 as a vegetable), so
        likeness to the surface spelt out counts against an option.
        """
        text, options = payload["text"], payload["options"]
        meant, shown = self._decode(text).text, self._decoder.spelt_out(text)
        return _best([likeness(meant, option) - likeness(shown, option) for option in options])

    def _cloze(self, payload: Mapping[str, Any]) -> str:
        """Fits if the decoded turn is ordinary language and takes up words of the dialogue."""
        text, options = payload["text"], payload["options"]
        around = payload["context"] + text.replace(BLANK, "\n")
        scores = []
        for option in options:
            filled = self._decode(text.replace(BLANK, option))
            meant = self._decode(option).text
            per_character = filled.cost / max(1, len(filled.text))
            scores.append(likeness(around, meant) - 0.1 * per_character)
        return _best(scores)

    @cached_property
    def _rude(self) -> list[tuple[str, float]]:
        return sorted(weights("rude").items(), key=lambda row: (-len(row[0]), row[0]))

    @cached_property
    def _keywords(self) -> list[tuple[Any, str, float]]:
        return [(row[0], row[1], float(row[2])) for row in read_table("lexicon/intents.tsv")]


RULES: dict[str, Callable[[Answerer, Mapping[str, Any]], str]] = {
    "translate": Answerer._translation,
    "component": Answerer._component,
    "toxicity": Answerer._toxicity,
    "intent": Answerer._intent,
    "meaning": Answerer._meaning,
    "cloze": Answerer._cloze,
}
"""What `Task.lexicon_rule` may name."""


def likeness(left: str, right: str) -> float:
    """How much two texts share, in [0, 1]: mean of the Dice coefficients over characters,
    pairs of characters, and sounds. 0.0 where either has no Chinese character.
    """
    parts = []
    for one, other in zip(_views(left), _views(right), strict=True):
        size = one.total() + other.total()
        parts.append(2 * (one & other).total() / size if size else 0.0)
    return sum(parts) / len(parts)


def _views(text: str) -> tuple[Counter[str], ...]:
    chars = Counter(filter(is_ideograph, text))
    pairs = Counter(a + b for a, b in pairwise(text) if is_ideograph(a) and is_ideograph(b))
    sounds = Counter((codes(char) or (char,))[0] for char in text if is_ideograph(char))
    return chars, pairs, sounds


def _best(scores: Sequence[float]) -> str:
    return OPTION_LETTERS[max(range(len(scores)), key=lambda place: (scores[place], -place))]
