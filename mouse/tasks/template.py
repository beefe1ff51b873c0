"""One prompt template: a plain text file, read, checked and filled in.

A template is `<task>.txt` (for `rc` one a component: `rc_homophonic.txt`, …) with the sections
`[system]` (optional), `[steps]` (to think in the text first; the answer then stands behind the
last `答案：` or `Answer:`; optional), `[answer]` (how to answer; optional), `[json]` (how to answer
in JSON; needed for `task.decoding=json` only) and `[user]` (the item). Placeholders stand in `[user]` alone, so
that all requests of a task begin with the same tokens and a server's prefix cache can serve them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mouse.contracts import Decoding, Message
from mouse.errors import UserError

_SECTIONS = ("system", "steps", "answer", "json", "user")
_SECTION_LINE = re.compile(r"^\[([^\[\]\n]+)\][ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")


class Templates(Protocol):
    """A set of templates, as `mouse.tasks.prompts.PromptSet` is."""

    def template(self, task: str, variant: str = "") -> Template: ...


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


def read_template(file: Path) -> str:
    """A template's text with plain line ends. Raises `UserError` where it is not UTF-8."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"Prompt template {file} is not UTF-8 (byte {error.start}).") from None
    return text.replace("\r\n", "\n").strip() + "\n"


def parse(stem: str, text: str, file: Path, placeholders: tuple[str, ...]) -> Template:
    """The template `stem` from its file's text, whose `[user]` section must hold `placeholders`.

    Raises `UserError` for a section or placeholder that is missing or not known.
    """
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
    _check_placeholders(sections, placeholders, file)
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
