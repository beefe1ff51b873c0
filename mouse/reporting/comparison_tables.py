"""A comparison as tables (terminal, Markdown, CSV) and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mouse.comparison.compare import TaskComparison
from mouse.reporting.published import PublishedInterval
from mouse.reporting.table import Block, Cell, Table, TableColumn, visible
from mouse.text.json_text import to_json, utf8

Published = Mapping[str, Sequence[PublishedInterval]]
"""The paper's model → its published numbers with intervals."""

_LONGEST = 60


def values_table(task: TaskComparison, published: Published) -> Table:
    """A block a metric: each model's value, interval, bounds where some failed, and rank letter."""
    blocks = []
    for ranking in task.rankings:
        values = task.values[ranking.metric]
        rows = []
        for label in ranking.order:
            value = values[label]
            is_open = value.worst != value.best and value.worst == value.worst
            low, high = sorted((value.worst, value.best))
            bounds = f"{low:.3f} … {high:.3f}" if is_open else ""
            letter = ranking.letters[label]
            cells = [Cell(value.value, value.lo, value.hi), Cell(text=bounds), Cell(text=letter)]
            rows.append((label, [*cells, Cell(float(value.n))]))
        for model, intervals in published.items():
            for one in intervals:
                if one.metric == ranking.metric:
                    cells = [Cell(one.value, one.lo, one.hi), Cell(), Cell(), Cell(float(one.n))]
                    rows.append((f"paper: {model}", cells))
        blocks.append(Block(ranking.metric, rows))
    columns = [TableColumn(title) for title in ("value", "bounds", "rank")]
    alpha = task.rankings[0].alpha
    return _table(
        task,
        "values",
        f"values on the {task.n_answered} rows that all answered",
        [*columns, TableColumn("n", digits=0)],
        blocks,
        f"Models that share a letter are not told apart at {alpha:g} after Holm's correction over "
        f"{_family(task)}.",
    )


def pairs_table(task: TaskComparison) -> Table:
    """A block a metric: each pair's difference, interval, tests and what this n can show."""
    blocks: dict[str, list[tuple[str, list[Cell]]]] = {}
    for c in task.comparisons:
        bounds = task.bounds.get((c.metric, c.a, c.b))
        shown = "" if bounds is None else f"{bounds[0]:+.3f} … {bounds[1]:+.3f}"
        cells = [
            Cell(c.difference, *c.interval),
            Cell(text=shown),
            Cell(c.p_value),
            Cell(c.p_holm),
            Cell(c.detectable),
            Cell(float(c.ties)),
            Cell(text=_test(c.test) if c.status == "tested" else c.note or c.status),
        ]
        blocks.setdefault(c.metric, []).append((f"{c.a} − {c.b}", cells))
    columns = [
        TableColumn("difference"),
        TableColumn("bounds"),
        TableColumn("p", is_p_value=True),
        TableColumn("p Holm", is_p_value=True),
        TableColumn("detectable"),
        TableColumn("ties", digits=0),
        TableColumn("test", align="l"),
    ]
    exact = any(c.exact_lo == c.exact_lo for c in task.comparisons)
    return _table(
        task,
        "pairs",
        "paired differences",
        columns,
        [Block(metric, rows) for metric, rows in blocks.items()],
        ("Intervals of shares are exact, others " if exact else "Intervals: ")
        + f"{task.comparisons[0].method}. "
        f"Holm: {_family(task)}. "
        "Detectable: the least true difference that a test of level 5% finds here with "
        "probability 80%. Ties: rows with the same answer.",
        row_title="pair",
    )


def _table(
    task: TaskComparison,
    name: str,
    title: str,
    columns: Sequence[TableColumn],
    blocks: Sequence[Block],
    caption: str,
    row_title: str = "model",
) -> Table:
    """The table without the column of bounds where no answer failed; its caption says in what the
    runs differ that it ranks together."""
    keep = [i for i, column in enumerate(columns) if task.bounds or column.title != "bounds"]
    return Table(
        f"{task.task}_{name}",
        f"{task.task}: {title}",
        [columns[i] for i in keep],
        [
            Block(block.title, [(label, [cells[i] for i in keep]) for label, cells in block.rows])
            for block in blocks
        ],
        " ".join([caption, *(f"Mixed: {sentence}." for sentence in task.allowed)]),
        row_title,
    )


def items_table(task: TaskComparison, most: int | None) -> Table:
    """The rows on which the models differ, widest first; texts are cut unless all are asked for."""
    limit = _LONGEST if most is not None else None
    shown = task.items if most is None else task.items[:most]
    rows = []
    for item in shown:
        name = f"{item.item_id} {item.variant}".strip()
        name += f" #{item.repeat}" if item.repeat else ""
        answers = [
            Cell(text=f"{_mark(item.right[label])} {_cut(item.answers[label], limit)}")
            for label in task.labels
        ]
        rows.append(
            (name, [Cell(text=_cut(item.text, limit)), Cell(text=_cut(item.gold, limit)), *answers])
        )
    better = sum(item.spread > 0 for item in task.items)
    return _table(
        task,
        "items",
        "rows on which the models differ",
        [TableColumn(title, align="l") for title in ("text", "gold", *task.labels)],
        [Block("", rows)],
        f"{better} of {task.n_answered} rows were answered better by some model than by another"
        + (
            f"; {len(task.items) - better} more differently wrong"
            if len(task.items) > better
            else ""
        )
        + ".",
        row_title="item",
    )


def as_json(compared: Sequence[TaskComparison], published: Published, notes: Sequence[str]) -> str:
    """Everything that was computed; numbers that are undefined are null."""
    tasks = [
        {
            "task": task.task,
            "labels": task.labels,
            "rows_in_common": task.n_common,
            "rows_answered_by_all": task.n_answered,
            "values": {
                metric: {label: asdict(value) for label, value in by_label.items()}
                for metric, by_label in task.values.items()
            },
            "comparisons": [
                {**asdict(c), "bounds": task.bounds.get((c.metric, c.a, c.b))}
                for c in task.comparisons
            ],
            "rankings": [asdict(ranking) for ranking in task.rankings],
            "items": [asdict(item) for item in task.items],
            "mixed": task.allowed,
            "notes": task.notes,
        }
        for task in compared
    ]
    whole = {
        "tasks": tasks,
        "published": {model: [asdict(p) for p in many] for model, many in published.items()},
        "notes": list(notes),
    }
    return f"{utf8(to_json(whole, indent=1))}\n"


def terminal(table: Table) -> Any:
    """The table for rich: text of models is shown as text, never as markup or control codes."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table as RichTable

    made = RichTable(title=escape(visible(table.title)), title_justify="left", box=box.SIMPLE_HEAD)
    made.add_column(table.row_title, overflow="fold")
    for column in table.columns:
        made.add_column(
            column.title,
            justify="left" if column.align == "l" else "right",
            overflow="fold",
            no_wrap=column.align != "l",
        )
    for block in table.blocks:
        if block.title:
            made.add_row(f"[bold]{escape(block.title)}[/]", *("" for _ in table.columns))
        for label, cells in block.rows:
            shown = [
                escape(visible(_number(cell, column)))
                for cell, column in zip(cells, table.columns, strict=True)
            ]
            made.add_row(escape(visible(label)), *shown)
        made.add_section()
    return made


def _number(cell: Cell, column: TableColumn) -> str:
    if cell.text or cell.value is None:
        return cell.text
    if cell.value != cell.value:
        return "–"
    if column.is_p_value and cell.value < 10**-column.digits:
        return f"<{10**-column.digits:.{column.digits}f}"
    shown = f"{cell.value:.{column.digits}f}"
    return shown + (f" [{cell.lo:.3f}, {cell.hi:.3f}]" if cell.has_interval else "")


def _test(name: str) -> str:
    """`McNemar, exact`, `permutation`: the column is narrow, the caption and JSON have all."""
    return "McNemar, exact" if name.startswith("McNemar") else "permutation"


def _family(task: TaskComparison) -> str:
    """The name of the family; where each metric has its own, what these have in common."""
    names = {c.metric: c.family for c in task.comparisons}
    if len(set(names.values())) == 1:
        return next(iter(names.values()))
    pairs = {family.removeprefix(f"{metric}, ") for metric, family in names.items()}
    return f"{'; '.join(sorted(pairs))}, in each of {', '.join(names)} apart"


def _mark(right: float) -> str:
    return "✓" if right == 1 else "✗" if right == 0 else "½"


def _cut(text: str, limit: int | None) -> str:
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"
