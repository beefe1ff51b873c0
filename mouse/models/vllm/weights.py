"""Says which weights lie in a local model folder: one SHA-256 over the files that decide answers.

Reading 60 GB takes minutes, so what each file hashed to is remembered under `MOUSE_HOME`, and a
file whose size and time of change are the same is not read again. The hash itself depends on
names and contents alone, so a copied folder is the same model.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

log = logging.getLogger(__name__)

SUFFIXES = frozenset(
    {".json", ".safetensors", ".bin", ".pt", ".pth", ".gguf", ".model", ".jinja", ".tiktoken"}
    | {".py", ".txt"}
)
"""Weights, configuration, tokenizer, chat template and custom code; not README, licence, images."""

_SLOW_BYTES = 2 * 2**30

Known = dict[str, tuple[int, int, str]]
"""Relative path → size in bytes, time of change in ns, SHA-256."""


def weights_hash(folder: Path, memory: Path | None = None) -> str:
    """SHA-256 (64 hexadecimal digits) of the model in `folder`; raises `OSError`.

    `memory`: folder in which file hashes are remembered. One that cannot be read or written is
    done without.
    """
    folder = folder.resolve()
    sidecar = memory / f"{_digest(str(folder).encode())[:24]}.json" if memory else None
    known = _read(sidecar)
    files = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
    stats = {name: (path.stat().st_size, path.stat().st_mtime_ns) for name, path in files.items()}
    fresh = {name for name, stat in stats.items() if known.get(name, ())[:2] != stat}
    size = sum(stats[name][0] for name in fresh)
    if size > _SLOW_BYTES:
        log.warning("Hashing the weights in %s (%.0f GB), once.", folder, size / 1e9)
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        hashed = dict(
            zip(fresh, pool.map(_hash_file, [files[name] for name in fresh]), strict=True)
        )
    now: Known = {
        name: (*stat, hashed[name] if name in fresh else known[name][2])
        for name, stat in stats.items()
    }
    if sidecar is not None and now != known:
        _write(sidecar, now)
    # NUL cannot be part of a name, so no two folders render alike.
    return _digest("".join(f"{name}\0{now[name][2]}\n" for name in sorted(now)).encode())


def _files(folder: Path) -> Iterator[Path]:
    """Files that decide answers, hidden ones (`.git`, `.cache`) left out."""
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden and path.suffix.lower() in SUFFIXES and path.is_file():
            yield path


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # without the GIL: threads help


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _read(sidecar: Path | None) -> Known:
    if sidecar is None:
        return {}
    try:
        rows = json.loads(sidecar.read_text("utf-8"))
        return {str(name): (int(row[0]), int(row[1]), str(row[2])) for name, row in rows.items()}
    except (OSError, ValueError, TypeError, AttributeError, LookupError):
        return {}


def _write(sidecar: Path, known: Known) -> None:
    with contextlib.suppress(OSError):
        sidecar.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=sidecar.parent, prefix=".", suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known, file)
        os.replace(name, sidecar)  # two runs at once: one of two whole files stays
