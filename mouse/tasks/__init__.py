"""The six tasks by their code in the paper."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from mouse.contracts import TASK_CODES
from mouse.errors import UserError
from mouse.tasks.base import BaseTask, Task
from mouse.tasks.cloze import ClozeCompletion
from mouse.tasks.components import Components
from mouse.tasks.intent import IntentRecognition
from mouse.tasks.meaning import MeaningSelection
from mouse.tasks.prompts import Decoding, PromptSet
from mouse.tasks.sampling import select
from mouse.tasks.toxicity import ToxicityDetection
from mouse.tasks.translation import Translation

__all__ = [
    "BaseTask",
    "Decoding",
    "PromptSet",
    "Task",
    "get_task",
    "parse_tasks",
    "select",
]

_NAMES = {
    "tr": "translation",
    "rc": "components",
    "ir": "intent",
    "td": "toxicity",
    "ms": "meaning selection",
    "cc": "cloze",
}


@cache
def _tasks() -> dict[str, BaseTask[Any]]:
    classes: tuple[type[BaseTask[Any]], ...] = (
        Translation,
        Components,
        IntentRecognition,
        ToxicityDetection,
        MeaningSelection,
        ClozeCompletion,
    )
    return {cls.code: cls() for cls in classes}


def get_task(code: str) -> Task:
    """The task with this code; `UserError` that lists the six where there is none."""
    task = _tasks().get(code)
    if task is None:
        raise _unknown(code)
    return task


def parse_tasks(value: str | Iterable[str]) -> list[str]:
    """Task codes of `all`, `td`, `td,cc` or a list of these; in the order given, each once."""
    parts = value.split(",") if isinstance(value, str) else [str(part) for part in value]
    codes: list[str] = []
    for part in (piece.strip().lower() for text in parts for piece in text.split(",")):
        if part == "all":
            codes.extend(TASK_CODES)
        elif part in TASK_CODES:
            codes.append(part)
        else:
            raise _unknown(part)
    if not codes:
        raise _unknown("")
    return list(dict.fromkeys(codes))


def _unknown(code: str) -> UserError:
    known = ", ".join(f"{task} ({name})" for task, name in _NAMES.items())
    return UserError(f"There is no task {code!r}: choose from {known}, a list of them, or all.")
