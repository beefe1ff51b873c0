"""Prompt templates: plain text files, read, checked, fingerprinted and filled in.

A template is `<task>.txt` (for `rc` one a component: `rc_homophonic.txt`, …) with the sections
`[system]` (optional), `[steps]` (to think in the text first; the answer then stands behind the
last `答案：` or `Answer:`; optional), `[answer]` (how to answer; optional), `[json]` (how to answer
in JSON; needed for `task.decoding=json` only) and `[user]` (the item). Placeholders stand in `[user]` alone, so
that all requests of a task begin with the same tokens and a server's prefix cache can serve them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mouse.contracts import TASK_CODES, Decoding, Message
from mouse.corpus.items import COMPONENTS
from mouse.errors import UserError

BUILT_IN = Path(__file__).resolve().parent / "templates"

PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "tr": ("text",),
    **{f"rc_{component}": ("text",) for component in COMPONENTS},
    "ir": ("text",),
    "td": ("text",),
    "ms": ("text", "options"),
    "cc": ("context", "text", "options"),
}
"""Each template's name and the placeholders that its `[user]` section must hold."""

_SECTIONS = ("system", "steps", "answer", "json", "user")
_SECTION_LINE = re.compile(r"^\[([^\[\]\n]+)\][ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")


def template_names(task: str) -> tuple[str, ...]:
    """Names (file stems) of the templates that a task uses."""
    return tuple(name for name in PLACEHOLDERS if name.split("_")[0] == task)


@dataclass(frozen=True, slots=True)
class Template:
    """One parsed template file; sections are stripped of surrounding white space."""

    name: str
    system: str
    steps: str
    answer: str
    json: str
    user: str

    def instructions(self, decoding: Decoding) -> str:
        """The constant part: what to do and how to answer; empty if the file has neither."""
        if self.steps and decoding != "free":
            raise UserError(
                f"Prompt template {self.name}.txt asks to think first ([steps]), for which "
                f"task.decoding={decoding} leaves no room: use task.decoding=free."
            )
        if decoding == "json" and not self.json:
            raise UserError(
                f"Prompt template {self.name}.txt has no [json] section, which task.decoding=json "
                "needs: add one that says how to answer in JSON."
            )
        how = self.json if decoding == "json" else self.answer
        return "\n\n".join(part for part in (self.system, self.steps, how) if part)

    def question(self, fields: Mapping[str, str]) -> str:
        """The `[user]` section with the item put in, in one pass: braces in it stay as they are."""
        return _PLACEHOLDER.sub(lambda match: fields[match.group(1)], self.user)

    def messages(
        self,
        fields: Mapping[str, str],
        examples: Sequence[tuple[Mapping[str, str], str]] = (),
        decoding: Decoding = Decoding.free,
    ) -> tuple[Message, ...]:
        """System message, examples as user and assistant turns, and the item last."""
        instructions = self.instructions(decoding)
        turns = [Message("system", instructions)] if instructions else []
        for example, answer in examples:
            turns.append(Message("user", self.question(example)))
            turns.append(Message("assistant", answer))
        turns.append(Message("user", self.question(fields)))
        return tuple(turns)


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
        tasks: Collection[str] = TASK_CODES,
    ) -> PromptSet:
        """Read the built-in set `name`, or the user's folder `path` with the same file names.

        `tasks` are those whose templates must be there. Raises `UserError` for an unknown name,
        a missing folder or file, a section or placeholder that is missing or not known.
        """
        folder = Path(path).expanduser() if path else BUILT_IN / name
        if not path and (name in {"", ".", ".."} or "/" in name or not folder.is_dir()):
            known = ", ".join(built_in_sets())
            raise UserError(f"There is no prompt set {name!r}: choose one of {known}.")
        if not folder.is_dir():
            raise UserError(f"prompt.path={folder} is not a folder with prompt templates.")
        needed = [template for task in tasks for template in template_names(task)]
        missing = [f"{stem}.txt" for stem in needed if not (folder / f"{stem}.txt").is_file()]
        if missing:
            raise UserError(
                f"Prompt folder {folder} lacks {', '.join(missing)}: copy them from the built-in "
                "set mouse/tasks/templates/zh and change the wording there."
            )
        templates, texts = {}, {}
        for stem in PLACEHOLDERS:
            file = folder / f"{stem}.txt"
            if not file.is_file():
                continue
            texts[stem] = read_template(file)
            templates[stem] = _parse(stem, texts[stem], file)
        return cls(name=name, templates=templates, fingerprint=fingerprint(texts), texts=texts)

    def template(self, task: str, variant: str = "") -> Template:
        """The template of a task, or of one component for `rc`."""
        stem = f"{task}_{variant}" if variant else task
        if stem not in self.templates:
            raise UserError(f"Prompt set {self.name!r} has no template {stem}.txt.")
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
    for stem in PLACEHOLDERS:
        file = folder / f"{stem}.txt"
        try:
            if file.is_file():
                texts[stem] = read_template(file)
                templates[stem] = _parse(stem, texts[stem], file)
        except UserError as error:
            faults.append(str(error))
    found = {file.stem for file in folder.glob("*.txt")}
    if not found & set(PLACEHOLDERS):
        faults.append(
            f"Prompt folder {folder} has no template: expected are "
            f"{', '.join(f'{stem}.txt' for stem in PLACEHOLDERS)}."
        )
    ignored = tuple(f"{stem}.txt" for stem in sorted(found - set(PLACEHOLDERS) - {"judge"}))
    return FolderReport(templates, tuple(faults), ignored, fingerprint(texts))


def built_in_sets() -> list[str]:
    """Names of the prompt sets that come with mouse, sorted."""
    return sorted(entry.name for entry in BUILT_IN.iterdir() if (entry / "tr.txt").is_file())


def fingerprint(texts: Mapping[str, str]) -> str:
    """SHA-256 over template files, by stem in the order of `PLACEHOLDERS`; other stems are none."""
    digest = hashlib.sha256()
    for stem in PLACEHOLDERS:
        if stem in texts:
            digest.update(f"{stem}\0{texts[stem]}\0".encode())
    return digest.hexdigest()


def read_template(file: Path) -> str:
    """A template's text with plain line ends. Raises `UserError` where it is not UTF-8."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"Prompt template {file} is not UTF-8 (byte {error.start}).") from None
    return text.replace("\r\n", "\n").strip() + "\n"


def _parse(stem: str, text: str, file: Path) -> Template:
    parts = _SECTION_LINE.split(text)
    if parts[0].strip():
        raise UserError(f"Prompt template {file} must begin with a section such as [system].")
    sections = dict.fromkeys(_SECTIONS, "")
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        if title not in sections:
            expected = ", ".join(f"[{section}]" for section in _SECTIONS)
            raise UserError(f"Prompt template {file} has a section [{title}]; known: {expected}.")
        if sections[title]:
            raise UserError(f"Prompt template {file} has the section [{title}] twice.")
        sections[title] = body.strip()
    if not sections["user"]:
        raise UserError(f"Prompt template {file} has no [user] section, where the item goes.")
    _check_placeholders(sections, PLACEHOLDERS[stem], file)
    return Template(name=stem, **sections)


def _check_placeholders(sections: Mapping[str, str], known: tuple[str, ...], file: Path) -> None:
    listed = ", ".join(f"{{{name}}}" for name in known)
    found = set(_PLACEHOLDER.findall(sections["user"]))
    for name in known:
        if name not in found:
            raise UserError(
                f"Prompt template {file} lacks the placeholder {{{name}}} in [user]; "
                f"this task needs {listed}."
            )
    for name in sorted(found - set(known)):
        raise UserError(
            f"Prompt template {file} has an unknown placeholder {{{name}}}; known: {listed}."
        )
    for title in ("system", "steps", "answer", "json"):
        for name in _PLACEHOLDER.findall(sections[title]):
            if name in known:
                raise UserError(
                    f"Prompt template {file} has {{{name}}} in [{title}]: the item goes into "
                    "[user] only, so that the constant part comes first."
                )
