"""The sample explorer's data: every question with every model's answer, small enough for one page.

Data and page are apart: what a model wrote travels as compressed JSON and is shown by the page's
script as text nodes only, so none of it can ever be markup.
"""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

from mouse.contracts import Outcome
from mouse.corpus.items import COMPONENTS
from mouse.corpus.labels import COMPONENT_ZH, INTENT_ZH
from mouse.reporting.report import Report
from mouse.text.json_text import utf8

OUTCOMES = [outcome.value for outcome in Outcome]

TEXT_LIMIT = 20_000
"""Characters of one answer that the page holds; the rest is counted, and is in the Parquet file."""


def explorer_data(report: Report) -> dict[str, Any]:
    """`models`, `outcomes`, `items` (id → what is known of it) and `questions`.

    A question is `[task, item id, variant, gold, answers]`; `answers` has one entry a model, null
    where it was not asked, else `[outcome index, predicted, right (1, 0, null), raw text,
    score, rationale, note]`, cut where the rest is empty; raw text is null where it equals
    `predicted`. Repeats after the first are left out.
    """
    models = [one.name for one in report.contestants]
    questions: dict[tuple[str, str, str], list[Any]] = {}
    for position, entry in enumerate(report.contestants):
        for task in report.tasks:
            if task not in entry.runs:
                continue
            frame = entry.runs[task].predictions[task]
            frame = frame[frame["repeat"] == 0]
            columns = [frame[name].tolist() for name in _COLUMNS]
            for item, variant, gold, *answer in zip(*columns, strict=True):
                key = (task, item, variant)
                if key not in questions:
                    questions[key] = [task, item, variant, utf8(gold), [None] * len(models)]
                questions[key][4][position] = _answer(*answer)
    order = {task: index for index, task in enumerate(report.tasks)}
    rows = sorted(questions.values(), key=lambda row: order[row[0]])
    return {
        "models": models,
        "outcomes": OUTCOMES,
        "tasks": list(report.tasks),
        "labels": {**INTENT_ZH, **COMPONENT_ZH},
        "items": _items(report, {row[1] for row in rows}),
        "questions": rows,
    }


_COLUMNS = (
    "item_id",
    "variant",
    "gold",
    "outcome",
    "predicted",
    "correct",
    "raw_text",
    "score",
    "rationale",
    "note",
)


def _answer(
    outcome: str, predicted: Any, correct: Any, raw: Any, score: Any, rationale: Any, note: Any
) -> list[Any]:
    given, written = _text(predicted), _text(raw)
    answer: list[Any] = [
        OUTCOMES.index(outcome),
        given,
        None if correct is None or correct != correct else int(correct),
        None if written == given else _cut(written),
        None if score is None or score != score else int(score),
        _cut(_text(rationale)) or None,
        _text(note) or None,
    ]
    while len(answer) > 3 and answer[-1] is None:
        answer.pop()
    return answer


def _items(report: Report, asked: set[str]) -> dict[str, dict[str, Any]]:
    items: dict[str, dict[str, Any]] = {}
    for row in report.cxeis.to_dict("records") if len(report.cxeis) else ():
        if row["id"] in asked:
            items[row["id"]] = _dense(
                text=_text(row["original_text"]),
                reference=_text(row["reference"]),
                intent=_text(row["intent"]),
                toxicity=None if row["toxicity"] != row["toxicity"] else row["toxicity"],
                components=[name for name in COMPONENTS if row[name] is True],
                derivation=json.loads(row["derivation"]) if _text(row["derivation"]) else None,
                source=_text(row["source"]),
            )
    for row in report.choices.to_dict("records") if len(report.choices) else ():
        if row["id"] in asked:
            items[row["id"]] = _dense(
                text=_text(row["text"]),
                context=_text(row["context"]),
                options=json.loads(row["options"]),
                answer=_text(row["answer"]),
                cxei=_text(row["cxei_id"]),
            )
    return items


def _dense(**values: Any) -> dict[str, Any]:
    return {
        key: (int(value) if isinstance(value, float) else value)
        for key, value in values.items()
        if value not in (None, "", [])
    }


def _text(value: Any) -> str | None:
    return utf8(value) if isinstance(value, str) else None


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= TEXT_LIMIT:
        return text
    return f"{text[:TEXT_LIMIT]}… [{len(text) - TEXT_LIMIT} more characters]"


def packed(data: dict[str, Any]) -> str:
    """The data as gzip in base64: the page unpacks it in the browser, without a network."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # A fixed time, so that the same runs give the same page.
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 6, mtime=0)).decode("ascii")
