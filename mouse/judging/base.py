"""What a judge is: it looks at one translation, asks models if it must, and gives a verdict."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mouse.contracts import Completion, Outcome, Prediction, Request, Verdict, VerdictStatus
from mouse.corpus.items import CXEI
from mouse.judging.config import JudgeConfig
from mouse.models.config import ModelConfig


@dataclass(frozen=True)
class Judgement:
    """The verdict that counts, and those it was made from (one a judge and repeat of a panel)."""

    final: Verdict
    members: tuple[Verdict, ...] = ()


class Judge(ABC):
    """Scores translations 0, 1 or 2; one file a kind of judge, found by `judging.registry`.

    A kind that asks models names them in `pools`, which the engine opens beside the model under
    test; one without answers at once, from the item and the prediction alone.
    """

    kinds: ClassVar[tuple[str, ...]]
    """What `judge.kind` calls it."""
    asks_models: ClassVar[bool] = False
    """Whether scores come from models, so that nobody can compute them again from a stored run."""
    scores: ClassVar[bool] = True
    """False where translations are only collected: they have a ledger and no metrics."""

    name: str
    """Who scored: the `judge` of its verdicts."""
    identity: Mapping[str, object]
    """Judge, prompt and version: part of every verdict's identity and of the run's tags."""
    pools: Mapping[str, ModelConfig] = {}
    """Name of a pool of workers (`judge:NAME`) → the model that is asked there."""
    note: str = ""
    """A sentence that must stand beside every score of this judge; empty if none is needed."""
    prompt_source: str = ""
    """The text of the judge's prompt file, for the run's record; empty where it has none."""

    @classmethod
    @abstractmethod
    def from_config(cls, config: JudgeConfig, model: ModelConfig) -> Judge:
        """The judge that a configuration describes; `model` is the model under test.

        Raises `UserError` where it cannot be used as configured.
        """

    def questions(self, item: CXEI, prediction: Prediction) -> list[tuple[str, Request]]:
        """(pool, request) for everything that must be asked about this valid translation."""
        return []

    @abstractmethod
    def score(
        self,
        item: CXEI,
        prediction: Prediction,
        answers: Sequence[tuple[Request, Completion]],
    ) -> Judgement:
        """The verdict on a valid translation, once every question has its completion."""

    def judge(
        self,
        item: CXEI,
        prediction: Prediction,
        answers: Sequence[tuple[Request, Completion]] = (),
    ) -> Judgement:
        """The verdict on any translation: by its outcome where no judge needs to see it."""
        settled = unjudged(prediction, self.name)
        return self.score(item, prediction, answers) if settled is None else Judgement(settled)


def unjudged(prediction: Prediction, judge: str) -> Verdict | None:
    """The verdict of a translation that no judge needs to see, or None.

    Copied, refused, unreadable, truncated, filtered: 0; a failed request is no answer: no score.
    """
    statuses: dict[Outcome, VerdictStatus] = {Outcome.FAILED: "failed", Outcome.COPIED: "copied"}
    if prediction.outcome is Outcome.VALID:
        return None
    return Verdict(
        item_id=prediction.item_id,
        score=None if prediction.outcome is Outcome.FAILED else 0,
        judge=judge,
        status=statuses.get(prediction.outcome, "invalid_answer"),
        rationale=prediction.note or prediction.outcome.value,
        repeat=prediction.repeat,
    )
