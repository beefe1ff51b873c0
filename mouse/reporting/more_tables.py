"""Tables a reader asks for beyond the paper's: outcome ledger, cost, rank groups, differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mouse.contracts import Outcome
from mouse.reporting.judge_validation import MARK, doubted, mark_of, marked
from mouse.reporting.paper_tables import metric_cell
from mouse.reporting.study import Entry, Study
from mouse.reporting.table import Block, Cell, Column, Table
from mouse.tasks.registry import PAPER, get_task

if TYPE_CHECKING:
    from mouse.metrics.paired import PairedResult


def ledger(study: Study) -> Table:
    """How every request ended, a row for each model and task."""
    outcomes = [outcome.value for outcome in Outcome]
    blocks = []
    for task in study.tasks:
        rows = []
        for entry in study.with_task(task):
            counts = entry.runs[task].predictions[task]["outcome"].value_counts()
            cells = [Cell(float(counts.get(outcome, 0))) for outcome in outcomes]
            rows.append((entry.model, [*cells, Cell(float(counts.sum()))]))
        blocks.append(Block(task, rows))
    return Table(
        "ledger",
        "How requests ended",
        [Column(name.replace("_", " "), digits=0) for name in [*outcomes, "all"]],
        blocks,
        "Every request ends in exactly one way. Failed ones are no answers: the run is incomplete.",
    )


def plugged_tasks(study: Study) -> list[Table]:
    """A table for each task that is not the paper's or reports metrics of a plug-in."""
    tables = []
    for task in map(get_task, study.tasks):
        columns = task.columns if task not in PAPER else [c for c in task.columns if c.metric.tasks]
        entries = study.with_task(task.code)
        if columns:
            rows = [(e.model, [metric_cell(e, c.name) for c in columns]) for e in entries]
            titles = [Column(c.name, c.metric.higher_is_better) for c in columns]
            tables.append(
                Table(f"task_{task.code}", task.title.capitalize(), titles, [Block("", rows)])
            )
    return tables


def cost(study: Study) -> Table | None:
    """Tokens, money and time of each model, and what a point of mean score costs."""
    rows = []
    for entry in study.entries:
        if entry.group:  # a replayed person has no tokens and no latency
            continue
        usd, score = entry.logged("usage/cost_usd"), mean_headline(entry)
        tokens = [entry.logged(f"usage/{kind}_tokens") for kind in ("prompt", "completion")]
        every = None if None in tokens else sum(t for t in tokens if t is not None)
        # What costs nothing (a baseline) has no price a point, and must not win that column.
        per_point = every / (100 * score) if every and score else None
        usd_point = usd / (100 * score) if usd and score else None
        rows.append(
            (
                entry.model,
                [
                    Cell(score, mark=mark_of(entry)),
                    *(Cell(t) for t in tokens),
                    Cell(usd),
                    Cell(per_point),
                    Cell(usd_point),
                    *(Cell(entry.logged(f"usage/latency_{p}_s")) for p in ("p50", "p95")),
                ],
            )
        )
    if not rows:
        return None
    return Table(
        "cost",
        "Cost, tokens and latency",
        [
            Column("mean score", True),
            Column("prompt tokens", digits=0),
            Column("output tokens", digits=0),
            Column("US$", digits=4),
            Column("tokens a point", False, 0),
            Column("US$ a point", False, 5),
            Column("p50 s", digits=2),
            Column("p95 s", digits=2),
        ],
        [Block("", rows)],
        "Mean score: the mean of each task's first headline metric; a point is 0.01 of it. Tokens "
        "are those of requests sent, so a run answered from the store shows less.",
    )


def mean_headline(entry: Entry) -> float | None:
    """Mean over the entry's tasks of each task's first headline metric."""

    values = [entry.value(get_task(task).headline_names[0]) for task in entry.runs]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def rank_groups(study: Study, results: Mapping[str, PairedResult]) -> Table | None:
    """Which models cannot be told apart, in each task's headline metrics."""
    columns: list[Column] = []
    cells: dict[str, list[Cell]] = {entry.model: [] for entry in study.entries}
    unsure = doubted(study)
    for result in results.values():
        for ranking in result.rankings:
            columns.append(Column(ranking.metric, align="c"))
            for model, row in cells.items():
                letters = ranking.letters.get(model, "")
                mark = MARK if ranking.metric.startswith("tr/") and model in unsure else ""
                note = ranking.family if letters else ""
                row.append(Cell(text=letters, note=note, mark=mark if letters else ""))
    if not columns:
        return None
    return Table(
        "rank_groups",
        "Rank groups",
        columns,
        [Block("", list(cells.items()))],
        "Two models that share a letter are not told apart at the 5% level (paired tests on the "
        "items both answered, Holm's correction over all pairs of one metric). Not told apart "
        "does not mean equal.",
    )


def paired(study: Study, results: Mapping[str, PairedResult]) -> Table | None:
    """Every pair of models in each task's headline metrics."""
    rows = []
    unsure = doubted(study)
    for result in results.values():
        for pair in result.comparisons:
            exact = pair.exact_lo == pair.exact_lo
            lo, hi = (pair.exact_lo, pair.exact_hi) if exact else (pair.lo, pair.hi)
            method = "exact interval of paired shares" if exact else pair.method
            by_judge = pair.metric.startswith("tr/") and {pair.a, pair.b} & unsure
            difference = Cell(pair.difference, lo, hi, note=method)
            rows.append(
                (
                    f"{pair.metric}: {pair.a} − {pair.b}",
                    [
                        *marked([difference], MARK if by_judge else ""),
                        Cell(pair.p_value, note=pair.test),
                        Cell(pair.p_holm, note=pair.family),
                        Cell(pair.detectable),
                        Cell(float(pair.n_paired)),
                    ],
                )
            )
    if not rows:
        return None
    columns = [Column("difference"), Column("p", is_p_value=True)]
    columns += [Column("p Holm", is_p_value=True), Column("detectable")]
    return Table(
        "paired",
        "Differences between models",
        [*columns, Column("n", digits=0)],
        [Block("", rows)],
        "Detectable: the least true difference that a test at the 5% level finds here with "
        "probability 80%.",
        row_title="pair",
    )
