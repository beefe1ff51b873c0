"""Checks a stored run against itself and against what is here now: one row a question asked.

Owns which checks there are and what a failed one means; how each is done is in
`verification_numbers`, `verification_answers` and `verification_sources`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from mouse.contracts import RunResult
from mouse.errors import UserError
from mouse.tracking import checksums
from mouse.tracking.reader import find_run, local_folder

if TYPE_CHECKING:
    from mouse.verification.sources import RunWithSources

Status = Literal["ok", "DIFFERENT", "noted", "not checked"]


@dataclass(frozen=True)
class Check:
    """One question about a run and its answer.

    `DIFFERENT`: the run does not follow from what is stored, or its data or prompts are not those
    that are here. `noted`: something else differs (code, libraries) that need not change a number.
    `not checked`: what it needs is not at hand, which `why` names.
    """

    name: str
    status: Status
    why: str


def open_for_verification(run_id: str) -> RunWithSources:
    """A run whose files may be damaged. Raises `UserError` for no run, or one never logged."""
    summary = find_run(run_id)
    folder = local_folder(summary)
    if checksums.TAG not in summary.tags and not (folder / "metrics.json").exists():
        raise UserError(
            f"run {summary.run_id} ({summary.model}, {summary.status}) was never logged: it has "
            f"no files in {folder}, so there is nothing to verify"
        )
    from mouse.verification.sources import RunWithSources

    return RunWithSources(summary, folder)


def verify_run(run: RunWithSources) -> list[Check]:
    """All checks of one run, files first. Never raises for what the files hold."""
    from mouse.verification import answers, numbers, sources

    checks = _guarded("files", lambda: _files(run))
    checks += _guarded("configuration", lambda: sources.configuration(run))
    checks += _guarded("data", lambda: sources.data(run))
    checks += _guarded("prompts", lambda: sources.prompts(run))
    checks += _guarded("requests", lambda: sources.requests(run))
    for task in run.tasks:
        checks += _guarded(f"rows {task}", partial(answers.rows, run, task))
        checks += _guarded(f"answers {task}", partial(answers.answers, run, task))
    if "tr" in run.tasks:
        checks += _guarded("verdicts", lambda: answers.verdicts(run))
    result: list[RunResult] = []
    checks += _guarded("metrics", lambda: _computed(run, result))
    if result:
        checks += _guarded("metrics", lambda: numbers.logged_metrics(run, result[0]))
        checks += _guarded("metrics.json", lambda: numbers.metric_records(run, result[0]))
        checks += _guarded("judge quality", lambda: numbers.judge_quality(run, result[0]))
    checks += _guarded("code", lambda: sources.code(run))
    return checks


def differs(checks: Iterable[Check], *, strict: bool = False) -> bool:
    """Whether a check failed; `strict` counts what is merely noted or could not be checked."""
    failing = ("DIFFERENT", "noted", "not checked") if strict else ("DIFFERENT",)
    return any(check.status in failing for check in checks)


def some(found: list[str], most: int = 3) -> str:
    """The first few of what was found, and how many more there are."""
    shown = "; ".join(found[:most])
    return shown + (f"; and {len(found) - most} more" if len(found) > most else "")


def _computed(run: RunWithSources, result: list[RunResult]) -> list[Check]:
    """Puts the recomputed result, which several checks need and which may fail, into `result`."""
    from mouse.verification.numbers import recompute

    result.append(recompute(run))
    return []


def _guarded(name: str, check: Callable[[], list[Check]]) -> list[Check]:
    try:
        return check()
    except UserError as error:
        return [Check(name, "not checked", " ".join(str(error).split())[:400])]
    except Exception as error:
        # A damaged file can break any library that reads it in any way: that is the finding.
        return [
            Check(name, "DIFFERENT", f"cannot be computed: {type(error).__name__}: {error}"[:400])
        ]


def _files(run: RunWithSources) -> list[Check]:
    sealed = run.summary.tags.get(checksums.TAG)
    if sealed is None:
        return [Check("files", "not checked", "the run was tracked before files were sealed")]
    try:
        listed = checksums.read(run.folder)
    except ValueError as error:
        return [Check("files", "DIFFERENT", str(error))]
    found = checksums.damage(run.folder, listed)
    wrong = [f"{path} was changed" for path in found.changed]
    wrong += [f"{path} is missing" for path in found.missing]
    if checksums.sha256(run.folder / checksums.NAME) != sealed:
        wrong.append(f"{checksums.NAME} is not the one that was sealed")
    read = ("predictions/", "verdicts/", "items/")
    wrong += [f"{path} was added" for path in found.added if path.startswith(read)]
    if wrong:
        return [Check("files", "DIFFERENT", some(wrong))]
    added = [path for path in found.added if not path.startswith(read)]
    why = f"{len(listed)} files as they were sealed"
    return [Check("files", "ok", f"{why}; added since: {some(added)}" if added else why)]
