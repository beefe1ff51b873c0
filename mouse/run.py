"""`python -m mouse.run`: compose the configuration, evaluate, print, and say how it went.

Hydra composes and sweeps; this module owns what happens around it: errors become one sentence
and an exit code, a sweep gets one parent run and one leaderboard, and a failed job does not
take the others with it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mouse.config.command_line import is_multirun, rewrite
from mouse.config.composition import compose_and_call, is_sweep, sweep_size, typed
from mouse.errors import (
    EXIT_COMPLETE,
    EXIT_INCOMPLETE,
    EXIT_INTERRUPTED,
    EXIT_UNEXPECTED,
    EXIT_USAGE,
    UserError,
)
from mouse.evaluation import from_manifest, interrupts
from mouse.terminal.command_run import CommandRun, Job
from mouse.terminal.jobs import finish, run_job
from mouse.text.redaction import redact


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code (see DESIGN section 6)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = f"python -m mouse.run {redact(' '.join(given))}".rstrip()
    run = CommandRun(command, sweep=is_multirun(given))
    try:
        load_dotenv()
        with interrupts.remembered(), _composed_from_manifest(given, run) as composed:

            def job(config: Any) -> float:
                return _job(config, run, composed)

            compose_and_call(composed, job)
    except BrokenPipeError:  # the reader of a pipe (`head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_COMPLETE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        run.jobs.append(Job(overrides=(), exit_code=EXIT_INTERRUPTED))
    except UserError as error:
        print(f"mouse.run: {error}", file=sys.stderr)
        return EXIT_USAGE
    finally:
        finish(run)
    return run.exit_code


def load_dotenv() -> None:
    """Read `.env` of the working directory into the environment; what is set already stays."""
    if os.path.isfile(".env"):
        from dotenv import load_dotenv as load

        load(".env")


@contextmanager
def _composed_from_manifest(given: Sequence[str], run: CommandRun) -> Iterator[list[str]]:
    """Hydra's arguments for the command line, with those of `--from-manifest` where it is given."""
    rest, path, allow = from_manifest.take(given)
    if path is None:
        yield rewrite(rest)
        return
    manifest = from_manifest.read_manifest(path)
    if note := from_manifest.code_note(manifest):
        print(f"mouse.run: {note}", file=sys.stderr)
    composed = rewrite(rest)
    run.repeat = from_manifest.Repeat(manifest, allow, from_manifest.overridden(composed))
    with tempfile.TemporaryDirectory(prefix="mouse-") as folder:
        yield from_manifest.arguments(manifest, Path(folder), composed)


def _job(config: Any, run: CommandRun, arguments: Sequence[str]) -> float:
    """One evaluation. Never raises but for an interruption, so that a sweep goes on."""
    from hydra.core.hydra_config import HydraConfig

    hydra = HydraConfig.get()
    job = Job(overrides=tuple(hydra.overrides.task))
    run.jobs.append(job)
    run.sweep = run.sweep or is_sweep(hydra)
    if run.sweep and not run.total:
        run.total = sweep_size(hydra, arguments)
    try:
        with interrupts.unswallowed():
            job.evaluation = run_job(typed(config), run)
        if job.evaluation is None or job.evaluation.result.complete:
            job.exit_code = EXIT_COMPLETE
        else:
            job.exit_code = EXIT_INCOMPLETE
        if job.evaluation is not None and job.evaluation.interrupted:
            raise KeyboardInterrupt
    except UserError as error:
        job.exit_code, job.error = EXIT_USAGE, str(error)
        print(f"mouse.run: {job.error}", file=sys.stderr)
    except KeyboardInterrupt:
        job.exit_code = EXIT_INTERRUPTED
        raise
    except Exception as error:
        traceback.print_exc()
        job.exit_code, job.error = EXIT_UNEXPECTED, f"{type(error).__name__}: {error}"
    return job.headline


if __name__ == "__main__":
    sys.exit(main())
