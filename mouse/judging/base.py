"""What a judge is: it looks at one translation, asks models if it must, and gives a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from mouse.contracts import Completion, Outcome, Prediction, Request, Verdict, VerdictStatus
from mouse.corpus.items import CXEI
from mouse.models.base import BackendSpec


@dataclass(frozen=True)
class Judgement:
    """The verdict that counts, and those it was made from (one a judge and repeat of a panel)."""

    final: Verdict
    members: tuple[Verdict, ...] = ()


class Judge(Protocol):
    """Scores translations 0, 1 or 2.

    `pools` names the models it asks, each opened in the engine beside the model under test, so
    that judging starts while inference is still running. A judge without pools answers at once.
    """

    name: str
    identity: Mapping[str, object]
    """Judge, prompt and version: part of every verdict's identity and of the run's tags."""
    pools: Mapping[str, BackendSpec]
    note: str
    """A sentence that must stand beside every score of this judge; empty if none is needed."""

    def questions(self, item: CXEI, prediction: Prediction) -> list[tuple[str, Request]]:
        """(pool, request) for everything that must be asked about this translation."""
        ...

    def judge(
        self,
        item: CXEI,
        prediction: Prediction,
        answers: Sequence[tuple[str, Request, Completion]],
    ) -> Judgement:
        """The verdict, once every question has its completion."""
        ...


def unjudged(prediction: Prediction, judge: str) -> Verdict | None:
    """The verdict of a translation that no judge needs to see, or None.

    A copied one scores 0 (the paper's filter); a refusal, an unreadable, truncated or filtered
    answer scores 0; a failed request has no score, because it is not an answer.
    """
    if prediction.outcome is Outcome.VALID:
        return None
    if prediction.outcome is Outcome.FAILED:
        status: VerdictStatus = "failed"
    else:
        status = "copied" if prediction.outcome is Outcome.COPIED else "invalid_answer"
    return Verdict(
        item_id=prediction.item_id,
        score=None if status == "failed" else 0,
        judge=judge,
        status=status,
        rationale=prediction.note or prediction.outcome.value,
        repeat=prediction.repeat,
    )
