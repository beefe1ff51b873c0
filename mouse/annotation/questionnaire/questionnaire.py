"""People as contestants: answer sheets for choice items, and the key to them.

Each participant gets the items in an order of their own, each item's options shuffled; which row is
which item and which shown letter which option is in the key, beside the sheets and never in them.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mouse.annotation.sheets import Column, write_csv, write_xlsx
from mouse.corpus.items import OPTION_LETTERS, ChoiceItem, Dataset
from mouse.errors import UserError
from mouse.tasks.choice import lettered

KEY_FILE = "questionnaire.json"
SHEETS = "for_participants"
LANGS = ("zh", "en")
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


def export(
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
    if (folder / KEY_FILE).exists():
        raise UserError(
            f"{folder / KEY_FILE} exists: its sheets may be in use; give another --out."
        )
    letters = OPTION_LETTERS[: max(len(item.options) for item in items)]
    people = []
    for group, number in groups.items():
        for place in range(1, number + 1):
            people.append(_participant(f"{group} {place}", group, items, seed))
    made = Questionnaire(dataset.name, dataset.fingerprint, data, lang, seed, tuple(people))
    canonical = json.dumps(asdict(made), sort_keys=True, ensure_ascii=False)
    made = replace(made, code=hashlib.sha256(canonical.encode()).hexdigest()[:8])
    known: dict[tuple[str, str], ChoiceItem] = {(item.task, item.id): item for item in items}
    for place, person in enumerate(people, 1):
        rows = [_row(known[one.task, one.item_id], one, lang) for one in person.questions]
        layout = columns(lang, made.code, place, letters)
        stem = folder / SHEETS / person.name.replace(" ", "_")
        if as_csv:
            write_csv(stem.with_name(f"{stem.name}.csv"), layout, rows)
        else:
            write_xlsx(stem.with_name(f"{stem.name}.xlsx"), layout, rows, _GUIDES[lang])
    if as_csv:
        guide = folder / SHEETS / "README.txt"
        guide.write_text("\n".join(_GUIDES[lang]) + "\n", encoding="utf-8")
    # Last, so that a folder with a key has all its sheets.
    text = json.dumps(asdict(made), ensure_ascii=False, indent=1)
    (folder / KEY_FILE).write_text(text + "\n", encoding="utf-8")
    return made


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


def columns(lang: str, code: str, number: int, letters: str) -> tuple[Column, ...]:
    """The columns of a participant's sheet, whose it is in the first header; `letters` may be chosen."""
    row, dialogue, question, options, answer = _HEADERS[lang]
    return (
        Column("id", f"{row} {code}-{number}", 13),
        Column("context", dialogue, 40),
        Column("question", question, 40),
        Column("options", options, 40),
        Column("answer", answer, 8, tuple(letters)),
    )


def _row(item: ChoiceItem, asked: Asked, lang: str) -> dict[str, str]:
    return {
        "id": asked.row,
        "context": item.context,
        "question": _ASKS[lang, item.task].format(text=item.text),
        "options": lettered([item.options[place] for place in asked.order]),
    }


def read_key(folder: Path) -> Questionnaire:
    """What `export` wrote. Raises `UserError` where there is none, or it was altered."""
    path = folder / KEY_FILE
    if not path.is_file():
        raise UserError(
            f"{path} does not exist: give the folder that questionnaire export wrote, with "
            f"{KEY_FILE} in it."
        )
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        people = tuple(
            Participant(
                person["name"],
                person["group"],
                tuple(
                    Asked(**{**question, "order": tuple(question["order"])})
                    for question in person["questions"]
                ),
            )
            for person in raw.pop("participants")
        )
        return Questionnaire(participants=people, **raw)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{path} is not a questionnaire's key: {error}.") from error
