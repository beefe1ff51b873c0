"""Lists imports of mouse's own modules inside functions; exit code 1 where there are any.

Such an import hides a circle between modules from readers and from import-linter. Imports of heavy
third-party packages belong inside functions, so that `--help` and a configuration error answer
quickly; ruff's TID253 (pyproject.toml) sees to those.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "mouse"


def inside_functions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, module) of each import of `mouse` in a function's body."""
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom):
                    names = [node.module or ""]
                elif isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                else:
                    continue
                yield from ((node.lineno, name) for name in names if name.split(".")[0] == "mouse")


def main() -> int:
    found = sorted(
        {
            f"{file.relative_to(PACKAGE.parent)}:{line}: import of {name} inside a function"
            for file in PACKAGE.rglob("*.py")
            for line, name in inside_functions(ast.parse(file.read_text(encoding="utf-8")))
        }
    )
    print("\n".join(found) or "no import of mouse's own modules inside a function")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
