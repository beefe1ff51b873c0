"""What a report is made from: its contestants with their runs, and what its reader must know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mouse.comparison.contestants import Contestant, by_task, contestants
from mouse.comparison.rules import KINDS, ROWS, Pairing, pairings
from mouse.errors import UserError
from mouse.tasks.registry import get_task, task_codes
from mouse.tracking.stored import StoredRun

if TYPE_CHECKING:
    import pandas as pd

    from mouse.annotation.review.results import AspectResult


@dataclass(frozen=True, eq=False)
class Report:
    """What the parts of a report read; `pairings`: task → the rows on which it is ranked.

    `side_by_side`, `items`: what was asked of table 7. `reviewed`: answers of the reviewers of
    one's own data set. `resamples`: of the paired tests.
    """

    name: str
    contestants: tuple[Contestant, ...]
    pairings: Mapping[str, Pairing]
    warnings: tuple[str, ...] = ()
    side_by_side: Sequence[str] = ()
    items: Sequence[str] = ()
    reviewed: Sequence[AspectResult] = ()
    resamples: int = 2000

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        return tuple(c for c in task_codes() if any(c in one.runs for one in self.contestants))

    def with_task(self, task: str) -> list[Contestant]:
        return [one for one in self.contestants if task in one.runs]

    @property
    def runs(self) -> dict[str, StoredRun]:
        """Run id → run, each once."""
        return {run.run_id: run for one in self.contestants for run in one.runs.values()}

    @property
    def not_validated(self) -> frozenset[str]:
        """Names of those whose translations were scored by a judge that is not validated."""
        return frozenset(one.name for one in self.contestants if one.judge_not_validated)

    def remarks(self, tasks: Sequence[str] | None) -> list[str]:
        """What a caption must say of runs that are ranked together in spite of a difference.

        `tasks`: those whose numbers it is about; None: all of the report.
        """
        concerned = self.tasks if tasks is None else tasks
        return [
            f"Mixed: {sentence}."
            for task in concerned
            if task in self.pairings
            for sentence in self.pairings[task].allowed
        ]

    def is_judged(self, tasks: Sequence[str] | None) -> bool:
        """Whether a judge gave numbers of these tasks."""
        return any(get_task(task).judged for task in (self.tasks if tasks is None else tasks))

    @cached_property
    def cxeis(self) -> pd.DataFrame:
        """Every expression that some run asked about, once, indexed by id."""
        return _union([run.cxeis for run in self.runs.values()])

    @cached_property
    def choices(self) -> pd.DataFrame:
        """Every choice item that some run asked about, once, indexed by id."""
        return _union([run.choices for run in self.runs.values()])


def make_report(
    name: str,
    runs: Sequence[StoredRun],
    *,
    mixed: bool = False,
    all_runs: bool = False,
    side_by_side: Sequence[str] = (),
    items: Sequence[str] = (),
    reviewed: Sequence[AspectResult] = (),
    resamples: int = 2000,
) -> Report:
    """Put runs together, `runs` the newest first; unfinished and left-out ones are said.

    `all_runs`: none is left out for a newer one of its model.

    Raises:
        UserError: no run, or runs of one task that must not be ranked together; with `mixed` each
            difference stands in the captions instead.
    """
    if not runs:
        raise UserError(
            "no run to report on: python -m mouse.run makes one, --where and --runs choose"
        )
    entries, left_out = contestants(runs, all_runs=all_runs)
    unknown = [run.unknown_tasks for run in runs if run.unknown_tasks]
    if unknown and not any(one.runs for one in entries):
        raise UserError(unknown[0])
    paired = {
        task: of_task
        for task, of_task in by_task(entries, task_codes()).items()
        if len(of_task) > 1
    }
    try:
        found = pairings(paired, (*KINDS, ROWS) if mixed else (), "--mixed")
    except UserError as error:
        raise UserError(
            f"{error}\nChoose runs that agree with --where or --runs, or give --mixed: then they "
            "are ranked together, and every table concerned says in what they differ."
        ) from error
    warnings = [sentence for one in found.values() for sentence in one.allowed]
    for one in entries:
        for task, run in one.runs.items():
            if run.summary.status != "complete":
                warnings.append(f"{one.name}: the run of {task} is {run.summary.status}.")
    for run in {run.run_id: run for one in entries for run in one.runs.values()}.values():
        warnings += [sentence for sentence in run.warnings if sentence not in warnings]
    warnings += [f"{e.name}: {e.judge_not_validated}" for e in entries if e.judge_not_validated]
    return Report(
        name,
        tuple(entries),
        found,
        (*warnings, *unknown, *left_out),
        side_by_side,
        items,
        reviewed,
        resamples,
    )


def _union(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    kept = [frame for frame in frames if len(frame)]
    if not kept:
        return pd.DataFrame()
    return pd.concat(kept, ignore_index=True).drop_duplicates("id").set_index("id", drop=False)
