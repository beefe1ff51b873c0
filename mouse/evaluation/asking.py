"""Asks a plan's questions and the judge's, and reads each answer as it comes in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mouse.config.schema import JudgeConfig
from mouse.contracts import Completion, Prediction, Request
from mouse.engine.dispatch import Engine
from mouse.evaluation.models import MODEL_POOL
from mouse.evaluation.plan import Plan
from mouse.judging.base import Judge
from mouse.judging.pending import PendingVerdicts
from mouse.judging.reference_ratings import RatedPair, rated_pairs
from mouse.judging.registry import judge_class
from mouse.scoring.reading import read
from mouse.scoring.result import Answers

OnAnswer = Callable[[str, Completion], None]
"""Called with the pool and the completion of every answer, before it is read."""


class Asked:
    """What has been answered so far, which an interruption leaves as it is."""

    def __init__(self, judge: Judge) -> None:
        self.predictions: dict[str, list[Prediction]] = defaultdict(list)
        """Task → predictions of tasks without a judge, in any order."""
        self.judged = PendingVerdicts(judge)
        self.rated = PendingVerdicts(judge)
        """The translations that come with ratings, as if they were answers."""

    def answers(self, task: str, judged: bool) -> Answers:
        """What a task's result is made of."""
        if not judged:
            return Answers(self.predictions[task])
        answers = self.judged.answers(task)
        rated = sorted(self.rated.answers(task).verdicts, key=lambda verdict: verdict.item_id)
        return Answers(answers.predictions, answers.verdicts, answers.member_verdicts, rated)


def ask_all(
    engine: Engine, plan: Plan, asked: Asked, copy_threshold: float, on_answer: OnAnswer
) -> None:
    """Ask everything. A judge's questions join the engine while the model is still answering."""
    tasks = {task.code: task for task in plan.tasks}
    engine.submit(MODEL_POOL, plan.requests())
    for pool, request, completion in engine.results():
        on_answer(pool, completion)
        if pool != MODEL_POOL:
            asked.judged.answer(request, completion)
            continue
        task = tasks[request.task]
        item: Any = task.items[request.item_id]
        prediction = read(task.task, request, completion, item, copy_threshold=copy_threshold)
        if task.task.judged:
            _submit(engine, asked.judged.ask(item, prediction))
        else:
            asked.predictions[request.task].append(prediction)


def ask_about_ratings(
    engine: Engine, pairs: Sequence[RatedPair], asked: Asked, copy_threshold: float
) -> None:
    """Have the judge score translations whose ratings are known, when all else is answered."""
    for pair in pairs:
        _submit(engine, asked.rated.ask(pair.item, pair.prediction(copy_threshold)))
    for _, request, completion in engine.results():
        asked.rated.answer(request, completion)


def rated_to_judge(config: JudgeConfig, plan: Plan) -> list[RatedPair]:
    """The data's rated translations that the judge of this run is to score as well."""
    judge = judge_class(config.kind)
    if not judge.scores or not (config.check or not judge.asks_models):
        return []
    if not any(task.task.judged for task in plan.tasks):
        return []
    return rated_pairs({item.id: item for item in plan.dataset.cxeis})


def _submit(engine: Engine, questions: Iterable[tuple[str, Request]]) -> None:
    for pool, question in questions:
        engine.submit(pool, [question])
