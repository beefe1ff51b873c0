"""The files of a run: predictions, verdicts, the items asked, metrics; written once, read again.

`predictions/<task>.parquet` is the record from which everything else can be computed again
(`mouse.verify`); `tables/<task>.json` is the same for the UI's side-by-side view.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mouse.contracts import RunResult, TaskResult, ended
from mouse.corpus.items import CXEI, ChoiceItem, Dataset
from mouse.scoring.marks import is_right, note_of
from mouse.tasks.registry import get_task
from mouse.text.json_text import to_json, utf8

TABLE_COLUMNS = ("item_id", "raw_text", "predicted", "gold", "text", "variant", "outcome", "score")
"""Columns of the UI's table: it groups by the first and compares the second unless told."""

TABLE_TEXT_LIMIT = 2000
"""Characters of one cell in the UI's table; the Parquet file has all of it."""

_VERDICT = {"score": "int64", "judge": "string", "status": "string", "rationale": "string"}


def write(folder: Path, result: RunResult, dataset: Dataset) -> list[str]:
    """Write a run's files under `folder`; return the paths of the UI's tables in it."""
    items: dict[str, CXEI | ChoiceItem] = {
        **{item.id: item for item in dataset.cxeis},
        **{item.id: item for item in dataset.choices},
    }
    tables = []
    for task in result.tasks:
        rows = prediction_rows(task, items)
        _parquet(folder / "predictions" / f"{task.task}.parquet", rows, PREDICTION_TYPES)
        for kind, verdicts in (
            ("verdicts", task.verdicts),
            ("members", task.member_verdicts),
            ("ratings", task.rated_verdicts),
        ):
            if verdicts:
                _parquet(
                    folder / "verdicts" / f"{task.task}_{kind}.parquet",
                    [asdict(verdict) for verdict in verdicts],
                    VERDICT_TYPES,
                )
        tables.append(f"tables/{task.task}.json")
        _ui_table(folder / tables[-1], rows)
    asked = {prediction.item_id for task in result.tasks for prediction in task.predictions}
    _items(folder / "items", asked, items.values())
    (folder / "metrics.json").write_text(to_json(metric_records(result)), encoding="utf-8")
    return tables


PREDICTION_TYPES = {
    "task": "string",
    "item_id": "string",
    "variant": "string",
    "repeat": "int64",
    "gold": "string",
    "predicted": "string",
    "outcome": "string",
    "correct": "bool",
    "note": "string",
    "text": "string",
    "context": "string",
    "options": "string",
    "raw_text": "string",
    "finish_reason": "string",
    "reasoning": "string",
    "confidence": "float64",
    "score": "int64",
    "judge": "string",
    "verdict_status": "string",
    "rationale": "string",
    "cluster": "string",
    "request_key": "string",
}

VERDICT_TYPES = {"item_id": "string", "repeat": "int64", **_VERDICT}


def prediction_rows(
    task: TaskResult, items: Mapping[str, CXEI | ChoiceItem]
) -> list[dict[str, Any]]:
    """One row a prediction, with its item's text and, for a translation, its verdict.

    `outcome` and `note` are how the row ended, the failure of its judge included, so that the
    outcomes of a file add up to the ledger; `StoredRun.task_predictions` reads the prediction.
    """
    judged = get_task(task.task).judged
    return [
        {
            "task": task.task,
            "item_id": prediction.item_id,
            "variant": prediction.variant,
            "repeat": prediction.repeat,
            "gold": prediction.gold,
            "predicted": prediction.predicted,
            "outcome": ended(prediction, verdict).value,
            "correct": is_right(prediction, verdict, judged=judged),
            "note": note_of(prediction, verdict),
            **_item_columns(items.get(prediction.item_id)),
            "raw_text": prediction.raw_text,
            "finish_reason": prediction.finish_reason,
            "reasoning": prediction.reasoning,
            "confidence": prediction.confidence,
            "score": verdict and verdict.score,
            "judge": verdict and verdict.judge,
            "verdict_status": verdict and verdict.status,
            "rationale": verdict and verdict.rationale,
            "request_key": prediction.request_key,
        }
        for prediction, verdict in task.rows
    ]


def _item_columns(item: CXEI | ChoiceItem | None) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(("text", "context", "options", "cluster"))
    if isinstance(item, ChoiceItem):
        options = json.dumps(item.options, ensure_ascii=False)
        row |= {"text": item.text, "context": item.context, "options": options}
    elif item is not None:
        row["text"] = item.original_text
    return row if item is None else {**row, "cluster": item.cluster}


def _items(folder: Path, asked: set[str], items: Iterable[CXEI | ChoiceItem]) -> None:
    """The items that were asked, and no others: data under a licence is not copied without need."""
    chosen = [item for item in items if item.id in asked]
    if cxeis := [_cxei_row(item) for item in chosen if isinstance(item, CXEI)]:
        _parquet(folder / "cxei.parquet", cxeis, CXEI_TYPES)
    if choices := [_choice_row(item) for item in chosen if isinstance(item, ChoiceItem)]:
        _parquet(folder / "choices.parquet", choices, CHOICE_TYPES)


CXEI_TYPES = {
    "id": "string",
    "original_text": "string",
    "reference": "string",
    "homophonic": "bool",
    "visual": "bool",
    "semantic": "bool",
    "intent": "string",
    "toxicity": "int64",
    "derivation": "string",
    "group": "string",
    "source": "string",
    "revision": "string",
}

CHOICE_TYPES = dict.fromkeys(
    ("id", "task", "context", "text", "options", "answer", "cxei_id"), "string"
)


def _cxei_row(item: CXEI) -> dict[str, Any]:
    row = asdict(item)
    steps = row["derivation"]
    text = json.dumps(steps, ensure_ascii=False) if steps else ""
    return {**row, **row["components"], "derivation": text}


def _choice_row(item: ChoiceItem) -> dict[str, Any]:
    return {**asdict(item), "options": json.dumps(item.options, ensure_ascii=False)}


def _parquet(path: Path, rows: Sequence[Mapping[str, Any]], types: Mapping[str, str]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = {"string": pa.string(), "int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}
    columns = {
        name: pa.array(
            [utf8(row[name]) if kind == "string" else row[name] for row in rows], type=made[kind]
        )
        for name, kind in types.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, compression="zstd")


def _ui_table(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """MLflow's table format: what `MlflowClient.log_table` writes, without reading it back."""
    columns = [c for c in TABLE_COLUMNS if any(row[c] not in (None, "") for row in rows)]
    data = [[_cell(row[column]) for column in columns] for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_json({"columns": columns, "data": data}), encoding="utf-8")


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        text = utf8(value) or ""
        return text if len(text) <= TABLE_TEXT_LIMIT else text[:TABLE_TEXT_LIMIT] + "…"
    return value


def metric_records(result: RunResult) -> list[dict[str, Any]]:
    """Every metric with all its fields, task by task."""
    return [
        {"task": task.task, **asdict(metric), "not_applicable": task.not_applicable}
        for task in result.tasks
        for metric in task.metrics
    ]
