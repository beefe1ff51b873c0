"""Checks a stored run against itself and against what is here now: one row a question asked.

Owns which checks there are and what a failed one means; how each is done is in `numbers`,
`answers` and `sources`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from mouse.contracts import RunResult
from mouse.errors import UserError
from mouse.tasks.registry import get_task
from mouse.tracking import checksums
from mouse.tracking.reader import find_run, local_folder
from mouse.verification import answers, numbers, sources
from mouse.verification.sources import Check, RunWithSources, found, some


def open_for_verification(run_id: str) -> RunWithSources:
    """A run whose files may be damaged. Raises `UserError` for no run, or one never logged."""
    summary = find_run(run_id)
    folder = local_folder(summary)
    if checksums.TAG not in summary.tags and not (folder / "metrics.json").exists():
        raise UserError(
            f"run {summary.run_id} ({summary.model}, {summary.status}) was never logged: it has "
            f"no files in {folder}, so there is nothing to verify"
        )
    run = RunWithSources(summary, folder)
    if run.unknown_tasks:
        raise UserError(run.unknown_tasks)
    return run


def verify_run(run: RunWithSources) -> list[Check]:
    """All checks of one run, files first. Never raises for what the files hold."""
    checks = [
        *_guarded("files", partial(files, run)),
        *_guarded("configuration", partial(sources.configuration, run)),
        *_guarded("data", partial(sources.data, run)),
        *_guarded("prompts", partial(sources.prompts, run)),
        *_guarded("requests", partial(sources.requests, run)),
    ]
    for task in run.tasks:
        checks += _guarded(f"rows {task}", partial(answers.rows, run, task))
        checks += _guarded(f"answers {task}", partial(answers.answers, run, task))
    for task in run.tasks:
        if get_task(task).judged:
            checks += _guarded("verdicts", partial(answers.verdicts, run, task))
    result: list[RunResult] = []

    def recomputed() -> list[Check]:
        result.append(numbers.recompute(run))
        return []

    checks += _guarded("metrics", recomputed)
    if result:
        checks += _guarded("metrics", partial(numbers.logged_metrics, run, result[0]))
        checks += _guarded("metrics.json", partial(numbers.metric_records, run, result[0]))
        checks += _guarded("judge quality", partial(numbers.quality, run, result[0]))
    return [*checks, *_guarded("code", partial(sources.code, run))]


def differs(checks: Iterable[Check], *, strict: bool = False) -> bool:
    """Whether a check failed; `strict` counts what is merely noted or could not be checked."""
    failing = ("DIFFERENT", "noted", "not checked") if strict else ("DIFFERENT",)
    return any(check.status in failing for check in checks)


def _guarded(name: str, check: Callable[[], Check | list[Check]]) -> list[Check]:
    try:
        checks = check()
        return [checks] if isinstance(checks, Check) else checks
    except UserError as error:
        return [Check(name, "not checked", " ".join(str(error).split())[:400])]
    except Exception as error:
        # A damaged file can break any library that reads it in any way: that is the finding.
        return [
            Check(name, "DIFFERENT", f"cannot be computed: {type(error).__name__}: {error}"[:400])
        ]


def files(run: RunWithSources) -> Check:
    """The files are those that were sealed with the run."""
    sealed = run.summary.tags.get(checksums.TAG)
    if sealed is None:
        return Check("files", "not checked", "the run was tracked before files were sealed")
    try:
        listed = checksums.read(run.folder)
    except ValueError as error:
        return Check("files", "DIFFERENT", str(error))
    damage = checksums.damage(run.folder, listed)
    wrong = [f"{path} was changed" for path in damage.changed]
    wrong += [f"{path} is missing" for path in damage.missing]
    if checksums.sha256(run.folder / checksums.NAME) != sealed:
        wrong.append(f"{checksums.NAME} is not the one that was sealed")
    read = ("predictions/", "verdicts/", "items/")
    wrong += [f"{path} was added" for path in damage.added if path.startswith(read)]
    added = [path for path in damage.added if not path.startswith(read)]
    fine = f"{len(listed)} files as they were sealed"
    return found("files", wrong, f"{fine}; added since: {some(added)}" if added else fine)
