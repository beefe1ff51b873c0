"""`python -m mouse.prompts check FOLDER` and `restore RUN --out FOLDER`.

`check`: whether a folder of templates can be used, task by task. Appendix D of the paper, its
own prompts, is not in the text this project has; whoever has it puts it into such a folder.
`restore`: the templates that a tracked run asked with, as files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from mouse.errors import EXIT_COMPLETE, EXIT_USAGE, UserError
from mouse.judging.rubric import JudgePrompt
from mouse.tasks.prompts import fingerprint, placeholders, template_names
from mouse.tasks.registry import task_codes
from mouse.tasks.template import Template, parse, read_template
from mouse.tracking.prompt_record import JUDGE, restore_from_run


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command; the exit code is 0, or 2 for wrong usage or a folder with faults."""
    parser = argparse.ArgumentParser(
        prog="python -m mouse.prompts", description="Check and restore prompt templates."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="faults of a folder of templates, task by task")
    check.add_argument("folder", type=Path)
    restore = commands.add_parser("restore", help="write the templates of a tracked run")
    restore.add_argument("run", help="the run's id, or its beginning")
    restore.add_argument("--out", type=Path, required=True, help="a folder that is not there yet")
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as end:
        return int(end.code or 0)
    try:
        if arguments.command == "check":
            return _check(arguments.folder)
        files = restore_from_run(arguments.run, arguments.out)
    except UserError as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE
    print(f"{len(files)} files in {arguments.out}: {', '.join(file.name for file in files)}")
    print(f"Use them with prompt.path={arguments.out}")
    return EXIT_COMPLETE


def _check(folder: Path) -> int:
    folder = folder.expanduser()
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder with prompt templates.")
    templates: dict[str, Template] = {}
    texts: dict[str, str] = {}
    faults: list[str] = []
    for stem, names in placeholders().items():
        file = folder / f"{stem}.txt"
        try:
            if file.is_file():
                texts[stem] = read_template(file)
                templates[stem] = parse(stem, texts[stem], file, names)
        except UserError as error:
            faults.append(str(error))
    found = {file.stem for file in folder.glob("*.txt")}
    known = ", ".join(f"{stem}.txt" for stem in placeholders())
    if not found & set(placeholders()):
        faults.append(f"Prompt folder {folder} has no template: expected are {known}.")
    for task in task_codes():
        print(f"{task}: {_state(templates, task)}")
    faults += _check_judge(folder / f"{JUDGE}.txt")
    for stem in sorted(found - set(placeholders()) - {JUDGE}):
        print(f"not read: {stem}.txt (known: {known})")
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return EXIT_USAGE
    print(f"Fingerprint {fingerprint(texts)}")
    print(f"Use it with prompt.path={folder}")
    return EXIT_COMPLETE


def _state(templates: Mapping[str, Template], task: str) -> str:
    stems = template_names(task)
    if missing := [f"{stem}.txt" for stem in stems if stem not in templates]:
        return f"cannot be asked: {', '.join(missing)} missing or faulty"
    forms = {stem: templates[stem] for stem in stems}
    steps = [f"{stem}.txt" for stem, template in forms.items() if template.steps]
    no_answer = [f"{stem}.txt" for stem, template in forms.items() if not template.answer]
    no_json = [f"{stem}.txt" for stem, template in forms.items() if not template.json]
    fields = ", ".join(f"{{{name}}}" for name in placeholders()[stems[0]])
    notes = [
        f"[steps] in {', '.join(steps)}: only with task.decoding=free and prompt.shots=0"
        if steps
        else f"no [json] in {', '.join(no_json)}: not with task.decoding=json"
        if no_json
        else "",
        f"no [answer] in {', '.join(no_answer)}: [system] has to say how to answer"
        if no_answer
        else "",
    ]
    return "; ".join([f"can be asked; placeholders {fields}", *filter(None, notes)])


def _check_judge(file: Path) -> list[str]:
    """Say what the judge's prompt can be used for, where there is one; return its faults."""
    if not file.is_file():
        return []
    can: list[str] = []
    faults: list[str] = []
    for name, decoding, rationale in (
        ("a digit", "free", False),
        ("JSON", "json", False),
        ("a rationale", "free", True),
    ):
        try:
            JudgePrompt.load("", str(file), decoding, rationale)
            can.append(name)
        except UserError as error:
            faults.append(str(error))
    if not can:
        return faults[:1]
    print(f"judge: can answer with {', '.join(can)}; use it with judge.prompt_path={file}")
    return []


if __name__ == "__main__":
    raise SystemExit(main())
