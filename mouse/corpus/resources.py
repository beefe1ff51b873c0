"""Where files lie: what ships with mouse (`conf/`, `data/`), and the folder of its state."""

from __future__ import annotations

import os
from pathlib import Path

from mouse.errors import UserError


def home() -> Path:
    """The absolute folder of all state: `$MOUSE_HOME`, else `mlruns/` of the working directory."""
    return Path(os.environ.get("MOUSE_HOME") or "mlruns").expanduser().resolve()


def shipped_path(name: str) -> Path:
    """Path of `conf` or `data/…`: inside an installed wheel first, then in the checkout."""
    package = Path(__file__).resolve().parents[1]
    for base in (package, package.parent):
        if (base / name).exists():
            return base / name
    raise UserError(f"mouse is installed without {name}: reinstall the package")


def data_path(name: str) -> Path:
    """Path of `data/<name>`; raises as `shipped_path` does."""
    return shipped_path(f"data/{name}")


def read_table(name: str) -> list[tuple[str, ...]]:
    """Rows of a tab-separated table under `data/`, cells as written; blank and `##` lines are left out.

    A comment takes two signs because `#` itself may be a cell.
    """
    text = data_path(name).read_text(encoding="utf-8")
    return [
        tuple(line.split("\t"))
        for line in text.split("\n")
        if line.strip() and not line.startswith("##")
    ]
