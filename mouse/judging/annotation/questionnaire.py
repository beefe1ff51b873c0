"""People as contestants: answer sheets for choice items, and the answers back as a replay file.

Each participant gets the items in an order of their own, each item's options shuffled; which shown
letter is which option is in the key, beside the sheets and never in them.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mouse.corpus.items import OPTION_LETTERS, ChoiceItem, Dataset
from mouse.corpus.sheets import Column, FilledRow, harmless, read_filled, write_csv, write_xlsx
from mouse.errors import DataError, Fault, UserError
from mouse.tasks.choice import lettered

KEY_FILE = "questionnaire.json"
SHEETS = "for_participants"
ANSWERS = "answers.csv"
LANGS = ("zh", "en")

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
_GUIDES = {
    "zh": (
        "答题说明",
        "每一行是一道选择题，请在“答案”一列选一个字母。每题只有一个最合适的答案。",
        "请独立完成：不要与他人讨论，不要查词典、搜索引擎，也不要使用聊天机器人。",
        "不认识的表达请凭自己的理解选一个；请不要留空。",
        "可以排序和筛选，但请不要改动“编号”一列和表头。",
        "部分内容较粗俗，这是此类网络用语的特点；不愿继续时可以随时停止。",
    ),
    "en": (
        "How to answer",
        "Each row is a question; choose one letter in the column “answer”. One answer is best.",
        "Answer alone: talk to nobody, use no dictionary, search engine or chat bot.",
        "Where you do not know an expression, choose what you think; leave none empty.",
        "You may sort and filter, but leave the column “id” and the headers as they are.",
        "Some texts are rude, as this kind of language is; you may stop at any time.",
    ),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as a participant saw it: shown option k is the item's option `order[k]`."""

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
    data: tuple[str, ...]
    """Arguments of mouse.run that name the data."""
    lang: str
    seed: int
    participants: tuple[Participant, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        found = {question.task for person in self.participants for question in person.questions}
        return tuple(sorted(found, reverse=True))


@dataclass(frozen=True, slots=True)
class Score:
    """One participant on one task: right answers among those given, and the unanswered."""

    name: str
    group: str
    task: str
    right: int
    answered: int
    unanswered: int


def parse_groups(text: str) -> dict[str, int]:
    """`familiar=3,unfamiliar=2` as {group: number}. Raises `UserError`."""
    groups: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        name = name.strip()
        if not name or not number.strip().isdigit() or not int(number) or name in groups:
            raise UserError(
                f"--groups {text}: expected GROUP=NUMBER, such as familiar=3,unfamiliar=2"
            )
        if any(sign in name for sign in "/\\\0,\"'"):
            raise UserError(f"--groups {text}: a group's name becomes a file's name, not {name!r}")
        groups[name] = int(number)
    return groups


def export(
    dataset: Dataset,
    folder: Path,
    *,
    groups: Mapping[str, int],
    tasks: Sequence[str],
    data: Sequence[str],
    seed: int = 0,
    lang: str = "zh",
    as_csv: bool = False,
) -> Questionnaire:
    """Write the key and one sheet a participant.

    Raises `UserError` where a task has no item or the folder holds a questionnaire already.
    """
    if (folder / KEY_FILE).exists():
        raise UserError(f"{folder / KEY_FILE} exists: its sheets may be in use; give another --out")
    chosen = draw(dataset, tasks, None, seed)
    letters = OPTION_LETTERS[: max(len(item.options) for item in chosen)]
    people = []
    for group, number in groups.items():
        for place in range(1, number + 1):
            name = f"{group} {place}"
            shuffle = random.Random(f"{seed} {name}")
            items = shuffle.sample(chosen, len(chosen))
            asked = tuple(
                Asked(
                    item.id,
                    item.task,
                    tuple(shuffle.sample(range(len(item.options)), len(item.options))),
                )
                for item in items
            )
            people.append(Participant(name, group, asked))
            rows = [
                _row(item, question.order, lang)
                for item, question in zip(items, asked, strict=True)
            ]
            path = folder / SHEETS / _stem(name)
            if as_csv:
                write_csv(path.with_suffix(".csv"), columns(lang, letters), rows)
            else:
                write_xlsx(path.with_suffix(".xlsx"), columns(lang, letters), rows, _GUIDES[lang])
    if as_csv:
        guide = folder / SHEETS / "README.txt"
        guide.write_text("\n".join(_GUIDES[lang]) + "\n", encoding="utf-8")
    made = Questionnaire(dataset.name, dataset.fingerprint, tuple(data), lang, seed, tuple(people))
    text = json.dumps(asdict(made), ensure_ascii=False, indent=1)
    (folder / KEY_FILE).write_text(text + "\n", encoding="utf-8")
    return made


def draw(dataset: Dataset, tasks: Sequence[str], n: int | None, seed: int) -> list[ChoiceItem]:
    """At most `n` items of each task (all where None), in the data's order, drawn by `seed`."""
    chosen: list[ChoiceItem] = []
    for task in tasks:
        items = [item for item in dataset.choices if item.task == task]
        if not items:
            raise UserError(f"data set {dataset.name!r} has no item for task {task}")
        if n is not None and n < len(items):
            drawn = set(random.Random(f"{seed} {task}").sample(range(len(items)), n))
            items = [item for place, item in enumerate(items) if place in drawn]
        chosen += items
    return chosen


def columns(lang: str, letters: str) -> tuple[Column, ...]:
    """The columns of a sheet; `letters` may be chosen."""
    row, dialogue, question, options, answer = _HEADERS[lang]
    return (
        Column("id", row, 10),
        Column("context", dialogue, 40),
        Column("question", question, 40),
        Column("options", options, 40),
        Column("answer", answer, 8, tuple(letters)),
    )


def _row(item: ChoiceItem, order: Sequence[int], lang: str) -> dict[str, str]:
    return {
        "id": item.id,
        "context": item.context,
        "question": _ASKS[lang, item.task].format(text=item.text),
        "options": lettered([item.options[place] for place in order]),
    }


def _stem(name: str) -> str:
    return name.replace(" ", "_")


def read_key(folder: Path) -> Questionnaire:
    """What `export` wrote. Raises `UserError` where there is none, or it was altered."""
    path = folder / KEY_FILE
    if not path.is_file():
        raise UserError(f"{path}: no such file; `mouse.annotate questionnaire export` writes it")
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        people = tuple(
            Participant(
                person["name"],
                person["group"],
                tuple(
                    Asked(one["item_id"], one["task"], tuple(one["order"]))
                    for one in person["questions"]
                ),
            )
            for person in raw["participants"]
        )
        return Questionnaire(
            raw["dataset"], raw["fingerprint"], tuple(raw["data"]), raw["lang"], raw["seed"], people
        )
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path}: not a questionnaire's key") from error


def read_back(
    folder: Path, key: Questionnaire, *, partial: bool = False
) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Participant → {item id: the item's own letter}, and addresses of the unanswered cells.

    Raises `DataError` with every fault: a sheet that is not there, an answer that is no option, a
    row that is gone or was not asked; and, unless `partial`, every unanswered cell.
    """
    faults: list[Fault] = []
    answers: dict[str, dict[str, str]] = {}
    empty: list[str] = []
    for person in key.participants:
        stem = folder / SHEETS / _stem(person.name)
        there = [file for s in (".xlsx", ".csv") if (file := stem.with_suffix(s)).is_file()]
        if len(there) != 1:
            problem = "both an .xlsx and a .csv" if there else f"no such sheet in {SHEETS}/"
            faults.append(Fault(stem.name, "-", "(file)", "", problem))
            continue
        file = there[0]
        asked = {question.item_id: question for question in person.questions}
        letters = OPTION_LETTERS[: max(len(question.order) for question in person.questions)]
        try:
            rows = {row.id: row for row in read_filled(file, columns(key.lang, letters))}
        except DataError as error:
            if not error.faults:
                raise
            faults += error.faults
            continue
        header = _HEADERS[key.lang]
        for strange in sorted(set(rows) - set(asked)):
            place = rows[strange].addresses.get("id", "-")
            faults.append(Fault(file.name, place, header[0], strange, "not one of the questions"))
        for gone in sorted(set(asked) - set(rows)):
            faults.append(
                Fault(file.name, "-", header[0], gone, "the row of this question is gone")
            )
        given: dict[str, str] = {}
        for item_id, question in asked.items():
            if item_id not in rows:
                continue
            letter, fault = _letter(rows[item_id], question, file.name, header[4])
            if letter:
                given[item_id] = letter
            elif fault is None:
                empty.append(f"{file.name} {rows[item_id].addresses.get('answer', item_id)}")
            else:
                faults.append(fault)
        answers[person.name] = given
    if empty and not partial:
        shown = ", ".join(empty[:20]) + (" …" if len(empty) > 20 else "")
        faults.append(
            Fault(
                SHEETS, "-", "answer", "", f"{len(empty)} unanswered: {shown}; --partial takes them"
            )
        )
    if faults:
        raise DataError(f"The answer sheets have {len(faults)} fault(s):", faults)
    return answers, empty


def _letter(row: FilledRow, question: Asked, file: str, header: str) -> tuple[str, Fault | None]:
    """The item's own letter behind the one that was chosen; empty where none was."""
    chosen = row.values["answer"]
    if chosen is None:
        return "", None
    shown = OPTION_LETTERS.index(chosen)
    if shown >= len(question.order):
        place = row.addresses.get("answer", "-")
        problem = f"this question has {len(question.order)} options"
        return "", Fault(file, place, header, chosen, problem)
    return OPTION_LETTERS[question.order[shown]], None


def write_answers(path: Path, key: Questionnaire, answers: Mapping[str, Mapping[str, str]]) -> None:
    """The answers as `model=replay` reads them: rater, group, item_id, task, text."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["rater", "group", "item_id", "task", "text"])
        for person in key.participants:
            for question in sorted(person.questions, key=lambda one: (one.task, one.item_id)):
                letter = answers[person.name].get(question.item_id)
                if letter:
                    row = (person.name, person.group, question.item_id, question.task, letter)
                    writer.writerow([harmless(cell) for cell in row])


def scores(
    key: Questionnaire, answers: Mapping[str, Mapping[str, str]], gold: Mapping[str, str]
) -> list[Score]:
    """Each participant's right answers by task; `gold`: item id → the right letter."""
    found = []
    for person in key.participants:
        for task in key.tasks:
            asked = [question.item_id for question in person.questions if question.task == task]
            given = {
                item: answers[person.name][item] for item in asked if item in answers[person.name]
            }
            right = sum(letter == gold[item] for item, letter in given.items())
            found.append(
                Score(person.name, person.group, task, right, len(given), len(asked) - len(given))
            )
    return found
