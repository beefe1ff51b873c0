"""Answers whose judge has not answered all its questions yet, and the verdicts so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mouse.contracts import Completion, Prediction, Request
from mouse.corpus.items import CXEI
from mouse.judging.base import Judge, Judgement
from mouse.scoring.result import Answers


@dataclass
class _Waiting:
    item: CXEI
    prediction: Prediction
    expected: int
    answers: list[tuple[Request, Completion]] = field(default_factory=list)


class PendingVerdicts:
    """Settles each answer as soon as all questions to its judge are answered."""

    def __init__(self, judge: Judge) -> None:
        self.settled: list[tuple[Prediction, Judgement]] = []
        """In the order in which they were settled; what still waits is not among them."""
        self._judge = judge
        self._waiting: dict[tuple[str, str, int], _Waiting] = {}

    def ask(self, item: CXEI, prediction: Prediction) -> list[tuple[str, Request]]:
        """(pool, question) for all that must be asked about an answer; if none, it is settled."""
        asked = (prediction.task, prediction.repeat)
        questions = [
            (pool, replace(question, about=asked))
            for pool, question in self._judge.questions(item, prediction)
        ]
        entry = _Waiting(item, prediction, len(questions))
        if questions:
            self._waiting[prediction.item_id, *asked] = entry
        else:
            self._settle(entry)
        return questions

    def answer(self, question: Request, completion: Completion) -> None:
        """Take the completion of one question; the last one settles what was asked about."""
        key = question.item_id, *question.about
        entry = self._waiting[key]
        entry.answers.append((question, completion))
        if len(entry.answers) == entry.expected:
            self._settle(self._waiting.pop(key))

    def answers(self, task: str) -> Answers:
        """What is settled of one task."""
        settled = [entry for entry in self.settled if entry[0].task == task]
        return Answers(
            [prediction for prediction, _ in settled],
            [judgement.final for _, judgement in settled],
            [member for _, judgement in settled for member in judgement.members],
        )

    def _settle(self, entry: _Waiting) -> None:
        judgement = self._judge.judge(entry.item, entry.prediction, entry.answers)
        self.settled.append((entry.prediction, judgement))
