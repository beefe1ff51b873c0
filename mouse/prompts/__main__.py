"""`python -m mouse.prompts check FOLDER` and `restore RUN --out FOLDER`.

`check`: whether a folder of templates can be used, task by task. Appendix D of the paper, its
own prompts, is not in the text this project has; whoever has it puts it into such a folder.
`restore`: the templates that a tracked run asked with, as files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mouse.contracts import TASK_CODES
from mouse.errors import EXIT_COMPLETE, EXIT_USAGE, UserError
from mouse.tasks.prompts import PLACEHOLDERS, FolderReport, inspect_folder, template_names
from mouse.tracking.prompt_record import restore_from_run


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
    report = inspect_folder(folder)
    for task in TASK_CODES:
        print(f"{task}: {_state(report, task)}")
    for name in report.ignored:
        print(f"not read: {name} (known: {', '.join(f'{stem}.txt' for stem in PLACEHOLDERS)})")
    for fault in report.faults:
        print(fault, file=sys.stderr)
    if report.faults:
        return EXIT_USAGE
    print(f"Fingerprint {report.fingerprint}")
    print(f"Use it with prompt.path={folder}")
    return EXIT_COMPLETE


def _state(report: FolderReport, task: str) -> str:
    stems = template_names(task)
    if missing := [f"{stem}.txt" for stem in stems if stem not in report.templates]:
        return f"cannot be asked: {', '.join(missing)} missing or faulty"
    forms = {stem: report.templates[stem] for stem in stems}
    no_json = [f"{stem}.txt" for stem, template in forms.items() if not template.json]
    fields = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS[stems[0]])
    without = f"; no [json] in {', '.join(no_json)}: not with task.decoding=json" if no_json else ""
    return f"can be asked; placeholders {fields}{without}"


if __name__ == "__main__":
    raise SystemExit(main())
