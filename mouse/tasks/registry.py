"""Finds tasks by their codes: the paper's six, and those of plug-ins (`mouse.plugins`)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, get_args

from mouse.answers.types import AnswerKind
from mouse.errors import UserError
from mouse.plugins import plugged_in
from mouse.tasks.base import Task
from mouse.tasks.cloze import ClozeCompletion
from mouse.tasks.components import Components
from mouse.tasks.intent import IntentRecognition
from mouse.tasks.meaning import MeaningSelection
from mouse.tasks.toxicity import ToxicityDetection
from mouse.tasks.translation import Translation

PAPER: tuple[Task[Any], ...] = (
    Translation(),
    Components(),
    IntentRecognition(),
    ToxicityDetection(),
    MeaningSelection(),
    ClozeCompletion(),
)
"""The paper's tasks in its order; `task=all` is these."""


def all_tasks() -> Mapping[str, Task[Any]]:
    """Code → task: the paper's, then those of plug-ins.

    Raises `UserError` for a plug-in that is no task or whose code is taken.
    """
    return _all_tasks(plugged_in("tasks"))


@cache
def _all_tasks(plugged: tuple[Any, ...]) -> Mapping[str, Task[Any]]:
    found = {task.code: task for task in PAPER}
    for cls in plugged:
        _check(cls)
        if cls.code in found:
            raise UserError(f"plug-in: there is a task {cls.code!r} already; give another code")
        try:
            found[cls.code] = cls()
        except TypeError as error:
            raise UserError(f"plug-in: task {cls.__name__} is not complete: {error}") from error
    return found


def _check(cls: Any) -> None:
    if not (isinstance(cls, type) and issubclass(cls, Task)):
        raise UserError(f"plug-in: {cls!r} is not a class derived from mouse.tasks.base.Task")
    lacking = [name for name in ("code", "title", "kind", "headline") if not hasattr(cls, name)]
    if lacking:
        raise UserError(f"plug-in: task {cls.__name__} does not say its {', '.join(lacking)}")
    if not re.fullmatch("[a-z][a-z0-9]+", cls.code) or cls.code == "all":
        raise UserError(f"plug-in: task code {cls.code!r} must be two or more small letters")
    kinds = get_args(AnswerKind)
    if cls.kind not in kinds:
        raise UserError(
            f"plug-in: task {cls.code} has kind {cls.kind!r}, none of {', '.join(kinds)}"
        )
    if (cls.kind == "text") is not cls.judged:
        raise UserError(
            f"plug-in: task {cls.code}: free text (kind='text') needs judged=True, and only that"
        )


def task_codes() -> tuple[str, ...]:
    """Codes of all tasks, the paper's first."""
    return tuple(all_tasks())


def get_task(code: str) -> Task[Any]:
    """The task with this code; `UserError` that lists those that exist where there is none."""
    task = all_tasks().get(code)
    if task is None:
        raise _unknown(code)
    return task


def parse_tasks(value: str | Iterable[str]) -> list[str]:
    """Task codes of `all`, `td`, `td,cc` or a list of these; in the order given, each once."""
    parts = value.split(",") if isinstance(value, str) else [str(part) for part in value]
    codes: list[str] = []
    for part in (piece.strip().lower() for text in parts for piece in text.split(",")):
        if part == "all":
            codes.extend(task.code for task in PAPER)
        else:
            codes.append(get_task(part).code)
    if not codes:
        raise _unknown("")
    return list(dict.fromkeys(codes))


def random_stream(code: str) -> int:
    """The task's number in the seeds of random draws, whichever other tasks run or exist."""
    paper = [task.code for task in PAPER]
    if code in paper:
        return paper.index(code)
    return int.from_bytes(hashlib.sha256(code.encode()).digest()[:7], "big")


def _unknown(code: str) -> UserError:
    known = ", ".join(f"{task.code} ({task.title})" for task in all_tasks().values())
    return UserError(f"There is no task {code!r}: choose from {known}, a list of them, or all.")
