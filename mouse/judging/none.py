"""No judge: translations are collected, and can be judged later from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mouse.contracts import Completion, Prediction, Request, Verdict
from mouse.corpus.items import CXEI
from mouse.judging.base import Judge, Judgement
from mouse.judging.config import JudgeConfig
from mouse.models.config import ModelConfig


class NoJudge(Judge):
    """Gives no scores."""

    kinds = ("none",)
    scores = False
    name = "none"
    identity: Mapping[str, object] = {"judge": "none"}
    note = "judge=none: translations are collected and not scored"

    @classmethod
    def from_config(cls, config: JudgeConfig, model: ModelConfig) -> NoJudge:
        return cls()

    def score(
        self,
        item: CXEI,
        prediction: Prediction,
        answers: Sequence[tuple[Request, Completion]],
    ) -> Judgement:
        return Judgement(
            Verdict(prediction.item_id, None, self.name, "unscored", "", prediction.repeat)
        )
