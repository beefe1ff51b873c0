"""Table 6: people and models on cloze, as in the paper, and on meaning where people answered it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

from mouse.comparison.contestants import Contestant
from mouse.metrics.items import mean_of_people
from mouse.reporting.part import Part
from mouse.reporting.parts.results import PUBLISHED, metric_cell, published_cell
from mouse.reporting.published import HUMAN_GROUPS, published_row, published_rows
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn

_NO_SPREAD = (Cell(), Cell(), Cell())


def table6(report: Report) -> Table | None:
    """Replayed participants averaged by group, with their spread. None where nobody was asked."""
    answered = {task for one in report.contestants if one.group for task in one.runs}
    answered |= {name.partition("/")[0] for who in HUMAN_GROUPS for name in published_row(who)}
    tasks = [task for task in ("cc", "ms") if task in answered and report.with_task(task)]
    if not tasks:
        return None
    groups: dict[str, list[Contestant]] = {}
    models = []
    for one in report.contestants:
        if one.group:
            groups.setdefault(one.group, []).append(one)
        elif not one.runs.keys().isdisjoint(tasks):
            of_tasks = ((metric_cell(one, f"{task}/acc"), *_NO_SPREAD) for task in tasks)
            models.append((one.name, [*chain.from_iterable(of_tasks)]))
    people = []
    for group, members in sorted(groups.items()):
        values = [
            [v for v in (m.value(f"{task}/acc") for m in members) if v is not None]
            for task in tasks
        ]
        if any(values):
            cells = [*chain.from_iterable(map(spread_cells, values))]
            people.append((f"{group} (n = {max(map(len, values))})", cells))
    published = [
        (
            HUMAN_GROUPS.get(who, who),
            [published_cell(who, "cc/acc"), *_NO_SPREAD, *[Cell()] * (len(tasks) - 1) * 4],
        )
        for who, row in published_rows().items()
        if "cc/acc" in row and "cc" in tasks
    ]
    blocks = [
        Block("participants replayed here", people),
        Block("models, these runs", models),
        Block(PUBLISHED, published),
    ]
    return Table(
        "table6",
        "Table 6 · people and models on cloze" + (" and meaning" if "ms" in tasks else ""),
        [
            column
            for task in tasks
            for column in (
                TableColumn(f"{task.upper()} Acc", True),
                *(TableColumn(f"{task.upper()} {name}") for name in ("SD", "lowest", "highest")),
            )
        ],
        [block for block in blocks if block.rows],
        "Participants are replayed with model=replay model.rater=NAME model.group=GROUP (sheets for "
        "them: python -m mouse.annotate questionnaire); the value is the mean of a group, its "
        "interval Student's t over participants. A published group's value is a mean over so many "
        "people, whose spread is not printed; the paper asked people cloze alone.",
        row_title="who",
        tasks=tuple(tasks),
    )


def spread_cells(values: Sequence[float]) -> list[Cell]:
    """Mean with interval, standard deviation, lowest and highest of a group's values."""
    if not values:
        return [Cell(), *_NO_SPREAD]
    mean, sd, lo, hi = mean_of_people(values)
    note = "one participant: no spread" if math.isnan(sd) else ""
    note = "all alike: no interval" if sd == 0 else note
    ends = Cell(min(values)), Cell(max(values))
    return [Cell(mean, lo, hi, note=note), Cell(None if math.isnan(sd) else sd), *ends]


PARTS = [Part("results", 40, table6)]
