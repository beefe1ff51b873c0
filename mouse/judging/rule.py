"""The rule judge: scores a translation by its substituted spans, without a model.

A stand-in for development and tests. It sees characters, not meaning: a paraphrase is a loss to
it. Its scores are not comparable to an LLM judge's, nor to the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mouse.contracts import Completion, Prediction, Request, Verdict
from mouse.corpus.items import CXEI
from mouse.judging.base import Judge, Judgement
from mouse.judging.config import JudgeConfig
from mouse.models.config import ModelConfig
from mouse.scoring.align import comparable, differences, found_in

VERSION = "1"

RECOVERED = 0.5
"""Share of a span's characters that must be found for the span to count as recovered."""
KEPT = 0.3
"""Share of the other characters that must be found: low, since a good translation rewords."""
SPANS_FOR_PARTIAL = 0.5
"""Share of the spans that must be recovered for a score of 1."""


def score_spans(original: str, reference: str, answer: str) -> tuple[int, str]:
    """(0, 1 or 2; why) for one translation; the same for the same three strings always.

    The reference is aligned with the original; its characters without a counterpart form the
    *substituted spans*, the rest is *kept text*. A span is recovered if at least half of its
    characters stand at their place in the answer (alignment of reference and answer) or the span
    occurs in the answer as it is.

    - 2: every span is recovered;
    - 1: at least half of the spans are;
    - 0: else, and always for an empty answer or where less than 30% of the kept text is there.

    An answer that equals the reference (`align.comparable`) scores 2, also where the original
    needed no change.
    """
    left, wanted, given = comparable(original), comparable(reference), comparable(answer)
    if not given:
        return 0, "empty answer"
    if given == wanted:
        return 2, "equals the reference"
    found = found_in(wanted, given)
    substituted = [False] * len(wanted)
    recovered = spans = 0
    for span in differences(left, wanted):
        place = slice(span.right_start, span.right_end)
        meant = wanted[place]
        if not meant:
            continue
        substituted[place] = [True] * len(meant)
        spans += 1
        recovered += sum(found[place]) >= RECOVERED * len(meant) or meant in given
    rest = [f for f, s in zip(found, substituted, strict=True) if not s]
    kept = sum(rest) / len(rest) if rest else 1.0
    share = recovered / spans if spans else 1.0
    why = f"{recovered} of {spans} substituted spans recovered, {kept:.0%} of the rest kept"
    if kept < KEPT or share < SPANS_FOR_PARTIAL:
        return 0, why
    return (2 if share == 1.0 else 1), why


class RuleJudge(Judge):
    """Scores by whether the substituted spans were recovered."""

    kinds = ("rule",)
    name = "rule"
    identity: Mapping[str, object] = {"judge": "rule", "version": VERSION}
    note = (
        "judge=rule is a deterministic stand-in: its translation scores are not comparable to "
        "those of an LLM judge, nor to the paper's"
    )

    @classmethod
    def from_config(cls, config: JudgeConfig, model: ModelConfig) -> RuleJudge:
        return cls()

    def score(
        self,
        item: CXEI,
        prediction: Prediction,
        answers: Sequence[tuple[Request, Completion]],
    ) -> Judgement:
        points, why = score_spans(
            item.original_text, item.reference or "", prediction.predicted or ""
        )
        return Judgement(
            Verdict(prediction.item_id, points, self.name, "judged", why, prediction.repeat)
        )
