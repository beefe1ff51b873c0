"""The flow called as a function, in this process, with an inline engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mouse.config.schema import RunConfig
from mouse.contracts import (
    JudgeValidation,
    Message,
    Outcome,
    Prediction,
    Request,
    Sampling,
    Verdict,
)
from mouse.corpus.items import CXEI
from mouse.engine.config import EngineKind
from mouse.engine.inline import InlineEngine
from mouse.errors import UserError
from mouse.evaluation.asking import Asked, ask_about_ratings, ask_all, rated_to_judge
from mouse.evaluation.estimate import dry_run
from mouse.evaluation.evaluate import evaluate
from mouse.evaluation.models import MODEL_POOL
from mouse.evaluation.plan import Plan, plan_run
from mouse.evaluation.result import judge_validation, run_result
from mouse.judging.base import Judge, Judgement
from mouse.models.base import BackendSpec
from mouse.models.lexicon import LexiconConfig


def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *tasks: str) -> RunConfig:
    monkeypatch.setenv("MOUSE_HOME", str(tmp_path))
    config = RunConfig(model=LexiconConfig(name="lexicon"), limit=12)
    config.data.name, config.judge.name = "sample", "rule"
    config.task.names = list(tasks)
    config.engine.kind = EngineKind.inline
    config.metrics.resamples = 100
    config.tracking.enabled = False
    return config


def test_one_evaluation_from_configuration_to_result(tmp_path, monkeypatch) -> None:
    config = configured(tmp_path, monkeypatch, "tr", "td")
    seen: list[tuple[int, int]] = []
    evaluation = evaluate(
        config, on_progress=lambda done, judged, *rest: seen.append((done, judged))
    )
    tr, td = evaluation.result.tasks
    assert seen[-1] == (24, 0) and evaluation.run_id is None
    assert evaluation.result.complete and not evaluation.interrupted
    assert len(tr.verdicts) == len(tr.predictions) == len(td.predictions) == 12
    assert len(tr.rated_verdicts) == 150 and evaluation.result.judge["n"] == 150
    again = evaluate(config).result
    assert again.usage["cache_hits"] == 24 and again.usage["asked"] == 0
    by_name = {m.name: m for task in evaluation.result.tasks for m in task.metrics}
    assert by_name == {m.name: m for task in again.tasks for m in task.metrics}


def test_an_interruption_keeps_what_was_answered_and_scores_nothing(tmp_path, monkeypatch) -> None:
    config = configured(tmp_path, monkeypatch, "td")

    def stop(done: int, *rest: object) -> None:
        if done == 5:
            raise KeyboardInterrupt

    evaluation = evaluate(config, on_progress=stop)
    (task,) = evaluation.result.tasks
    assert evaluation.interrupted and task.metrics == () and len(task.predictions) == 4
    assert evaluate(config).result.complete


def test_a_dry_run_asks_nothing(tmp_path, monkeypatch) -> None:
    config = configured(tmp_path, monkeypatch, "tr", "rc")
    plan, estimate = dry_run(config)
    assert estimate.requests == plan.size > 12
    assert estimate.judge_requests == 0
    assert not list(tmp_path.iterdir())


def test_an_unknown_judge_is_named(tmp_path, monkeypatch) -> None:
    config = configured(tmp_path, monkeypatch, "tr")
    config.judge.kind = "mystery"
    with pytest.raises(UserError, match=r"judge.kind=mystery: expected one of none, rule, llm"):
        evaluate(config)


class Asking(Judge):
    """Asks one model, which fails on the first item."""

    kinds = ("asking",)
    asks_models = True
    name = "asking"
    identity: Mapping[str, object] = {"judge": "asking"}

    def __init__(self, failing: str) -> None:
        self.failing = failing

    @classmethod
    def from_config(cls, config, model):
        return cls("")

    def questions(self, item: CXEI, prediction: Prediction) -> list[tuple[str, Request]]:
        if prediction.outcome is not Outcome.VALID:
            return []
        said = "fail" if item.id == self.failing else prediction.predicted or ""
        message = (Message("user", said),)
        return [("judge", Request("", prediction.item_id, "judge", "j", 0, message, Sampling()))]

    def score(self, item, prediction, answers) -> Judgement:
        ((_, completion),) = answers
        if completion.error is not None:
            why = completion.error.message
            return Judgement(Verdict(prediction.item_id, None, self.name, "judge_failed", why))
        return Judgement(Verdict(prediction.item_id, 2, self.name, "judged"))


def asked_inline(config: RunConfig) -> tuple[Plan, Asked, Asking, list[str]]:
    plan = plan_run(config)
    judge = Asking(next(iter(plan.tasks[0].items)))
    asked, pools = Asked(judge), []
    with InlineEngine() as engine:
        for pool in (MODEL_POOL, "judge"):
            engine.open(pool, BackendSpec("answering_backend:Answering", {}, {"id": "toy"}))
        ask_all(engine, plan, asked, 0.9, lambda pool, completion: pools.append(pool))
        ask_about_ratings(engine, rated_to_judge(config.judge, plan)[:10], asked, 0.9)
    return plan, asked, judge, pools


def test_a_failed_judge_fails_its_row_and_nothing_else(tmp_path, monkeypatch) -> None:
    config = configured(tmp_path, monkeypatch, "tr")
    plan, asked, judge, pools = asked_inline(config)
    assert pools.count(MODEL_POOL) == pools.count("judge") == 12
    result = run_result(config, plan, judge, asked, {}, interrupted=False)
    (task,) = result.tasks
    failed = [v for v in task.verdicts if v.status == "judge_failed"]
    assert [(v.item_id, v.rationale) for v in failed] == [(judge.failing, "overloaded")]
    assert {prediction.outcome for prediction in task.predictions} == {Outcome.VALID}
    assert (task.ledger["valid"], task.ledger["failed"]) == (11, 1) and not result.complete
    perfect = next(m for m in task.metrics if m.name == "tr/perfect_rate")
    assert (perfect.value, perfect.n) == (1.0, 11)
    assert (perfect.worst, perfect.best) == (pytest.approx(11 / 12), 1.0)
    assert len(task.rated_verdicts) == 10


def test_whether_the_judge_is_validated_is_a_field_with_its_reason() -> None:
    assert judge_validation(None, {"qwk": 0.1}) == JudgeValidation()
    assert judge_validation(0.6, {"qwk": 0.7}) == JudgeValidation(True)
    for quality, reason in (
        ({"qwk": 0.5}, "its QWK 0.500 is under judge.min_qwk=0.6"),
        ({"qwk": float("nan")}, "its QWK nan is under judge.min_qwk=0.6"),
        ({}, "nobody has rated this run yet"),
    ):
        found = judge_validation(0.6, quality)
        assert found.validated is False and reason in found.reason
