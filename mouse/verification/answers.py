"""Reads every stored raw answer again, filters and judges it again, and compares row by row."""

from __future__ import annotations

import re
from typing import Any

from mouse.contracts import Completion, Outcome, Prediction, Request, Verdict, with_verdicts
from mouse.corpus.items import CXEI
from mouse.judging.aggregate import aggregate
from mouse.judging.base import unjudged
from mouse.judging.registry import judge_class, make_judge
from mouse.scoring.reading import read
from mouse.scoring.result import task_result
from mouse.tasks.registry import get_task
from mouse.text.json_text import utf8
from mouse.tracking import files
from mouse.verification.sources import Check, RunWithSources, found, requests_of

_ESCAPED_SURROGATE = re.compile(r"\\u(d[89a-f][0-9a-f]{2})")


def rows(run: RunWithSources, task: str) -> Check:
    """Gold answers and all columns that follow from others, against the stored items."""
    items, asks = run.items, get_task(task)
    answers = run.answers(task)
    wrong = []
    for prediction in answers.predictions:
        item = items.get(prediction.item_id)
        if item is not None and asks.gold(item, prediction.variant) != prediction.gold:
            wrong.append(f"{_named(prediction)}: gold is not the item's")
    result = task_result(task, answers, clusters={}, scored=False)
    made = files.prediction_rows(result, items)
    stored = run.predictions[task].to_dict("records")
    for prediction, mine, theirs in zip(answers.predictions, made, stored, strict=True):
        fields = [
            column
            for column, value in theirs.items()
            if not _equal(value, mine.get(column), escaped=isinstance(value, str))
        ]
        if fields:
            wrong.append(f"{_named(prediction)}: {', '.join(fields)} contradict the rest")
    return found(f"rows {task}", wrong, f"{len(stored)} rows agree with the stored items")


def answers(run: RunWithSources, task: str) -> Check:
    """Each raw text through the reader again: the same outcome and the same prediction."""
    name = f"answers {task}"
    if "finish_reason" not in run.predictions[task]:
        return Check(name, "not checked", "the run does not record how answers ended")
    asked = requests_of(run, task)
    wrong, again = [], 0
    for stored in run.task_predictions(task):
        if stored.outcome is Outcome.FAILED:
            if stored.raw_text is not None:
                wrong.append(f"{_named(stored)}: failed, though an answer is there")
            continue
        again += 1
        request = asked[stored.item_id, stored.variant, stored.repeat]
        readings = _readings(run, task, request, stored)
        if not any(_alike(one, stored) for one in readings):
            wrong.append(f"{_named(stored)}: {_shown(stored)} stored, {_shown(readings[0])} read")
    return found(name, wrong, f"{again} raw answers read again, all alike")


def _readings(
    run: RunWithSources, task: str, request: Request, stored: Prediction
) -> list[Prediction]:
    """What the raw text reads as. Parquet holds no lone surrogates: they were written out, so
    that a text may have been another, which may read otherwise."""
    texts = [stored.raw_text]
    if stored.raw_text and _ESCAPED_SURROGATE.search(stored.raw_text):
        texts.append(_ESCAPED_SURROGATE.sub(lambda m: chr(int(m[1], 16)), stored.raw_text))
    return [
        read(
            get_task(task),
            request,
            Completion(
                stored.request_key,
                text=text,
                reasoning=stored.reasoning,
                finish_reason=stored.finish_reason,
            ),
            run.items[stored.item_id],
            copy_threshold=run.config.judge.copy_threshold,
        )
        for text in texts
    ]


def _alike(one: Prediction, stored: Prediction) -> bool:
    same = one.outcome is stored.outcome
    return same and _equal(stored.predicted, one.predicted, escaped=True)


def verdicts(run: RunWithSources, task: str) -> Check:
    """Scores again: by the rule, from the panel's members, and 0 for what no judge needs to see."""
    config, answers = run.config, run.answers(task)
    members: dict[str, list[int]] = {}
    for member in answers.member_verdicts:
        if member.score is not None:
            members.setdefault(member.item_id, []).append(member.score)
    asks = judge_class(config.judge.kind).asks_models
    judge = None if asks else make_judge(config.judge, config.model)
    wrong, again, kept = [], 0, 0
    for prediction, verdict in with_verdicts(answers.predictions, answers.verdicts):
        if verdict is None:
            wrong.append(f"{_named(prediction)} has no verdict")
            continue
        item = run.items[prediction.item_id]
        settled: Verdict | None = None
        if judge is not None and isinstance(item, CXEI):
            settled = judge.judge(item, prediction).final
        else:
            settled = unjudged(prediction, verdict.judge)
        if settled is not None:
            expected = settled.score
        elif verdict.is_failed:
            expected = None
        elif config.task.repeats == 1 and members.get(prediction.item_id):
            scores = members[prediction.item_id]
            expected = aggregate(scores, config.judge.aggregate, config.judge.tie)
        else:
            kept += 1
            continue
        again += 1
        if expected != verdict.score:
            wrong.append(f"{_named(prediction)}: score {verdict.score} stored, {expected} computed")
    fine = f"{again} scores computed again, all equal"
    if kept:
        fine += f"; {kept} are a judge's own, whose answers the run does not hold"
    return found("verdicts", wrong, fine)


def _equal(stored: Any, made: Any, *, escaped: bool = False) -> bool:
    if stored is None or stored != stored:
        return made is None or made != made
    return bool(stored == (utf8(made) if escaped and isinstance(made, str) else made))


def _named(prediction: Prediction) -> str:
    variant = f" {prediction.variant}" if prediction.variant else ""
    repeat = f" #{prediction.repeat}" if prediction.repeat else ""
    return f"{prediction.item_id}{variant}{repeat}"


def _shown(prediction: Prediction) -> str:
    if prediction.predicted is None:
        return prediction.outcome.value
    return f"{prediction.outcome.value} {prediction.predicted[:20]!r}"
