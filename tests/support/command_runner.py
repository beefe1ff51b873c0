"""A command called in this process as a shell would call it: folder, environment, what it printed."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ended:
    """A command that ended: its exit code and what it printed."""

    code: int
    out: str
    err: str


def call(
    main: Callable[[Sequence[str]], int],
    arguments: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
) -> Ended:
    """`main(arguments)` in `folder`, with `environment` on top of this process's own.

    Folder and environment are as before when it returns, also what the command changed itself.
    """
    place, before = Path.cwd(), dict(os.environ)
    out, err = io.StringIO(), io.StringIO()
    os.chdir(folder)
    os.environ.update(environment)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(list(arguments))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        os.chdir(place)
        os.environ.clear()
        os.environ.update(before)
    return Ended(code, out.getvalue(), err.getvalue())
