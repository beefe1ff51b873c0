"""Does a task's MCC rise with the score on it? The link that the paper's §5.1 states in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mouse.metrics.correlation import correlation
from mouse.reporting.part import Part
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn

PAIRS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "RC": ("rc/bal_acc", ("rc/mcc_homophonic", "rc/mcc_semantic", "rc/mcc_visual")),
    "IR": ("ir/bal_acc", ("ir/mcc",)),
    "TD": ("td/acc", ("td/mcc",)),
    "MS": ("ms/acc", ("ms/mcc",)),
    "CC": ("cc/acc", ("cc/mcc",)),
}
"""Task → its headline score in Table 3 and its MCC in Table 4 (rc's is the mean of three)."""
NAMES = [name for score, mccs in PAIRS.values() for name in (score, *mccs)]
LEAST = 4
"""Models below which a correlation's interval says nothing."""


def mcc_link(report: Report) -> Table | None:
    """Correlations between score and MCC over these models; None where they are fewer than four."""
    models = [
        {name: value for name in NAMES if (value := one.value(name)) is not None}
        for one in report.contestants
        if not one.group  # people are no models
    ]
    tasks = tuple(task.lower() for task in PAIRS)
    return link_table(models, tasks)


def link_table(models: Sequence[Mapping[str, float]], tasks: tuple[str, ...] = ()) -> Table | None:
    """The table for models given as metric name → value."""
    points = {
        task: [_pair(m, *pair) for m in models if {pair[0], *pair[1]} <= set(m)]
        for task, pair in PAIRS.items()
    }
    points["all"] = [
        tuple(
            sum(s) / len(PAIRS) for s in zip(*(_pair(m, *p) for p in PAIRS.values()), strict=True)
        )
        for m in models
        if set(NAMES) <= set(m)
    ]
    rows = [
        (task, correlation_cells([p[0] for p in of_task], [p[1] for p in of_task]))
        for task, of_task in points.items()
        if len(of_task) >= LEAST
    ]
    if not rows:
        return None
    return Table(
        "mcc_link",
        "Performance and MCC over models (§5.1)",
        [
            TableColumn("models", digits=0),
            TableColumn("Pearson r"),
            TableColumn("p", is_p_value=True),
            TableColumn("Spearman ρ"),
            TableColumn("p", is_p_value=True),
        ],
        [Block("", rows)],
        "Over models: the task's headline score against its MCC; «all» takes each model's mean over "
        "the five tasks. Interval of r by Fisher's z; p values are not corrected for the six rows. "
        "Score and MCC come from the same answers, so that some correlation is built in.",
        row_title="task",
        tasks=tasks,
    )


def _pair(model: Mapping[str, float], score: str, mccs: Sequence[str]) -> tuple[float, ...]:
    return model[score], sum(model[name] for name in mccs) / len(mccs)


def correlation_cells(x: Sequence[float], y: Sequence[float]) -> list[Cell]:
    """Number of models, Pearson's r with its interval, its p, Spearman's rho, its p."""
    c = correlation(x, y)
    if math.isnan(c.r):
        undefined = Cell(text="–", note="one side is the same for all models")
        return [Cell(float(c.n)), undefined, Cell(), undefined, Cell()]
    r = Cell(c.r, c.lo, c.hi)
    return [Cell(float(c.n)), r, Cell(c.p_value), Cell(c.rho), Cell(c.rho_p_value)]


PARTS = [Part("results", 30, mcc_link)]
