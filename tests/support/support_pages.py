"""The code blocks of docs/extending.md: files by their names, and commands."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+) ?([\w./]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(section: str = "") -> list[tuple[str, str, str]]:
    """(language, file name or "", text) of each block, of one `## section` or of the whole page."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0] if section else PAGE
    return BLOCK.findall(text)


def write(section: str, folder: Path) -> str:
    """Write the section's files into `folder`; the arguments of its `mouse.run` command."""
    command = ""
    for language, name, text in blocks(section):
        if name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        elif language == "sh":
            (command,) = re.findall(r"python -m mouse\.run (.+)", text)
    return command
