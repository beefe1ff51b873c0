"""Answers from a file: scores anyone's answers, people's too, as if a model had just given them.

`model.predictions=FILE` (JSONL, JSON, CSV, TSV, XLSX, Parquet) has one row an answer: `item_id`,
`task`, `variant` (where the task has one), `text` (what was written, read as any model's answer
is), and optionally `repeat` (0 if absent) and `rater`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mouse.contracts import Completion, CompletionError, Request, Usage
from mouse.corpus.reading.readers import read
from mouse.errors import DataError, Fault, UserError
from mouse.models.base import Backend, BackendContext, BackendSpec
from mouse.models.config import ModelConfig
from mouse.tasks.registry import task_codes

FIELDS = ("item_id", "task", "variant", "text", "repeat", "rater")
REQUIRED = ("item_id", "task", "text")
_CELLS = (".csv", ".tsv", ".tab", ".xlsx")
"""Formats that cannot tell an empty text from none."""

AnswerKey = tuple[str, str, str, int]
"""(item_id, task, variant, repeat)."""


@dataclass
class ReplayConfig(ModelConfig):
    """Answers from a file."""

    backend: str = "replay"
    predictions: str | None = None
    """The file with the answers (JSONL, JSON, CSV, TSV, XLSX, Parquet)."""
    rater: str | None = None
    """Whose answers to score, where the file holds several people's."""
    group: str | None = None
    """The group of people the run belongs to (`familiar`), averaged in the report's table 6."""


def spec(config: ReplayConfig, context: BackendContext) -> BackendSpec:
    """Read and check the answers; `UserError` on a missing file, a fault, or an unknown item.

    Answers to what this run does not ask (another task) are left out; an `item_id` that no
    request of its task has is an error, because it is more often a typing mistake than a wish.
    """
    given = config.predictions
    if not given:
        raise UserError(
            "model=replay needs the file with the answers: add model.predictions=FILE "
            "(JSONL, CSV, XLSX or Parquet with item_id, task, variant, text)."
        )
    path = Path(given).expanduser()
    if not path.is_file():
        raise UserError(f"model.predictions={given}: no such file.")
    answers = read_answers(path, config.rater)
    refuse_unknown(answers, context.asked, given)
    asked = [key for key in answers if not context.asked or key[:3] in context.asked]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return BackendSpec(
        target="mouse.models.replay:Replay",
        options={"answers": [[*key, answers[key]] for key in asked], "name": config.id or "replay"},
        identity={"backend": "replay", "predictions_sha256": digest, "rater": config.rater},
        cacheable=False,
    )


def read_answers(path: Path, rater: str | None = None) -> dict[AnswerKey, str]:
    """The answers of a file by item, task, variant and repeat; of one rater where one is named.

    Texts are kept exactly, `None` and `NA` are texts. Raises `DataError` with all faults
    (missing columns or values, unknown tasks, repeats that are no numbers, two answers to one
    question).
    """
    reading = read(path)
    faults = list(reading.faults)
    answers: dict[AnswerKey, str] = {}
    places: dict[AnswerKey, int | str] = {}
    for table in reading.tables:
        missing = [field for field in REQUIRED if field not in table.headers]
        if missing:
            listed = ", ".join(map(str, table.headers))
            problem = f"missing column {', '.join(missing)}; found {listed}"
            faults.append(Fault(table.file, 1, "(header)", "", problem))
            continue
        for raw in table.rows:
            values = {field: raw.values.get(field) for field in FIELDS}
            if rater is not None and _string(values["rater"]) != rater:
                continue
            key = _key(values, table.file, raw, faults)
            if key is None:
                continue
            if key in answers:
                problem = f"answered before, in row {places[key]}"
                if values["rater"] not in (None, "") and rater is None:
                    problem += " (choose one rater: model.rater=NAME)"
                faults.append(Fault(table.file, raw.at("item_id"), "item_id", key[0], problem))
                continue
            text = values["text"]
            if text is None or (text == "" and path.suffix.lower() in _CELLS):
                # An empty cell is a question nobody answered, which is not an empty answer.
                continue
            answers[key] = _string(text)
            places[key] = raw.at("item_id")
    if faults:
        raise DataError(f"{path}: {len(faults)} faults in the answers", faults)
    return answers


def _key(values: Mapping[str, Any], file: str, raw: Any, faults: list[Fault]) -> AnswerKey | None:
    item_id, task = _string(values["item_id"]), _string(values["task"])
    repeat = _string(values["repeat"]) or "0"
    wrong = {}
    if not item_id:
        wrong["item_id"] = "missing"
    if task not in task_codes():
        wrong["task"] = f"unknown task; expected one of {', '.join(task_codes())}"
    if not repeat.isdecimal():
        wrong["repeat"] = "expected a number from 0"
    for name, problem in wrong.items():
        faults.append(Fault(file, raw.at(name), name, _string(values[name]), problem))
    return None if wrong else (item_id, task, _string(values["variant"]), int(repeat))


def _string(value: Any) -> str:
    """A cell as text: 1.0 from a numeric column is the 1 that was typed; None is empty."""
    if value is None or value != value:
        return ""
    whole = isinstance(value, bool) or (isinstance(value, float) and value.is_integer())
    return str(int(value)) if whole else str(value)


def refuse_unknown(
    answers: Mapping[AnswerKey, str], asked: frozenset[tuple[str, str, str]], file: str
) -> None:
    """Raise `UserError` for answers to items or variants that the run's tasks do not have."""
    tasks = {task for _, task, _ in asked}
    unknown = sorted({key[:3] for key in answers if key[1] in tasks and key[:3] not in asked})
    if unknown:
        shown = ", ".join("/".join(part for part in key if part) for key in unknown[:5])
        more = ", …" if len(unknown) > 5 else ""
        raise UserError(
            f"model.predictions={file}: {len(unknown)} answers are to items that this run does "
            f"not ask (item_id/task/variant): {shown}{more}. Use the same data, task and limit "
            "as when the answers were given."
        )


class Replay(Backend):
    """Looks each request up among the answers; what nobody answered is `missing`."""

    def __init__(self, answers: Sequence[Sequence[Any]], name: str) -> None:
        self._answers = {(row[0], row[1], row[2], row[3]): row[4] for row in answers}
        self._name = name

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Completion:
        text = self._answers.get((request.item_id, request.task, request.variant, request.repeat))
        if text is None:
            what = "/".join(p for p in (request.item_id, request.task, request.variant) if p)
            message = f"The predictions have no answer to {what} (repeat {request.repeat})."
            return Completion(request.key, error=CompletionError("missing", message))
        return Completion(
            request.key,
            text=text,
            finish_reason="stop",
            usage=Usage(estimated=True),
            latency_s=0.0,
            model_reported=self._name,
        )
