"""Judges that ask no model: the rule judge, and none at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mouse.contracts import Completion, Prediction, Request, Verdict
from mouse.corpus.items import CXEI
from mouse.judging.base import Judgement, unjudged
from mouse.judging.rule import VERSION, score
from mouse.models.base import BackendSpec


class OfflineRuleJudge:
    """Scores by whether the substituted spans were recovered: see `mouse.judging.rule`."""

    name = "rule"
    identity: Mapping[str, object] = {"judge": "rule", "version": VERSION}
    pools: Mapping[str, BackendSpec] = {}
    note = (
        "judge=rule is a deterministic stand-in: its translation scores are not comparable to "
        "those of an LLM judge, nor to the paper's"
    )

    def questions(self, item: CXEI, prediction: Prediction) -> list[tuple[str, Request]]:
        return []

    def judge(
        self,
        item: CXEI,
        prediction: Prediction,
        answers: Sequence[tuple[str, Request, Completion]],
    ) -> Judgement:
        verdict = unjudged(prediction, self.name)
        if verdict is None:
            points, rationale = score(
                item.original_text, item.reference or "", prediction.predicted or ""
            )
            verdict = Verdict(
                prediction.item_id, points, self.name, "judged", rationale, prediction.repeat
            )
        return Judgement(verdict)


class NoJudge:
    """Collects translations without scoring them; they can be judged later from the store."""

    name = "none"
    identity: Mapping[str, object] = {"judge": "none"}
    pools: Mapping[str, BackendSpec] = {}
    note = "judge=none: translations are collected and not scored"

    def questions(self, item: CXEI, prediction: Prediction) -> list[tuple[str, Request]]:
        return []

    def judge(
        self,
        item: CXEI,
        prediction: Prediction,
        answers: Sequence[tuple[str, Request, Completion]],
    ) -> Judgement:
        verdict = unjudged(prediction, self.name)
        if verdict is None:
            verdict = Verdict(
                prediction.item_id, None, self.name, "unscored", "", prediction.repeat
            )
        return Judgement(verdict)
