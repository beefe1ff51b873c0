"""Every module has its test file at the place of its name, or a stated reason in `elsewhere.toml`."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from pathlib import Path

TESTS = Path(__file__).parent
MOUSE = TESTS.parent / "mouse"
ELSEWHERE = tomllib.loads((TESTS / "elsewhere.toml").read_text(encoding="utf-8"))["elsewhere"]


def without_a_test_of_their_name() -> list[str]:
    return [
        str(module)
        for module in sorted(path.relative_to(MOUSE) for path in MOUSE.rglob("*.py"))
        if module.name != "__init__.py"
        and not (TESTS / module.with_name(f"test_{module.name}")).is_file()
    ]


def test_every_module_has_a_test_file_or_a_reason():
    patterns = [pattern for entry in ELSEWHERE for pattern in entry["modules"]]
    missing = without_a_test_of_their_name()
    assert not [name for name in missing if not any(fnmatch(name, one) for one in patterns)]


def test_what_the_reasons_name_exists():
    for entry in ELSEWHERE:
        assert entry["why"]
        assert [name for name in entry["tests"] if not (TESTS / name).is_file()] == []
