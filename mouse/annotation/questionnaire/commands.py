"""`mouse.annotate questionnaire`: people answer the choice items, and stand beside the models."""

from __future__ import annotations

import argparse
import csv
import re
import shlex
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mouse.annotation.guidelines import LANGS
from mouse.annotation.questionnaire.sheet import (
    ANSWERS,
    KEY_FILE,
    SHEETS,
    AnswersByPerson,
    Questionnaire,
    draw,
    export_sheets,
    import_sheets,
    load_key,
    option_sets,
    parse_groups,
)
from mouse.config.command_line import quoted
from mouse.corpus.items import ChoiceItem, Dataset
from mouse.corpus.load import load
from mouse.corpus.write import write
from mouse.errors import EXIT_COMPLETE, EXIT_INCOMPLETE, UserError
from mouse.metrics.exact import clopper_pearson
from mouse.tasks.choice import ChoiceTask
from mouse.tasks.registry import PAPER

TASKS = tuple(task.code for task in PAPER if isinstance(task, ChoiceTask))
ITEMS = "items"
SAMPLE = "sample"
_PLAIN = re.compile(r"[\w./+-]+", re.ASCII)


def add_questionnaire(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`questionnaire export` and `questionnaire import`."""
    parser = commands.add_parser(
        "questionnaire",
        help="answer sheets for people on meaning and cloze items, and their scores",
    )
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    out = steps.add_parser("export", help="write one sheet a participant, and the key")
    out.add_argument(
        "--groups",
        required=True,
        metavar="GROUP=N,…",
        help="participants by group, such as familiar=3,unfamiliar=2",
    )
    out.add_argument("--tasks", default="ms,cc", help="ms, cc or both (ms,cc)")
    out.add_argument(
        "--n", type=int, help="items of each task, the same for all, few of one set (all)"
    )
    out.add_argument(
        "--data", metavar="PATH", default=SAMPLE, help="file, folder or sample (sample)"
    )
    out.add_argument("--seed", type=int, default=0, help="of items, orders and options (0)")
    out.add_argument("--lang", choices=LANGS, default="zh", help="of the sheets (zh)")
    out.add_argument("--csv", action="store_true", help="CSV instead of XLSX with drop-downs")
    out.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    out.set_defaults(run=_export)
    back = steps.add_parser("import", help="read the filled sheets, score them, and track them")
    back.add_argument("folder", type=Path, metavar="FOLDER", help="the folder that export wrote")
    back.add_argument(
        "--partial", action="store_true", help="take unanswered questions and missing sheets"
    )
    back.add_argument(
        "--track", action="store_true", help="a tracked run for each participant (table 6)"
    )
    back.set_defaults(run=_import)


def _export(given: argparse.Namespace) -> None:
    tasks = [task for task in given.tasks.split(",") if task]
    if not tasks or not set(tasks) <= set(TASKS) or len(set(tasks)) < len(tasks):
        raise UserError(f"--tasks {given.tasks}: expected ms, cc or ms,cc.")
    if given.n is not None and given.n < 1:
        raise UserError(f"--n {given.n}: at least 1 item is needed.")
    groups = parse_groups(given.groups)
    path = "" if given.data == SAMPLE else str(Path(given.data).expanduser().resolve())
    dataset = _data(path)
    items = draw(dataset, tasks, given.n, given.seed)
    if given.n is not None:
        dataset, path = _drawn(dataset, items, given.out), ITEMS
    made = export_sheets(
        items,
        dataset,
        given.out,
        groups=groups,
        data=path,
        seed=given.seed,
        lang=given.lang,
        as_csv=given.csv,
    )
    print(f"{len(made.participants)} participants, {len(items)} questions each:")
    print(f"  hand out   {given.out / SHEETS}: one file a participant")
    print(f"  keep back  {given.out / KEY_FILE}: which letter is which option")
    if given.n is not None:
        print(f"  for models {shlex.join(_data_arguments(made, given.out))}: the same questions")
    print(
        f"  afterwards python -m mouse.annotate questionnaire import {shlex.quote(str(given.out))}"
    )
    for task in tasks:
        _warn_of_sets([item for item in items if item.task == task], task)


def _warn_of_sets(items: Sequence[ChoiceItem], task: str) -> None:
    sizes = Counter(option_sets(items)).values()
    if max(sizes) > 1:
        print(
            f"note: up to {max(sizes)} {task} items share their options, so that a participant can "
            f"exclude some; --n {len(sizes)} asks about one of each set."
        )


def _drawn(dataset: Dataset, items: Sequence[ChoiceItem], out: Path) -> Dataset:
    """The items that are asked, written beside the sheets so that models can be asked the same."""
    folder = out / ITEMS
    if folder.exists():
        raise UserError(f"{folder} exists: its sheets may be in use; give another --out.")
    write(Dataset(dataset.name, (), tuple(items)), folder)
    return _data(str(folder))


def _data(path: str) -> Dataset:
    return load("files", path=path) if path else load("sample")


def _data_path(key: Questionnaire, folder: Path) -> str:
    return str((folder / key.data).resolve()) if key.data else ""


def _data_arguments(key: Questionnaire, folder: Path) -> list[str]:
    path = _data_path(key, folder)
    return ["data=files", _argument("data.path", path)] if path else []


def _argument(name: str, value: str) -> str:
    """An argument of mouse.run that means this text, even where a comma would be a sweep."""
    return f"{name}={value if _PLAIN.fullmatch(value) else quoted(value)}"


def _import(given: argparse.Namespace) -> None:
    key = load_key(given.folder)
    dataset = _data(_data_path(key, given.folder))
    if dataset.fingerprint != key.fingerprint:
        raise UserError(
            f"the data of {given.folder} have changed since its sheets were made: "
            f"fingerprint {dataset.fingerprint[:12]}, not {key.fingerprint[:12]}."
        )
    returned = import_sheets(given.folder, key, partial=given.partial)
    _write_answers(given.folder / ANSWERS, key, returned.answers)
    _print(_scores(key, returned.answers, dataset), key)
    if returned.absent:
        print(f"no sheet came from {', '.join(returned.absent)}, who are left out")
    if returned.empty:
        print(f"{len(returned.empty)} questions were left unanswered and count for nobody")
    commands = _commands(key, returned.answers, given.folder)
    if given.track:
        for command in commands:
            done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
            if done.returncode not in (EXIT_COMPLETE, EXIT_INCOMPLETE):
                raise UserError(f"python {shlex.join(command)} failed: {done.stderr.strip()}")
        print(f"{sum(map(bool, returned.answers.values()))} runs tracked, one a participant")
        print("python -m mouse.report NAME shows the groups in table 6")
        return
    print("To track them, so that a report's table 6 shows the groups (or use --track):")
    for command in commands:
        print(f"  python {shlex.join(command)}")


@dataclass(frozen=True, slots=True)
class _Score:
    """One participant on one task: right answers among those given, and the unanswered."""

    name: str
    group: str
    task: str
    right: int
    answered: int
    unanswered: int


def _write_answers(path: Path, key: Questionnaire, answers: AnswersByPerson) -> None:
    """The answers as `model=replay` reads them: rater, group, item_id, task, text."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["rater", "group", "item_id", "task", "text"])
        for person in key.participants:
            for (task, item_id), letter in sorted(answers.get(person.name, {}).items()):
                row = (person.name, person.group, item_id, task, letter)
                writer.writerow(row)


def _scores(key: Questionnaire, answers: AnswersByPerson, dataset: Dataset) -> list[_Score]:
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
            found.append(_Score(person.name, person.group, task, right, done, len(asked) - done))
    return found


def _commands(key: Questionnaire, answers: AnswersByPerson, folder: Path) -> list[list[str]]:
    """One command of mouse.run a group: a run for each of its participants who answered."""
    tasks = key.tasks[0] if len(key.tasks) == 1 else f"[{','.join(key.tasks)}]"
    raters: dict[str, list[str]] = {}
    for person in key.participants:
        if answers.get(person.name):
            raters.setdefault(person.group, []).append(_argument("", person.name)[1:])
    return [
        [
            *("-m", "mouse.run", "-m", "model=replay"),
            _argument("model.predictions", str((folder / ANSWERS).resolve())),
            f"model.rater={','.join(names)}",
            _argument("model.group", group),
            *(f"task={tasks}", *_data_arguments(key, folder), "engine=inline"),
        ]
        for group, names in raters.items()
    ]


def _print(found: Sequence[_Score], key: Questionnaire) -> None:
    for task in key.tasks:
        print(f"{task}:")
        shares: dict[str, list[float]] = {}
        for score in (one for one in found if one.task == task):
            print(f"  {score.name:<20} {_share(score)}")
            if score.answered:
                shares.setdefault(score.group, []).append(score.right / score.answered)
        for group, values in shares.items():
            mean, least, most = statistics.fmean(values), min(values), max(values)
            sd = f"SD {statistics.stdev(values):.3f}, " if len(values) > 1 else ""
            spread = f"mean {mean:.3f}, {sd}from {least:.3f} to {most:.3f}"
            print(f"  {group} (n = {len(values)}): {spread}")


def _share(score: _Score) -> str:
    if not score.answered:
        return "no answer"
    low, high = clopper_pearson(score.right, score.answered)
    left = f", {score.unanswered} unanswered" if score.unanswered else ""
    share = f"{score.right / score.answered:.3f} [{low:.3f}, {high:.3f}]"
    return f"{share} ({score.right} of {score.answered}{left})"
