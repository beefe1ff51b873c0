"""docs/architecture.md names every room, and only files that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_room_and_every_command_stands_on_the_page():
    names = {path.parent.name for path in ROOT.glob("mouse/*/__init__.py")}
    names |= {path.stem for path in ROOT.glob("mouse/[a-z]*.py")}
    table = PAGE.split("## The rooms")[1].split("## The way")[0]
    assert names <= set(re.findall(r"`(\w+)/?`", table))


def test_every_room_says_what_it_holds():
    for room in ROOT.glob("mouse/*/__init__.py"):
        assert room.read_text(encoding="utf-8").startswith('"""'), room


def test_files_that_the_page_names_exist():
    named = re.findall(r"`(?:mouse/)?([\w/]+\.py)`", PAGE)
    assert len(named) > 20
    for name in named:
        assert list(ROOT.glob(f"mouse/**/{name}")), name
