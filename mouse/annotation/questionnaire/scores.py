"""Answers of people as scores, and as the file that `model=replay` reads."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from mouse.annotation.questionnaire.sheet import AnswersByPerson, Questionnaire
from mouse.corpus.items import Dataset


@dataclass(frozen=True, slots=True)
class Score:
    """One participant on one task: right answers among those given, and the unanswered."""

    name: str
    group: str
    task: str
    right: int
    answered: int
    unanswered: int


def write_answers(path: Path, key: Questionnaire, answers: AnswersByPerson) -> None:
    """The answers as `model=replay` reads them: rater, group, item_id, task, text."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["rater", "group", "item_id", "task", "text"])
        for person in key.participants:
            for (task, item_id), letter in sorted(answers.get(person.name, {}).items()):
                row = (person.name, person.group, item_id, task, letter)
                writer.writerow(row)


def scores(key: Questionnaire, answers: AnswersByPerson, dataset: Dataset) -> list[Score]:
    """Right answers by task of each participant whose sheet came."""
    gold: dict[tuple[str, str], str] = {(i.task, i.id): i.answer for i in dataset.choices}
    found = []
    for person in key.participants:
        if person.name not in answers:
            continue
        given = answers[person.name]
        for task in key.tasks:
            asked = [(task, one.item_id) for one in person.questions if one.task == task]
            right = sum(given.get(item) == gold[item] for item in asked)
            done = sum(item in given for item in asked)
            found.append(Score(person.name, person.group, task, right, done, len(asked) - done))
    return found
