"""What produced a run: the code's commit, the libraries' versions."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

LIBRARIES = ("mlflow", "hydra-core", "ray", "openai", "vllm", "scikit-learn", "numpy", "scipy")


@dataclass(frozen=True)
class Code:
    """The state of the source. Empty `commit` where mouse does not run from a git checkout.

    `fingerprint`: SHA-256 over the package's Python files, which also names an installed wheel
    and a checkout with changes.
    """

    commit: str = ""
    dirty: bool = False
    fingerprint: str = ""


@cache
def code() -> Code:
    """Commit of the checkout that holds this package, and whether tracked files differ from it."""
    package = Path(__file__).resolve().parent.parent
    # A virtual environment inside someone's repository is not a checkout of mouse.
    if _git(package, "ls-files", "--error-unmatch", "__init__.py") is None:
        return Code(fingerprint=fingerprint(package))
    commit = _git(package, "rev-parse", "HEAD")
    changes = _git(package, "status", "--porcelain", "--untracked-files=no")
    return Code(commit or "", bool(changes), fingerprint(package))


def fingerprint(folder: Path) -> str:
    """SHA-256 over names and contents of the Python files below `folder`, line ends aside."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).as_posix()):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        name = path.relative_to(folder).as_posix()
        digest.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()


@cache
def versions() -> dict[str, str]:
    """Versions of Python, mouse and the libraries that decide a result, where installed."""
    found = {"python": platform.python_version()}
    for name in ("mouse", *LIBRARIES):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
