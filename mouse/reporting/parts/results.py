"""Tables 3 and 4 of the paper for one's own runs, the published rows below them."""

from __future__ import annotations

from collections.abc import Mapping

from mouse.comparison.contestants import Contestant
from mouse.reporting.judge_validation import mark_of
from mouse.reporting.part import Part
from mouse.reporting.parts.judge import corrected_cell
from mouse.reporting.published import (
    HUMAN_GROUPS,
    published_intervals,
    published_row,
    published_rows,
)
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn
from mouse.tasks.registry import PAPER, get_task

TABLE3 = {
    "tr/sem_acc": "TR Sem.Acc",
    "tr/perfect_rate": "TR Perfect",
    "rc/bal_acc": "RC Bal.Acc",
    "rc/macro_f1": "RC Macro-F1",
    "ir/bal_acc": "IR Bal.Acc",
    "ir/macro_f1": "IR Macro-F1",
    "td/acc": "TD Acc",
    "td/f1": "TD F1",
    "ms/acc": "MS Acc",
    "cc/acc": "CC Acc",
}
TABLE4 = {
    "rc/mcc_homophonic": "RC homophonic",
    "rc/mcc_semantic": "RC semantic",
    "rc/mcc_visual": "RC visual",
    "ir/mcc": "IR",
    "td/mcc": "TD",
    "ms/mcc": "MS",
    "cc/mcc": "CC",
}
PUBLISHED = "published (the paper's own data)"


def metric_cell(one: Contestant, metric: str) -> Cell:
    """A metric with its interval, and the paper's value where the paper has the model.

    The note says n, method and what is undefined.
    """
    record = one.metrics.get(metric)
    if record is None:
        return Cell()
    notes = [f"n = {record['n']}", record["method"], record["note"]]
    if record["worst"] != record["best"]:
        notes.append(f"requests failed: between {record['worst']:.3f} and {record['best']:.3f}")
    if record["valid_only"] is not None and record["valid_only"] != record["value"]:
        notes.append(f"over valid answers alone {record['valid_only']:.3f}")
    return Cell(
        record["value"],
        record["lo"],
        record["hi"],
        note="; ".join(filter(None, notes)),
        mark=mark_of(one, metric),
        paper=published_row(one.param("model.published") or "").get(metric),
    )


def published_cell(model: str, metric: str) -> Cell:
    """A published number; where it determines the counts behind it, with their interval."""
    found = published_intervals().get(model, {}).get(metric)
    if found is None:
        return Cell()
    return Cell(
        found.value, found.lo, found.hi, note="; ".join(filter(None, (found.method, found.note)))
    )


def table3(report: Report) -> Table:
    """All tasks' headline metrics."""
    return _table(
        report,
        "table3",
        "Table 3 · main results",
        TABLE3,
        "95% intervals in brackets, of published rows where the printed numbers determine counts; "
        "refused, unreadable and cut-off answers count as wrong. Best bold, second underlined, "
        "each block by itself: the published rows are on other data. What their sample sizes can "
        "claim: docs/paper-tables.md.",
    )


def table4(report: Report) -> Table:
    """Matthews correlation, which no constant answer can raise above 0."""
    return _table(
        report,
        "table4",
        "Table 4 · Matthews correlation coefficient",
        TABLE4,
        "An unusable answer counts as one more predicted class.",
    )


def plugged_tasks(report: Report) -> list[Table]:
    """A table for each task that is not the paper's or reports metrics of a plug-in."""
    tables = []
    for task in map(get_task, report.tasks):
        columns = task.columns if task not in PAPER else [c for c in task.columns if c.metric.tasks]
        if columns:
            rows = [
                (one.name, [metric_cell(one, column.name) for column in columns])
                for one in report.with_task(task.code)
            ]
            titles = [TableColumn(c.name, c.metric.higher_is_better) for c in columns]
            title = task.title.capitalize()
            name, blocks = f"task_{task.code}", [Block("", rows)]
            tables.append(Table(name, title, titles, blocks, tasks=(task.code,)))
    return tables


def _table(
    report: Report, name: str, title: str, metrics: Mapping[str, str], caption: str
) -> Table:
    used = {m: t for m, t in metrics.items() if m.partition("/")[0] in report.tasks} or metrics
    corrected = {one.name: corrected_cell(one) for one in report.contestants}
    shown = "tr/sem_acc" in used and any(c.value is not None for c in corrected.values())
    models: list[tuple[str, list[Cell]]] = []
    people: list[tuple[str, list[Cell]]] = []
    for one in report.contestants:
        cells = [metric_cell(one, metric) for metric in used]
        if shown:
            cells.insert(1, corrected[one.name])
        (people if one.group else models).append((one.name, cells))
    published = []
    for model, row in published_rows().items():
        if model not in HUMAN_GROUPS and any(metric in row for metric in used):
            cells = [published_cell(model, metric) for metric in used]
            published.append((model, [cells[0], Cell(), *cells[1:]] if shown else cells))
    columns = [TableColumn(label, True) for label in used.values()]
    if shown:
        columns.insert(1, TableColumn("TR corrected", True))
        caption += (
            " TR corrected: the judge's scores on all translations, corrected by people's ratings "
            "of a sample."
        )
    blocks = [Block("these runs", models), Block("participants replayed here", people)]
    return Table(
        name,
        title,
        columns,
        [*(block for block in blocks if block.rows), Block(PUBLISHED, published)],
        caption,
        tasks=tuple(task for task in report.tasks if any(m.startswith(f"{task}/") for m in used)),
    )


PARTS = [
    Part("results", 10, table3),
    Part("results", 20, table4),
    Part("results", 25, plugged_tasks),
]
