"""Reads every stored raw answer again, filters and judges it again, and compares row by row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mouse.contracts import Completion, Outcome, Prediction, Request, TaskResult, Verdict
from mouse.corpus.items import CXEI
from mouse.text.json_text import utf8
from mouse.verification.sources import RunWithSources, requests_of
from mouse.verification.verify import Check, some

if TYPE_CHECKING:
    from mouse.config.schema import RunConfig

_ESCAPED_SURROGATE = re.compile(r"\\u(d[89a-f][0-9a-f]{2})")


def rows(run: RunWithSources, task: str) -> list[Check]:
    """Gold answers and all columns that follow from others, against the stored items."""
    from mouse.tasks.registry import get_task
    from mouse.tracking import files

    items, asks = run.items, get_task(task)
    predictions = run.task_predictions(task)
    wrong = []
    for prediction in predictions:
        item = items.get(prediction.item_id)
        if item is not None and asks.gold(item, prediction.variant) != prediction.gold:
            wrong.append(f"{_named(prediction)}: gold is not the item's")
    verdicts = run.task_verdicts(task) if task == "tr" else ()
    made = files.prediction_rows(TaskResult(task, predictions, (), verdicts), items)
    stored = run.predictions[task].to_dict("records")
    for prediction, mine, theirs in zip(predictions, made, stored, strict=True):
        fields = [
            column
            for column, value in theirs.items()
            if not _equal(value, mine.get(column), escaped=isinstance(value, str))
        ]
        if fields:
            wrong.append(f"{_named(prediction)}: {', '.join(fields)} contradict the rest")
    why = some(wrong) if wrong else f"{len(stored)} rows agree with the stored items"
    return [Check(f"rows {task}", "DIFFERENT" if wrong else "ok", why)]


def answers(run: RunWithSources, task: str) -> list[Check]:
    """Each raw text through the reader again: the same outcome and the same prediction."""

    name = f"answers {task}"
    if "finish_reason" not in run.predictions[task]:
        return [Check(name, "not checked", "the run does not record how answers ended")]
    config = run.config
    asked, items = requests_of(run, task), run.items
    wrong, read = [], 0
    for stored in run.task_predictions(task):
        if stored.outcome is Outcome.FAILED and stored.predicted is None:
            if stored.raw_text is not None:
                wrong.append(f"{_named(stored)}: failed, though an answer is there")
            continue
        read += 1
        request = asked[stored.item_id, stored.variant, stored.repeat]
        again = _read(config, task, request, stored, items[stored.item_id])
        if again is not None:
            wrong.append(f"{_named(stored)}: {_shown(stored)} stored, {_shown(again)} read")
    why = some(wrong) if wrong else f"{read} raw answers read again, all alike"
    return [Check(name, "DIFFERENT" if wrong else "ok", why)]


def _read(
    config: RunConfig, task: str, request: Request, stored: Prediction, item: Any
) -> Prediction | None:
    """None where the raw text reads as stored, else what it reads as."""
    texts = [stored.raw_text]
    if stored.raw_text and _ESCAPED_SURROGATE.search(stored.raw_text):
        # Parquet holds no lone surrogates: they were written out, which may read otherwise.
        restored = _ESCAPED_SURROGATE.sub(lambda m: chr(int(m.group(1), 16)), stored.raw_text)
        texts.append(restored)
    read = [_as_evaluated(config, task, request, stored, item, text) for text in texts]
    return None if any(_alike(one, stored) for one in read) else read[0]


def _as_evaluated(
    config: RunConfig, task: str, request: Request, stored: Prediction, item: Any, text: str | None
) -> Prediction:
    """The reader, and for a translation the copy filter, as `mouse.evaluation.evaluate` applies them."""
    from dataclasses import replace

    from mouse.scoring.copy_filter import is_copied
    from mouse.tasks.registry import get_task

    completion = Completion(
        request_key=stored.request_key,
        text=text,
        reasoning=stored.reasoning,
        finish_reason=stored.finish_reason,
    )
    read = get_task(task).read(request, completion, item)
    copied = (
        task == "tr"
        and read.outcome is Outcome.VALID
        and is_copied(
            item.original_text,
            read.predicted or "",
            item.reference,
            threshold=config.judge.copy_threshold,
        )
    )
    return replace(read, outcome=Outcome.COPIED) if copied else read


def _alike(read: Prediction, stored: Prediction) -> bool:
    outcome = read.outcome
    if stored.outcome is Outcome.FAILED and outcome is Outcome.VALID:
        outcome = Outcome.FAILED  # its judge failed: the translation was read all the same
    return outcome is stored.outcome and _equal(stored.predicted, read.predicted, escaped=True)


def verdicts(run: RunWithSources) -> list[Check]:
    """Scores again: by the rule, from the panel's members, and 0 for what no judge needs to see."""
    from mouse.judging import make_judge
    from mouse.judging.base import unjudged

    config = run.config
    stored = {(v.item_id, v.repeat): v for v in run.task_verdicts()}
    members: dict[str, list[Verdict]] = {}
    for member in run.task_verdicts(kind="members"):
        members.setdefault(member.item_id, []).append(member)
    offline = config.judge.kind.value in ("none", "rule")
    judge = make_judge(config.judge, config.model) if offline else None
    items = run.items
    wrong, again, kept = [], 0, 0
    for prediction in run.task_predictions("tr"):
        verdict = stored.get((prediction.item_id, prediction.repeat))
        if verdict is None:
            wrong.append(f"{_named(prediction)} has no verdict")
            continue
        item = items[prediction.item_id]
        expected: int | None
        if judge is not None and isinstance(item, CXEI):
            expected = judge.judge(item, prediction, ()).final.score
        elif (settled := unjudged(prediction, verdict.judge)) is not None:
            expected = settled.score
        elif config.task.repeats == 1 and verdict.score is not None and members:
            expected = _reduced(members.get(prediction.item_id, ()), config)
        else:
            kept += 1
            continue
        again += 1
        if expected != verdict.score:
            wrong.append(f"{_named(prediction)}: score {verdict.score} stored, {expected} computed")
    why = some(wrong) if wrong else f"{again} scores computed again, all equal"
    if kept and not wrong:
        why += f"; {kept} are a judge's own, whose answers the run does not hold"
    return [Check("verdicts", "DIFFERENT" if wrong else "ok", why)]


def _reduced(members: Sequence[Verdict], config: RunConfig) -> int | None:
    from mouse.judging.aggregate import aggregate

    scores = [member.score for member in members if member.score is not None]
    if not scores:
        return None
    rule: Any = config.judge.aggregate
    tie: Any = config.judge.tie
    return aggregate(scores, rule, tie)


def _equal(stored: Any, made: Any, *, escaped: bool = False) -> bool:

    if stored is None or stored != stored:
        return made is None or made != made
    return bool(stored == (utf8(made) if escaped and isinstance(made, str) else made))


def _named(prediction: Prediction) -> str:
    variant = f" {prediction.variant}" if prediction.variant else ""
    return f"{prediction.item_id}{variant}" + (
        f" #{prediction.repeat}" if prediction.repeat else ""
    )


def _shown(prediction: Prediction) -> str:
    if prediction.predicted is None:
        return prediction.outcome.value
    return f"{prediction.outcome.value} {prediction.predicted[:20]!r}"
