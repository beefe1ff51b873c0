"""`mouse.annotate questionnaire`: people answer the choice items, and stand beside the models."""

from __future__ import annotations

import argparse
import shlex
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mouse.corpus.items import Dataset
from mouse.corpus.load import load
from mouse.corpus.write import write
from mouse.errors import EXIT_COMPLETE, EXIT_INCOMPLETE, UserError
from mouse.judging.annotation import questionnaire
from mouse.judging.annotation.questionnaire import Questionnaire, Score
from mouse.metrics.exact import clopper_pearson

TASKS = ("ms", "cc")
ITEMS = "items"


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
    out.add_argument("--n", type=int, help="items of each task, the same for all (all)")
    out.add_argument("--data", metavar="PATH", help="file or folder (the sample)")
    out.add_argument("--seed", type=int, default=0, help="of items, orders and options (0)")
    out.add_argument("--lang", choices=questionnaire.LANGS, default="zh", help="of the sheets (zh)")
    out.add_argument("--csv", action="store_true", help="CSV instead of XLSX with drop-downs")
    out.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    out.set_defaults(run_questionnaire=_export)
    back = steps.add_parser("import", help="read the filled sheets, score them, and track them")
    back.add_argument("folder", type=Path, metavar="FOLDER", help="the folder that export wrote")
    back.add_argument(
        "--partial", action="store_true", help="take sheets with unanswered questions"
    )
    back.add_argument(
        "--track", action="store_true", help="a tracked run for each participant (table 6)"
    )
    back.set_defaults(run_questionnaire=_import)


def _export(given: argparse.Namespace) -> None:
    tasks = [task for task in given.tasks.split(",") if task]
    if not tasks or not set(tasks) <= set(TASKS):
        raise UserError(f"--tasks {given.tasks}: expected ms, cc or ms,cc")
    if given.n is not None and given.n < 1:
        raise UserError(f"--n {given.n}: at least 1 item")
    path = None if given.data is None else str(Path(given.data).expanduser().resolve())
    dataset = _data(path)
    if given.n is not None:
        path, dataset = _drawn(dataset, tasks, given)
    made = questionnaire.export(
        dataset,
        given.out,
        groups=questionnaire.parse_groups(given.groups),
        tasks=tasks,
        data=[] if path is None else ["data=files", f"data.path={path}"],
        seed=given.seed,
        lang=given.lang,
        as_csv=given.csv,
    )
    count = len(made.participants[0].questions)
    print(f"{len(made.participants)} participants, {count} questions each:")
    print(f"  hand out   {given.out / questionnaire.SHEETS}: one file a participant")
    print(f"  keep back  {given.out / questionnaire.KEY_FILE}: which letter is which option")
    if given.n is not None:
        print(f"  for models data=files data.path={path}: the same questions")
    print(f"  afterwards python -m mouse.annotate questionnaire import {given.out}")


def _drawn(
    dataset: Dataset, tasks: Sequence[str], given: argparse.Namespace
) -> tuple[str, Dataset]:
    """Some items of each task, written beside the sheets so that models can be asked the same."""
    folder = (given.out / ITEMS).resolve()
    if folder.exists():
        raise UserError(f"{folder} exists: its sheets may be in use; give another --out")
    items = questionnaire.draw(dataset, tasks, given.n, given.seed)
    write(Dataset(f"{dataset.name}-{given.n}", (), tuple(items)), folder, "jsonl")
    return str(folder), load("files", path=str(folder))


def _data(path: str | None) -> Dataset:
    return load("sample") if path is None else load("files", path=path)


def _import(given: argparse.Namespace) -> int:
    key = questionnaire.read_key(given.folder)
    path = next((a.partition("=")[2] for a in key.data if a.startswith("data.path=")), None)
    dataset = _data(path)
    if dataset.fingerprint != key.fingerprint:
        raise UserError(
            f"the data of {given.folder} have changed since its sheets were made: "
            f"fingerprint {dataset.fingerprint[:12]}, not {key.fingerprint[:12]}"
        )
    answers, empty = questionnaire.read_back(given.folder, key, partial=given.partial)
    file = given.folder / questionnaire.ANSWERS
    questionnaire.write_answers(file, key, answers)
    gold = {item.id: item.answer for item in dataset.choices}
    _print(questionnaire.scores(key, answers, gold), key)
    if empty:
        print(f"{len(empty)} questions were left unanswered and count for nobody")
    commands = _commands(key, file)
    if given.track:
        for command in commands:
            done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
            if done.returncode not in (EXIT_COMPLETE, EXIT_INCOMPLETE):
                raise UserError(f"python {shlex.join(command)} failed: {done.stderr.strip()}")
        print(f"{len(commands)} runs tracked, one a participant")
        print("python -m mouse.report NAME shows the groups in table 6")
        return EXIT_COMPLETE
    print("To track them, so that a report's table 6 shows the groups (or use --track):")
    for command in commands:
        print(f"  python {shlex.join(command)}")
    return EXIT_COMPLETE


def _commands(key: Questionnaire, file: Path) -> list[list[str]]:
    """One command of mouse.run a participant."""
    return [
        [
            *("-m", "mouse.run", "model=replay", f"model.name={person.name}"),
            *(f"model.predictions={file.resolve()}", f"model.rater={person.name}"),
            *(f"model.group={person.group}", f"task={','.join(key.tasks)}", *key.data),
            "engine=inline",
        ]
        for person in key.participants
    ]


def _print(found: Sequence[Score], key: Questionnaire) -> None:
    for task in key.tasks:
        print(f"{task}:")
        for score in (one for one in found if one.task == task):
            print(f"  {score.name:<20} {_share(score)}")
        for group in dict.fromkeys(person.group for person in key.participants):
            shares = [
                one.right / one.answered
                for one in found
                if one.task == task and one.group == group and one.answered
            ]
            if shares:
                print(f"  {group} (n = {len(shares)}): {_spread(shares)}")


def _share(score: Score) -> str:
    if not score.answered:
        return "no answer"
    low, high = clopper_pearson(score.right, score.answered, 0.95)
    left = f", {score.unanswered} unanswered" if score.unanswered else ""
    return (
        f"{score.right / score.answered:.3f} [{low:.3f}, {high:.3f}] "
        f"({score.right} of {score.answered}{left})"
    )


def _spread(shares: Sequence[float]) -> str:
    mean = statistics.fmean(shares)
    sd = f"SD {statistics.stdev(shares):.3f}, " if len(shares) > 1 else ""
    return f"mean {mean:.3f}, {sd}from {min(shares):.3f} to {max(shares):.3f}"
