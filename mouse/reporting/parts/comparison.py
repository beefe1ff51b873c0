"""Paired tests between the models of a report: rank letters, differences, shared answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from mouse.comparison.compare import PairedResult, Settings, compare_runs
from mouse.reporting import fonts
from mouse.reporting.canvas import axes, model_ticks
from mouse.reporting.judge_validation import MARK, mark_of, marked
from mouse.reporting.part import Figure, Part
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn
from mouse.tasks.registry import get_task


@lru_cache(maxsize=4)
def paired_results(report: Report) -> Mapping[str, PairedResult]:
    """Paired statistics of every task that at least two did, in its headline metrics."""
    results = {}
    for task, pairing in report.pairings.items():
        runs = {one.name: one.runs[task] for one in report.with_task(task)}
        names = get_task(task).headline_names
        settings = Settings(names, report.resamples, report.resamples)
        results[task] = compare_runs(task, runs, pairing, settings)[0]
    return results


def rank_groups(report: Report) -> Table | None:
    """Which models cannot be told apart, in each task's headline metrics."""
    columns: list[TableColumn] = []
    cells: dict[str, list[Cell]] = {one.name: [] for one in report.contestants}
    for result in paired_results(report).values():
        for ranking in result.rankings:
            columns.append(TableColumn(ranking.metric, align="c"))
            for one in report.contestants:
                letters = ranking.letters.get(one.name, "")
                note, mark = (ranking.family, mark_of(one, ranking.metric)) if letters else ("", "")
                cells[one.name].append(Cell(text=letters, note=note, mark=mark))
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


def paired(report: Report) -> Table | None:
    """Every pair of models in each task's headline metrics."""
    rows = []
    for task, result in paired_results(report).items():
        judged = get_task(task).judged
        for c in result.comparisons:
            method = "exact interval of paired shares" if c.exact_lo == c.exact_lo else c.method
            mark = MARK if judged and {c.a, c.b} & report.not_validated else ""
            cells = [
                *marked([Cell(c.difference, *c.interval, note=method)], mark),
                Cell(c.p_value, note=c.test),
                Cell(c.p_holm, note=c.family),
                Cell(c.detectable),
                Cell(float(c.n_paired)),
            ]
            rows.append((f"{c.metric}: {c.a} − {c.b}", cells))
    if not rows:
        return None
    return Table(
        "paired",
        "Differences between models",
        [
            TableColumn("difference"),
            TableColumn("p", is_p_value=True),
            TableColumn("p Holm", is_p_value=True),
            TableColumn("detectable"),
            TableColumn("n", digits=0),
        ],
        [Block("", rows)],
        "Detectable: the least true difference that a test at the 5% level finds here with "
        "probability 80%.",
        row_title="pair",
    )


def agreement(report: Report) -> Figure | None:
    """Share of questions on which two models give the same answer."""
    tasks = tuple(task for task in report.tasks if not get_task(task).judged)
    models = [one for one in report.contestants if any(task in one.runs for task in tasks)]
    if len(models) < 2:
        return None
    answers = []
    for one in models:
        given: dict[tuple[str, ...], str] = {}
        for task in (task for task in tasks if task in one.runs):
            frame = one.runs[task].predictions[task]
            frame = frame[frame["repeat"] == 0]
            shown = frame["predicted"].where(frame["outcome"] == "valid", frame["outcome"])
            keys = zip(frame["item_id"], frame["variant"], strict=True)
            given.update({(task, *k): v for k, v in zip(keys, shown, strict=True)})
        answers.append(given)
    size = len(models)
    matrix = np.full((size, size), np.nan)
    for i in range(size):
        for j in range(i, size):
            common = answers[i].keys() & answers[j].keys()
            if common:
                same = sum(answers[i][k] == answers[j][k] for k in common)
                matrix[i, j] = matrix[j, i] = same / len(common)
    drawing, axis = axes(2.2 + 0.62 * size, 1.8 + 0.5 * size)
    axis.imshow(matrix, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(matrix):
        if not math.isnan(value):
            axis.text(
                j,
                i,
                f"{value:.2f}",
                ha="center",
                va="center",
                fontsize=7,
                color="white" if value > 0.6 else "#222",
                family=fonts.FAMILIES[0],
            )
    model_ticks(axis, [one.name for one in models])
    axis.set_yticks(range(size), [fonts.drawable(one.name) for one in models], fontsize=8)
    axis.tick_params(length=0)
    caption = "Share of questions (all tasks but translation) with the same answer, right or wrong."
    return Figure("agreement", "Agreement between models", caption, drawing, tasks)


PARTS = [
    Part("comparison", 10, rank_groups),
    Part("comparison", 20, paired),
    Part("comparison", 10, agreement),
]
