"""Finds data that ships with mouse: inside an installed wheel first, then in the checkout."""

from __future__ import annotations

from pathlib import Path


def data_path(name: str) -> Path:
    """Path of `data/<name>`. Raises `FileNotFoundError` if the installation lacks it."""
    package = Path(__file__).resolve().parents[1]
    for base in (package / "data", package.parent / "data"):
        if (base / name).exists():
            return base / name
    raise FileNotFoundError(f"mouse is installed without data/{name}: reinstall the package")
