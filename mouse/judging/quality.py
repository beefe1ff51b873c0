"""How far a run's judge can be trusted: coverage, and agreement with the ratings at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mouse.judging.base import Judge

if TYPE_CHECKING:
    from mouse.corpus.items import Dataset
    from mouse.evaluate import Answers


def judge_quality(
    judge: Judge, dataset: Dataset, answers: Answers, *, seed: int
) -> dict[str, float]:
    return {}
