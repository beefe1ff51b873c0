"""Sets of prompt templates: found, checked, and fingerprinted as a whole."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mouse.errors import UserError
from mouse.tasks.registry import PAPER, all_tasks, get_task
from mouse.tasks.template import Template, parse, read_template

BUILT_IN = Path(__file__).resolve().parent / "templates"


def placeholders() -> dict[str, tuple[str, ...]]:
    """Each template's name and the placeholders that its `[user]` section must hold."""
    return {stem: task.placeholders for task in all_tasks().values() for stem in task.templates}


def template_names(task: str) -> tuple[str, ...]:
    """Names (file stems) of the templates that a task uses."""
    return tuple(get_task(task).templates)


@dataclass(frozen=True)
class PromptSet:
    """The templates of one folder.

    `fingerprint`: SHA-256 over the names and contents of the template files, the same on every
    operating system (line ends are normalised). Files of other names in the folder are not read.
    """

    name: str
    templates: Mapping[str, Template]
    fingerprint: str
    texts: Mapping[str, str] = field(default_factory=dict)
    """The files' contents by their stems, from which `write` makes the folder again."""

    @classmethod
    def load(
        cls,
        name: str = "zh",
        path: str | Path | None = None,
        tasks: Collection[str] | None = None,
    ) -> PromptSet:
        """Read the built-in set `name`, or the user's folder `path` with the same file names.

        `tasks` are those whose templates must be there, the paper's if None. A task from outside
        the package brings templates of its own (`Task.prompts`), taken where the folder has none;
        those of tasks that are not asked are not read. Raises `UserError` for an unknown name, a
        missing folder or file, a section or placeholder that is missing or not known.
        """
        folder = Path(path).expanduser() if path else BUILT_IN / name
        if not path and (name in {"", ".", ".."} or "/" in name or not folder.is_dir()):
            known = ", ".join(built_in_sets())
            raise UserError(f"There is no prompt set {name!r}: choose one of {known}.")
        if not folder.is_dir():
            raise UserError(f"prompt.path={folder} is not a folder with prompt templates.")
        paper = [task.code for task in PAPER]
        needed = paper if tasks is None else tasks
        templates, texts = {}, {}
        missing: list[Path] = []
        for code in dict.fromkeys([*paper, *needed]):
            task = get_task(code)
            for stem in task.templates:
                file = folder / f"{stem}.txt"
                if task.prompts is not None and not file.is_file():
                    file = task.prompts / name / f"{stem}.txt"
                if file.is_file():
                    texts[stem] = read_template(file)
                    templates[stem] = parse(stem, texts[stem], file, task.placeholders)
                elif code in needed:
                    missing.append(file)
        if missing:
            where = missing[0].parent
            names = ", ".join(file.name for file in missing if file.parent == where)
            remedy = (
                "copy them from the built-in set mouse/tasks/templates/zh and change the wording "
                "there."
                if path and where == folder
                else "write them there, one for each prompt set that the task is asked with."
            )
            raise UserError(f"Prompt folder {where} lacks {names}: {remedy}")
        return cls(name=name, templates=templates, fingerprint=fingerprint(texts), texts=texts)

    def template(self, task: str, variant: str = "") -> Template:
        """The template of a task, or of one component for `rc`."""
        stem = f"{task}_{variant}" if variant else task
        if stem not in self.templates:
            raise UserError(f"Prompt set {self.name!r} was loaded without {stem}.txt.")
        return self.templates[stem]


@dataclass(frozen=True)
class FolderReport:
    """What `inspect_folder` found: the templates that can be used, and a sentence a fault."""

    templates: Mapping[str, Template]
    faults: tuple[str, ...]
    ignored: tuple[str, ...]
    """Other `.txt` files in the folder, whose names may be misspelt; `judge.txt` is the judge's."""
    fingerprint: str


def inspect_folder(folder: Path) -> FolderReport:
    """Every fault of a folder of templates at once. Raises `UserError` where it is no folder."""
    folder = folder.expanduser()
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder with prompt templates.")
    templates: dict[str, Template] = {}
    texts: dict[str, str] = {}
    faults: list[str] = []
    known = placeholders()
    for stem, names in known.items():
        file = folder / f"{stem}.txt"
        try:
            if file.is_file():
                texts[stem] = read_template(file)
                templates[stem] = parse(stem, texts[stem], file, names)
        except UserError as error:
            faults.append(str(error))
    found = {file.stem for file in folder.glob("*.txt")}
    if not found & set(known):
        faults.append(
            f"Prompt folder {folder} has no template: expected are "
            f"{', '.join(f'{stem}.txt' for stem in known)}."
        )
    ignored = tuple(f"{stem}.txt" for stem in sorted(found - set(known) - {"judge"}))
    return FolderReport(templates, tuple(faults), ignored, fingerprint(texts))


def built_in_sets() -> list[str]:
    """Names of the prompt sets that come with mouse, sorted."""
    return sorted(entry.name for entry in BUILT_IN.iterdir() if (entry / "tr.txt").is_file())


def fingerprint(texts: Mapping[str, str]) -> str:
    """SHA-256 over template files, by stem in the order of `placeholders`; other stems are none."""
    digest = hashlib.sha256()
    for stem in placeholders():
        if stem in texts:
            digest.update(f"{stem}\0{texts[stem]}\0".encode())
    return digest.hexdigest()
