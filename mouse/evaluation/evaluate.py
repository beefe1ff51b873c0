"""One evaluation, from configuration to tracked result. This is the whole program's flow.

    data → plan → engine (model, judge) → predictions and verdicts → metrics → RunResult → MLflow

Every part can be used without this module; nothing here parses, scores or talks to a network.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mouse.contracts import Completion, Outcome, Prediction, Request, RunResult, Verdict
from mouse.corpus.shaping import Shape
from mouse.engine.opening import open_engine
from mouse.evaluation import interrupts, preload
from mouse.evaluation.budget import Budget
from mouse.evaluation.plan import Plan, make_plan
from mouse.evaluation.usage import UsageMeter, priced
from mouse.tracking.home import home

if TYPE_CHECKING:
    from mouse.config.schema import DataConfig, JudgeConfig, RunConfig
    from mouse.engine.dispatch import Engine
    from mouse.evaluation.estimate import Estimate
    from mouse.judging.base import Judge
    from mouse.judging.reference_ratings import RatedPair

MODEL_POOL = "model"

ProgressCallback = Callable[[int, int, UsageMeter, Any], None]
"""Called with requests answered, judge questions answered, usage so far, and the engine."""


@dataclass
class Evaluation:
    """What `evaluate` gives back: the result, where it is tracked, and what must be said."""

    result: RunResult
    plan: Plan
    run_id: str | None = None
    interrupted: bool = False


@dataclass
class Answers:
    """Predictions and verdicts as they come in; order is irrelevant."""

    predictions: dict[str, list[Prediction]] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)
    member_verdicts: list[Verdict] = field(default_factory=list)
    ratings: list[Verdict] = field(default_factory=list)
    """The judge's verdicts of the translations that come with ratings."""


def evaluate(
    config: RunConfig,
    *,
    on_plan: Callable[[Plan], None] = lambda plan: None,
    on_progress: ProgressCallback = lambda done, judged, meter, engine: None,
    draw: Callable[[RunResult], Mapping[str, bytes]] = lambda result: {},
    parent_run_id: str | None = None,
    command: str = "",
) -> Evaluation:
    """Run one evaluation to its end. Raises `UserError` for a mistake in configuration or data.

    `draw` makes the figures that are tracked with the result: path under its artifacts → file.

    An interruption (Ctrl-C) is not an error: what was answered is in the store, the run is
    marked as killed, and the returned `Evaluation` says so.
    """
    from mouse.config.schema import check
    from mouse.evaluation.summary import asked_models, judge_usage, summarise
    from mouse.evaluation.tracker import manifest, open_tracker
    from mouse.judging import make_judge
    from mouse.models import Prober, make_spec
    from mouse.tasks.registry import parse_tasks

    started = time.monotonic()
    check(config)
    plan = make_plan(
        config, load_data(config), parse_tasks(config.task.names), load_examples(config)
    )
    spec = make_spec(config.model, plan.context())
    judge = make_judge(config.judge, config.model)
    on_plan(plan)
    with ExitStack() as stack:
        tracker = stack.enter_context(
            open_tracker(
                config, plan, judge, parent_run_id=parent_run_id, command=command, draw=draw
            )
        )
        models = asked_models(config, judge)
        budget = Budget(config.budget, models)
        prober = Prober()
        engine = stack.enter_context(
            open_engine(
                config.engine, config.store, home(), admit=budget.admit, prepare=prober.prepare
            )
        )
        budget.watch(engine)
        engine.open(MODEL_POOL, spec)
        for pool, judge_spec in judge.pools.items():
            engine.open(pool, judge_spec)
        engine.observers += tracker.observers()
        meter = UsageMeter(models[MODEL_POOL].price)
        interrupted = False
        answers = Answers()
        preload.preload(
            (
                *preload.SCORING,
                *(preload.TRACKING if config.tracking.enabled else ()),
                *(preload.FIGURES if config.tracking.enabled and config.tracking.figures else ()),
            )
        )
        try:
            with interrupts.unswallowed():
                threshold = config.judge.copy_threshold
                collect(engine, plan, judge, threshold, meter, answers, on_progress)
                check_judge(engine, rated_to_judge(config, plan), judge, config.judge, answers)
        except KeyboardInterrupt:
            interrupted = True
        usage = {
            **meter.summary(engine.stats_of(MODEL_POOL)),
            **judge_usage(config, judge, engine),
            "wall_s": time.monotonic() - started,
        }
        result = summarise(config, plan, judge, answers, usage, interrupted=interrupted)
        about = {
            pool: {**engine.describe(pool), "probe": prober.reports.get(pool)}
            for pool in (MODEL_POOL, *judge.pools)
        }
        run_id = tracker.log(
            result,
            manifest(config, plan, judge, spec.identity, about),
            interrupted=interrupted,
        )
    return Evaluation(result=result, plan=plan, run_id=run_id, interrupted=interrupted)


def dry_run(config: RunConfig) -> tuple[Plan, Estimate]:
    """What `evaluate` would ask, and an estimate of its cost; nothing is started or sent."""
    from mouse.config.schema import check
    from mouse.evaluation.estimate import estimate
    from mouse.tasks.registry import parse_tasks

    check(config)
    plan = make_plan(
        config, load_data(config), parse_tasks(config.task.names), load_examples(config)
    )
    members = len(config.judge.members) + (config.judge.model is not None)
    calls = members * config.judge.repeats
    predictions = (
        pair.prediction(config.judge.copy_threshold) for pair in rated_to_judge(config, plan)
    )
    checks = calls * sum(prediction.outcome is Outcome.VALID for prediction in predictions)
    return plan, estimate(plan, priced(config.model, config.engine), calls, checks)


def load_data(config: RunConfig) -> Any:
    """The data set that the configuration names."""
    from mouse.corpus.load import load

    data = config.data
    return load(
        data.kind.value,
        path=data.path,
        columns=data.columns,
        shape=shape_of(data),
        perturbations=tuple(data.perturbations),
        revision=data.revision,
    )


def shape_of(data: DataConfig) -> Shape:
    """What the configuration does to the tables."""
    return Shape(data.labels, data.where, data.constants)


def load_examples(config: RunConfig) -> Any:
    """The few-shot examples: `prompt.shots_from`, or those the sample has apart; else None."""
    from mouse.corpus.load import load, sample_examples

    data, prompt = config.data, config.prompt
    if not prompt.shots:
        return None
    if prompt.shots_from:
        return load(
            "files",
            path=prompt.shots_from,
            columns=data.columns,
            # The filter says what is scored; examples are not.
            shape=replace(shape_of(data), where={}),
        )
    return sample_examples() if data.kind.value == "sample" else None


def rated_to_judge(config: RunConfig, plan: Plan) -> list[RatedPair]:
    """The data's rated translations that the judge of this run is to score as well."""
    from mouse.judging.reference_ratings import rated_pairs

    kind = config.judge.kind.value
    if kind == "none" or not (config.judge.check or kind == "rule"):
        return []
    if not any(task.code == "tr" for task in plan.tasks):
        return []
    return rated_pairs({item.id: item for item in plan.dataset.cxeis})


def check_judge(
    engine: Engine,
    pairs: Sequence[RatedPair],
    judge: Judge,
    config: JudgeConfig,
    answers: Answers,
) -> None:
    """Have the judge score translations whose ratings are known, when all else is answered."""
    waiting: dict[str, tuple[RatedPair, _Waiting]] = {}
    for pair in pairs:
        entry = _Waiting(pair.item, pair.prediction(config.copy_threshold))
        questions = judge.questions(pair.item, entry.prediction)
        if not questions:
            answers.ratings.append(judge.judge(pair.item, entry.prediction, ()).final)
            continue
        entry.expected = len(questions)
        waiting[pair.id] = (pair, entry)
        for pool, question in questions:
            engine.submit(pool, [question])
    if not waiting:
        return
    for pool, request, completion in engine.results():
        pair, entry = waiting[request.item_id]
        entry.answers.append((pool, request, completion))
        if len(entry.answers) == entry.expected:
            answers.ratings.append(judge.judge(pair.item, entry.prediction, entry.answers).final)
    answers.ratings.sort(key=lambda verdict: verdict.item_id)


def collect(
    engine: Engine,
    plan: Plan,
    judge: Judge,
    copy_threshold: float,
    meter: UsageMeter,
    answers: Answers,
    on_progress: ProgressCallback,
) -> None:
    """Ask everything; read, filter and judge each answer as it comes in.

    A judge's questions join the engine while the model is still answering.
    """
    from mouse.scoring.copy_filter import is_copied

    tasks = {task.code: task for task in plan.tasks}
    waiting: dict[tuple[str, int], _Waiting] = {}
    done = judged = 0
    engine.submit(MODEL_POOL, plan.requests())
    for pool, request, completion in engine.results():
        if pool == MODEL_POOL:
            meter.add(completion)
            done += 1
        else:
            judged += 1
        interrupts.check()
        on_progress(done, judged, meter, engine)
        if pool != MODEL_POOL:
            entry = waiting[(request.item_id, request.payload["translation_repeat"])]
            entry.answers.append((pool, request, completion))
            if len(entry.answers) == entry.expected:
                _settle(judge, waiting.pop((request.item_id, entry.prediction.repeat)), answers)
            continue
        task = tasks[request.task]
        item: Any = task.items[request.item_id]
        prediction = task.task.read(request, completion, item)
        if request.task != "tr":
            answers.predictions.setdefault(request.task, []).append(prediction)
            continue
        if prediction.outcome is Outcome.VALID and is_copied(
            item.original_text,
            prediction.predicted or "",
            item.reference,
            threshold=copy_threshold,
        ):
            prediction = replace(
                prediction, outcome=Outcome.COPIED, note="nothing of the substitution undone"
            )
        entry = _Waiting(item, prediction)
        questions = judge.questions(item, prediction)
        if not questions:
            _settle(judge, entry, answers)
            continue
        entry.expected = len(questions)
        waiting[(request.item_id, request.repeat)] = entry
        for judge_pool, question in questions:
            engine.submit(judge_pool, [question])


@dataclass
class _Waiting:
    """A translation whose judges have not all answered."""

    item: Any
    prediction: Prediction
    expected: int = 0
    answers: list[tuple[str, Request, Completion]] = field(default_factory=list)


def _settle(judge: Judge, entry: _Waiting, answers: Answers) -> None:
    judgement = judge.judge(entry.item, entry.prediction, entry.answers)
    prediction = entry.prediction
    if judgement.final.status == "failed" and prediction.outcome is not Outcome.FAILED:
        # A judge that did not answer is a failure of the run, not a zero of the model.
        prediction = replace(
            prediction, outcome=Outcome.FAILED, note=f"judge: {judgement.final.rationale}"
        )
    answers.predictions.setdefault("tr", []).append(prediction)
    answers.verdicts.append(judgement.final)
    answers.member_verdicts.extend(judgement.members)
