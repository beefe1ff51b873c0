"""People as contestants: answer sheets for choice items, and the key to them.

Each participant gets the items in an order of their own, each item's options shuffled; which row is
which item and which shown letter which option is in the key, beside the sheets and never in them.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mouse.annotation.folders import (
    PersonSheet,
    check_unused,
    code_of,
    missing_rows,
    read_identified,
    read_key,
    read_rows,
    sheet_files,
    write_key,
)
from mouse.annotation.guidelines import guidelines
from mouse.annotation.sheets import FilledRow, SheetColumn, write_csv, write_xlsx
from mouse.corpus.items import OPTION_LETTERS, ChoiceItem, Dataset
from mouse.errors import DataError, Fault, UserError
from mouse.tasks.choice import lettered

KEY_FILE = "questionnaire.json"
SHEETS = "for_participants"
ANSWERS = "answers.csv"
"""What the import writes beside the sheets, which is nobody's sheet."""
MAX_PARTICIPANTS = 200

_GROUP = re.compile(r"[^\W\d_][\w-]*")
_NO_GROUP = ("null", "none")
"""Words that a command line reads as nothing, so that these people would pass for models."""
_HEADERS = {
    "zh": ("编号", "对话", "题目", "选项", "答案"),
    "en": ("id", "dialogue", "question", "options", "answer"),
}
_ASKS = {
    ("zh", "ms"): "这句话是什么意思？\n{text}",
    ("zh", "cc"): "空白处填哪一项最合适？\n{text}",
    ("en", "ms"): "What does this say?\n{text}",
    ("en", "cc"): "Which option fits the blank best?\n{text}",
}
_NAMED = 20
"""Unanswered cells that are named one by one."""

AnswersByPerson = Mapping[str, Mapping[tuple[str, str], str]]
"""Participant → (task, item id) → the item's own letter."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as a participant saw it: shown option k is the item's option `order[k]`."""

    row: str
    """Its id in this participant's sheet, which tells nothing about the item."""
    item_id: str
    task: str
    order: tuple[int, ...]


@dataclass(frozen=True)
class Participant:
    name: str
    group: str
    questions: tuple[Asked, ...]


@dataclass(frozen=True)
class Questionnaire:
    """What was handed out; the key."""

    dataset: str
    fingerprint: str
    data: str
    """File or folder of the items, relative to the key's folder; empty for the sample."""
    lang: str
    seed: int
    participants: tuple[Participant, ...]
    code: str = ""
    """Stands, with the participant's number, in the first header of every sheet."""

    @property
    def tasks(self) -> tuple[str, ...]:
        found = {question.task for person in self.participants for question in person.questions}
        return tuple(sorted(found, reverse=True))


def parse_groups(text: str) -> dict[str, int]:
    """`familiar=3,unfamiliar=2` as {group: number}. Raises `UserError`."""
    groups: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition("="))
        if not name or not number.isdecimal() or not int(number):
            raise UserError(
                f"--groups {text}: expected GROUP=NUMBER, such as familiar=3,unfamiliar=2."
            )
        if not _GROUP.fullmatch(name) or name.casefold() in _NO_GROUP:
            raise UserError(
                f"--groups {text}: {name!r} cannot name a group; take letters, digits, - and _, "
                "a letter first."
            )
        if name.casefold() in map(str.casefold, groups):
            raise UserError(f"--groups {text}: the group {name} stands there twice.")
        groups[name] = int(number)
    if sum(groups.values()) > MAX_PARTICIPANTS:
        raise UserError(f"--groups {text}: at most {MAX_PARTICIPANTS} participants are possible.")
    return groups


def export_sheets(
    items: Sequence[ChoiceItem],
    dataset: Dataset,
    folder: Path,
    *,
    groups: Mapping[str, int],
    data: str = "",
    seed: int = 0,
    lang: str = "zh",
    as_csv: bool = False,
) -> Questionnaire:
    """Write one sheet a participant, all with these items of the data set, and the key.

    Raises `UserError` where the folder holds a questionnaire already.
    """
    check_unused(folder / KEY_FILE)
    people = tuple(
        _participant(f"{group} {place}", group, items, seed)
        for group, number in groups.items()
        for place in range(1, number + 1)
    )
    key = Questionnaire(dataset.name, dataset.fingerprint, data, lang, seed, people)
    key = replace(key, code=code_of(key))
    known: dict[tuple[str, str], ChoiceItem] = {(item.task, item.id): item for item in items}
    instructions = guidelines("questionnaire", lang)
    for number, person in enumerate(people, 1):
        rows = [_row(known[one.task, one.item_id], one, lang) for one in person.questions]
        path = folder / SHEETS / person.name.replace(" ", "_")
        if as_csv:
            write_csv(path.with_name(f"{path.name}.csv"), columns(key, number), rows)
        else:
            write_xlsx(
                path.with_name(f"{path.name}.xlsx"), columns(key, number), rows, instructions
            )
    if as_csv:
        (folder / SHEETS / "README.txt").write_text(
            "\n".join(instructions) + "\n", encoding="utf-8"
        )
    write_key(folder / KEY_FILE, key)
    return key


def _participant(name: str, group: str, items: Sequence[ChoiceItem], seed: int) -> Participant:
    shuffle = random.Random(f"{seed} {name}")
    asked = tuple(
        Asked(
            f"q{number:03d}",
            item.id,
            item.task,
            tuple(shuffle.sample(range(len(item.options)), len(item.options))),
        )
        for number, item in enumerate(shuffle.sample(items, len(items)), 1)
    )
    return Participant(name, group, asked)


def draw(dataset: Dataset, tasks: Sequence[str], n: int | None, seed: int) -> list[ChoiceItem]:
    """At most `n` items of each task (all where None), in the data's order, drawn by `seed`.

    As few as possible come from one set of items that share options, because whoever sees several
    of a set can exclude what was right elsewhere. Where nothing is shared it is a simple random
    sample. Raises `UserError` where a task has no item.
    """
    chosen: list[ChoiceItem] = []
    for task in tasks:
        items = [item for item in dataset.choices if item.task == task]
        if not items:
            raise UserError(f"the data set {dataset.name!r} has no item for task {task}.")
        sets = option_sets(items)
        order = random.Random(f"{seed} {task}").sample(range(len(items)), len(items))
        before: Counter[int] = Counter()
        rounds = {}
        for place in order:
            rounds[place] = before[sets[place]]
            before[sets[place]] += 1
        drawn = sorted(sorted(order, key=rounds.__getitem__)[:n])
        chosen += [items[place] for place in drawn]
    return chosen


def option_sets(items: Sequence[ChoiceItem]) -> list[int]:
    """The set of each item: items that share an option, directly or through others, share one."""
    sets = list(range(len(items)))
    first: dict[str, int] = {}
    for place, item in enumerate(items):
        for option in item.options:
            mine, theirs = sets[place], sets[first.setdefault(option, place)]
            if mine != theirs:
                sets = [theirs if one == mine else one for one in sets]
    return sets


def columns(key: Questionnaire, number: int) -> tuple[SheetColumn, ...]:
    """The columns of a participant's sheet, whose it is in the first header."""
    row, dialogue, question, options, answer = _HEADERS[key.lang]
    most = max(len(asked.order) for asked in key.participants[number - 1].questions)
    return (
        SheetColumn("id", f"{row} {key.code}-{number}", 13),
        SheetColumn("context", dialogue, 40),
        SheetColumn("question", question, 40),
        SheetColumn("options", options, 40),
        SheetColumn("answer", answer, 8, tuple(OPTION_LETTERS[:most])),
    )


def _row(item: ChoiceItem, asked: Asked, lang: str) -> dict[str, str]:
    return {
        "id": asked.row,
        "context": item.context,
        "question": _ASKS[lang, item.task].format(text=item.text),
        "options": lettered([item.options[place] for place in asked.order]),
    }


def load_key(folder: Path) -> Questionnaire:
    """What `export_sheets` wrote. Raises `UserError` where there is none, or it was altered."""
    return read_key(folder / KEY_FILE, Questionnaire, "questionnaire export")


@dataclass(frozen=True)
class Returned:
    """What came back: `empty` are the addresses of unanswered cells, `absent` those without sheet."""

    answers: AnswersByPerson
    empty: tuple[str, ...]
    absent: tuple[str, ...]


def import_sheets(folder: Path, key: Questionnaire, *, partial: bool = False) -> Returned:
    """The answers, in each item's own letters, of every XLSX and CSV handed in.

    Raises:
        DataError: with every fault: a sheet of another questionnaire, two different sheets of one
            participant, an answer that is no option, a row that is gone, doubled or was not asked;
            and, unless `partial`, every unanswered cell and missing sheet.
        UserError: nobody answered anything.
    """

    def read(path: Path, number: int, faults: list[Fault]) -> PersonSheet:
        asked = {question.row: question for question in key.participants[number - 1].questions}
        unknown_row, before = "not the id of one of the questions", len(faults)
        rows = read_rows(path, columns(key, number), asked, unknown_row, faults)
        given = {}
        for row_id, row in rows.items():
            if row.values["answer"] is not None:
                question = asked[row_id]
                given[question.task, question.item_id] = _letter(row, question, path.name, faults)
        if rows or len(faults) == before:
            faults += missing_rows(
                path.name, columns(key, number), set(asked) - set(rows), "question"
            )
        empty = [f"{path.name} {address}" for row in rows.values() for address in row.missing]
        return PersonSheet(number, path.name, given, tuple(empty))

    faults: list[Fault] = []
    files, words = sheet_files(folder, SHEETS, ANSWERS), ("participant", "answers")
    sheets = read_identified(files, key.code, len(key.participants), read, words, faults)
    names = {number: person.name for number, person in enumerate(key.participants, 1)}
    answers = {names[number]: sheet.answers for number, sheet in sheets.items()}
    absent = [name for name in names.values() if name not in answers]
    empty = [cell for sheet in sheets.values() for cell in sheet.missing]
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
    return Returned(answers, tuple(empty), tuple(absent))


def _letter(row: FilledRow, question: Asked, file: str, faults: list[Fault]) -> str:
    """The item's own letter behind the one that was chosen; empty, with a fault, where there is none."""
    chosen = row.values["answer"] or ""
    shown = OPTION_LETTERS.index(chosen)
    if shown < len(question.order):
        return OPTION_LETTERS[question.order[shown]]
    problem = f"this question has {len(question.order)} options"
    faults.append(Fault(file, row.addresses["answer"], "answer", chosen, problem))
    return ""
