"""Seals the files of a run: their SHA-256 in `checksums.json`, and that file's own in a tag.

The list lies beside the files, its hash in the database: whoever changes a file must change three
places to go unnoticed. This finds damage and edits, not a forger with access to all of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NAME = "checksums.json"
TAG = "checksums_sha256"


@dataclass(frozen=True)
class Damage:
    """Paths relative to a run's folder. `added` files were not there when it was sealed."""

    changed: tuple[str, ...]
    missing: tuple[str, ...]
    added: tuple[str, ...]


def write(folder: Path) -> str:
    """Write `checksums.json` over all files under `folder`; return the hash of the list."""
    text = json.dumps(_hashes(folder), ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    (folder / NAME).write_text(text, encoding="utf-8")
    return sha256(folder / NAME)


def read(folder: Path) -> dict[str, str]:
    """Path → SHA-256 as sealed. Raises `ValueError` where the list cannot be read as one."""
    try:
        listed = json.loads((folder / NAME).read_bytes())
    except (OSError, ValueError) as error:
        raise ValueError(f"{NAME} cannot be read ({error})") from error
    if not isinstance(listed, dict) or not all(isinstance(v, str) for v in listed.values()):
        raise ValueError(f"{NAME} is not a list of checksums")
    return listed


def damage(folder: Path, listed: Mapping[str, str]) -> Damage:
    """What differs between the files that are there and those that were sealed."""
    there = _hashes(folder)
    return Damage(
        changed=tuple(
            path for path in sorted(listed) if there.get(path, listed[path]) != listed[path]
        ),
        missing=tuple(sorted(listed.keys() - there.keys())),
        added=tuple(sorted(there.keys() - listed.keys())),
    )


def sha256(path: Path) -> str:
    """SHA-256 of a file, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _hashes(folder: Path) -> dict[str, str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {
        name: sha256(path)
        for path in paths
        if (name := path.relative_to(folder).as_posix()) != NAME
    }
