"""Reads filled questionnaires back, scores them, and writes them as a replay file.

Whose sheet a file is stands in its first header, not in its name: options are shuffled for each
participant, so one person's sheet under another's name would be read by the wrong order.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mouse.annotation.questionnaire.questionnaire import (
    SHEETS,
    Asked,
    Participant,
    Questionnaire,
    columns,
)
from mouse.annotation.sheets import FilledRow, read_filled
from mouse.annotation.translations.sheets_in import sheet_files, whose
from mouse.corpus.items import OPTION_LETTERS
from mouse.errors import DataError, Fault, UserError

ANSWERS = "answers.csv"
_NAMED = 20
"""Unanswered cells that are named one by one."""

Answers = Mapping[str, Mapping[tuple[str, str], str]]
"""Participant → (task, item id) → the item's own letter."""


@dataclass(frozen=True)
class Handed:
    """What came back: `empty` are the addresses of unanswered cells, `absent` those without sheet."""

    answers: Answers
    empty: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """One participant on one task: right answers among those given, and the unanswered."""

    name: str
    group: str
    task: str
    right: int
    answered: int
    unanswered: int


@dataclass(frozen=True)
class _Sheet:
    file: str
    given: Mapping[tuple[str, str], str]
    empty: tuple[str, ...]


def read_back(folder: Path, key: Questionnaire, *, partial: bool = False) -> Handed:
    """The answers, in each item's own letters, of every XLSX and CSV handed in.

    An untouched file beside a filled one of the same participant is passed over.

    Raises:
        DataError: with every fault: a sheet of another questionnaire, two different sheets of one
            participant, an answer that is no option, a row that is gone, doubled or was not asked;
            and, unless `partial`, every unanswered cell and missing sheet.
        UserError: nobody answered anything.
    """
    faults: list[Fault] = []
    sheets: dict[int, list[_Sheet]] = {}
    for path in sheet_files(folder, SHEETS, ANSWERS):
        number = whose(path, key.code, len(key.participants), faults)
        if number is not None:
            sheets.setdefault(number, []).append(_read(path, key, number, faults))
    answers: dict[str, Mapping[tuple[str, str], str]] = {}
    empty: list[str] = []
    absent: list[str] = []
    for number, person in enumerate(key.participants, 1):
        found = sheets.get(number, [])
        filled = [sheet for sheet in found if sheet.given] or found[:1]
        if not filled:
            absent.append(person.name)
            continue
        faults += [_contradiction(filled[0], o) for o in filled[1:] if o.given != filled[0].given]
        answers[person.name] = filled[0].given
        empty += filled[0].empty
    if not faults and not any(answers.values()):
        raise UserError(f"no sheet in {folder} has an answer yet: put the filled sheets there.")
    if not partial:
        problem = "no sheet with this participant's number in its first header; --partial goes on"
        faults += [Fault(SHEETS, "-", "(file)", name, problem) for name in absent]
        if empty:
            shown = ", ".join(empty[:_NAMED]) + (", …" if len(empty) > _NAMED else "")
            problem = f"{len(empty)} unanswered: {shown}; --partial takes them"
            faults.append(Fault(SHEETS, "-", "answer", "", problem))
    if faults:
        raise DataError(f"the answer sheets in {folder} have {len(faults)} fault(s):", faults)
    return Handed(answers, tuple(empty), tuple(absent))


def _read(path: Path, key: Questionnaire, number: int, faults: list[Fault]) -> _Sheet:
    person = key.participants[number - 1]
    asked = {question.row: question for question in person.questions}
    letters = OPTION_LETTERS[: max(len(question.order) for question in person.questions)]
    layout = columns(key.lang, key.code, number, letters)
    try:
        rows = {row.id: row for row in read_filled(path, layout)}
    except DataError as error:
        faults += error.faults or [Fault(path.name, 1, "(file)", "", str(error))]
        return _Sheet(path.name, {}, ())
    given: dict[tuple[str, str], str] = {}
    empty: list[str] = []
    for row_id, row in rows.items():
        if row_id not in asked:
            problem = "not the id of one of the questions"
            faults.append(Fault(path.name, row.addresses["id"], "id", row_id, problem))
            continue
        question = asked[row_id]
        letter = _letter(row, question, path.name, faults)
        if letter:
            given[question.task, question.item_id] = letter
        elif row.values["answer"] is None:
            empty.append(f"{path.name} {row.addresses['answer']}")
    for gone in sorted(set(asked) - set(rows)):
        faults.append(Fault(path.name, "-", "id", gone, "the row of this question is gone"))
    return _Sheet(path.name, given, tuple(empty))


def _letter(row: FilledRow, question: Asked, file: str, faults: list[Fault]) -> str:
    """The item's own letter behind the one that was chosen; empty where there is none."""
    chosen = row.values["answer"]
    if chosen is None:
        return ""
    shown = OPTION_LETTERS.index(chosen)
    if shown >= len(question.order):
        problem = f"this question has {len(question.order)} options"
        faults.append(Fault(file, row.addresses["answer"], "answer", chosen, problem))
        return ""
    return OPTION_LETTERS[question.order[shown]]


def _contradiction(one: _Sheet, other: _Sheet) -> Fault:
    problem = f"{one.file} is the same participant's sheet with other answers; keep one of the two"
    return Fault(other.file, "-", "(file)", "", problem)


def write_answers(path: Path, people: Sequence[Participant], answers: Answers) -> None:
    """The answers as `model=replay` reads them: rater, group, item_id, task, text."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["rater", "group", "item_id", "task", "text"])
        for person in people:
            for (task, item_id), letter in sorted(answers[person.name].items()):
                row = (person.name, person.group, item_id, task, letter)
                writer.writerow(row)


def scores(
    key: Questionnaire, answers: Answers, gold: Mapping[tuple[str, str], str]
) -> list[Score]:
    """Right answers by task of each participant whose sheet came; `gold`: the right letters."""
    found = []
    for person in key.participants:
        if person.name not in answers:
            continue
        given = answers[person.name]
        for task in key.tasks:
            asked = [(task, one.item_id) for one in person.questions if one.task == task]
            right = sum(given.get(item) == gold[item] for item in asked)
            answered = sum(item in given for item in asked)
            found.append(
                Score(person.name, person.group, task, right, answered, len(asked) - answered)
            )
    return found
