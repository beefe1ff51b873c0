"""`python -m mouse.run`: compose the configuration, evaluate, print, and say how it went.

Hydra composes and sweeps; this module owns what happens around it: errors become one sentence
and an exit code, a sweep gets one parent run and one leaderboard, and a failed job does not
take the others with it. Nothing heavy is imported before a configuration has been accepted.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mouse.config.command_line import is_multirun, rewrite
from mouse.errors import (
    EXIT_COMPLETE,
    EXIT_INCOMPLETE,
    EXIT_INTERRUPTED,
    EXIT_UNEXPECTED,
    EXIT_USAGE,
    UserError,
)
from mouse.evaluation import interrupts
from mouse.tasks.registry import get_task
from mouse.text.redaction import redact

if TYPE_CHECKING:
    from mouse.evaluation.evaluate import Evaluation
    from mouse.evaluation.from_manifest import Repeat


@dataclass
class Job:
    """One evaluation of a command, as it ended."""

    overrides: Sequence[str]
    exit_code: int = EXIT_UNEXPECTED
    evaluation: Evaluation | None = None
    error: str = ""


@dataclass
class Session:
    """All jobs of one command; a sweep has several and one parent run in MLflow."""

    command: str
    arguments: Sequence[str]
    sweep: bool
    jobs: list[Job] = field(default_factory=list)
    parent_run_id: str | None = None
    total: int = 0
    """Jobs of the sweep; 0 where the sweeper does not say in advance."""
    repeat: Repeat | None = None
    """The run that this command repeats (`--from-manifest`)."""

    @property
    def exit_code(self) -> int:
        """The worst of the jobs: interrupted, unexpected, usage, incomplete, complete."""
        codes = {job.exit_code for job in self.jobs}
        for code in (EXIT_INTERRUPTED, EXIT_UNEXPECTED, EXIT_USAGE, EXIT_INCOMPLETE):
            if code in codes:
                return code
        return EXIT_COMPLETE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code (see DESIGN section 6)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    session = Session(
        command=f"python -m mouse.run {redact(' '.join(given))}".rstrip(),
        arguments=(),
        sweep=is_multirun(given),
    )
    try:
        load_dotenv()
        with interrupts.remembered(), _composed_from_manifest(given, session) as composed:
            session.arguments = composed
            _compose_and_run(session.arguments, session)
    except BrokenPipeError:  # the reader of a pipe (`head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_COMPLETE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        session.jobs.append(Job(overrides=(), exit_code=EXIT_INTERRUPTED))
    except UserError as error:
        print(f"mouse.run: {error}", file=sys.stderr)
        return EXIT_USAGE
    finally:
        _finish(session)
    return session.exit_code


def load_dotenv() -> None:
    """Read `.env` of the working directory into the environment; what is set already stays."""
    if os.path.isfile(".env"):
        from dotenv import load_dotenv as load

        load(".env")


@contextmanager
def _composed_from_manifest(given: Sequence[str], session: Session) -> Iterator[list[str]]:
    """Hydra's arguments for the command line, with those of `--from-manifest` where it is given."""
    from mouse.evaluation import from_manifest

    rest, path, allow = from_manifest.take(given)
    if path is None:
        yield rewrite(rest)
        return
    manifest = from_manifest.read_manifest(path)
    if note := from_manifest.code_note(manifest):
        print(f"mouse.run: {note}", file=sys.stderr)
    composed = rewrite(rest)
    session.repeat = from_manifest.Repeat(manifest, allow, from_manifest.overridden(composed))
    with tempfile.TemporaryDirectory(prefix="mouse-") as folder:
        yield from_manifest.arguments(manifest, Path(folder), composed)


def _compose_and_run(arguments: Sequence[str], session: Session) -> None:
    """Hand the arguments to Hydra; its complaints become a `UserError` of one sentence."""
    import hydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from mouse.config.schema import conf_dir, register

    register()
    # Hydra would print and exit 1 by itself; with the full error it raises, and we word it.
    os.environ["HYDRA_FULL_ERROR"] = "1"

    def job(config: Any) -> float:
        return _job(config, session)

    wrapped = hydra.main(version_base="1.3", config_path=str(conf_dir()), config_name="config")(job)
    before = sys.argv
    sys.argv = ["mouse-run", *arguments]  # the name that shell completion registers
    try:
        wrapped()
    except (HydraException, OmegaConfBaseException, OSError) as error:
        if isinstance(error, OSError) and not isinstance(error, HydraException):
            raise
        raise UserError(_one_sentence(error)) from error
    finally:
        sys.argv = before


def _job(config: Any, session: Session) -> float:
    """One evaluation. Never raises but for an interruption, so that a sweep goes on."""
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    hydra = HydraConfig.get()
    job = Job(overrides=tuple(hydra.overrides.task))
    session.jobs.append(job)
    if hydra.mode is RunMode.MULTIRUN and not session.sweep:
        session.sweep = True  # an experiment may ask for a sweep without -m
    if session.sweep and not session.total:
        session.total = sweep_size(hydra, session.arguments)
    try:
        typed: Any = OmegaConf.to_object(config)
        from mouse.terminal.session import run_job

        with interrupts.unswallowed():
            job.evaluation = run_job(typed, session)
        if job.evaluation is None:
            job.exit_code = EXIT_COMPLETE
            return float("nan")
        if job.evaluation.interrupted:
            job.exit_code = EXIT_INTERRUPTED
            raise KeyboardInterrupt
        job.exit_code = EXIT_COMPLETE if job.evaluation.result.complete else EXIT_INCOMPLETE
        return headline(job.evaluation)
    except UserError as error:
        job.exit_code, job.error = EXIT_USAGE, str(error)
    except OmegaConfBaseException as error:
        job.exit_code, job.error = EXIT_USAGE, _one_sentence(error)
    except KeyboardInterrupt:
        job.exit_code = EXIT_INTERRUPTED
        raise
    except Exception as error:
        import traceback

        traceback.print_exc()
        job.exit_code, job.error = EXIT_UNEXPECTED, f"{type(error).__name__}: {error}"
        return float("nan")
    print(f"mouse.run: {job.error}", file=sys.stderr)
    return float("nan")


def sweep_size(hydra: Any, arguments: Sequence[str]) -> int:
    """Number of jobs of Hydra's basic sweeper; 0 for another, which decides as it goes."""
    import math

    from hydra.core.override_parser.overrides_parser import OverridesParser

    if not hydra.sweeper._target_.endswith("BasicSweeper"):
        return 0
    swept = {key: f"{key}={value}" for key, value in (hydra.sweeper.params or {}).items()}
    for argument in arguments:
        key, equals, _ = argument.partition("=")
        if equals and not key.startswith("-"):
            swept[key] = argument
    parsed = OverridesParser.create().parse_overrides(list(swept.values()))
    return math.prod(
        len(list(override.sweep_iterator())) for override in parsed if override.is_sweep_override()
    )


def headline(evaluation: Evaluation) -> float:
    """Mean of the first headline metric of each task: what an Optuna sweep maximises."""

    values = []
    for task in evaluation.result.tasks:
        by_name = {metric.name: metric.value for metric in task.metrics}
        first = get_task(task.task).headline_names[0]
        if first in by_name:
            values.append(by_name[first])
    return sum(values) / len(values) if values else float("nan")


def _finish(session: Session) -> None:
    if "mouse.terminal.session" in sys.modules:
        from mouse.terminal.session import finish

        finish(session)


def _one_sentence(error: BaseException) -> str:
    """Hydra's and OmegaConf's messages in a user's words, without their object dumps."""
    import difflib
    import re

    text = f"{error}\n{error.__cause__ or ''}"
    missing = re.search(r"Could not find '([^'/]+)/([^']*)'", text)
    if missing:
        from mouse.config.schema import options

        group, name = missing.groups()
        if name == "sweeper/optuna":
            return "the Optuna sweeper is not installed: pip install 'mouse[sweep]'."
        known = options(group)
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {group}={close[0]}?" if close else ""
        return f"{group}={name}: there is no such {group}; known are {', '.join(known)}.{hint}"
    key = re.search(r"full_key: (\S+)", text)
    if "is not in struct" in text and key:
        return f"{key.group(1)}: there is no such key yet; add it with +{key.group(1)}=…"
    unknown = re.search(r"Key '([^']+)' not in '([^']+)'", text)
    if unknown and key:
        return f"{key.group(1)}: there is no such key; see all keys with --cfg job."
    value = re.search(r"Value '(.*)' of type '\w+' could not be converted to (\w+)", text)
    if value and key:
        return f"{key.group(1)}={value.group(1)}: {value.group(2)} is expected."
    wrong = re.search(r"Invalid value '(.*)', expected one of \[(.*)\]", text)
    if wrong and key:
        return f"{key.group(1)}={wrong.group(1)}: expected one of {wrong.group(2)}."
    if "Ambiguous value for argument" in text:
        argument = re.search(r"argument '([^']+)'", text)
        shown = argument.group(1) if argument else "an argument"
        return f"{shown}: several values are a sweep; add -m to run them all."
    dropped = ("Config search path", "provider=", "object_type", "reference_type", "To append")
    lines = [line.strip() for line in text.splitlines()]
    kept = [line for line in lines if line and not line.startswith(dropped)]
    return " ".join(dict.fromkeys(kept))


if __name__ == "__main__":
    sys.exit(main())
