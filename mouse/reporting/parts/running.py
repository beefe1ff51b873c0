"""How requests ended, and what the answers cost."""

from __future__ import annotations

import math
from collections.abc import Callable

from mouse.comparison.contestants import Contestant
from mouse.contracts import Outcome
from mouse.reporting import fonts
from mouse.reporting.canvas import GREY, SECOND, axes
from mouse.reporting.judge_validation import mark_of
from mouse.reporting.part import Figure, Part
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn


def ledger(report: Report) -> Table:
    """How every request ended, a row for each model and task."""
    outcomes = [outcome.value for outcome in Outcome]
    blocks = []
    for task in report.tasks:
        rows = []
        for one in report.with_task(task):
            counts = one.runs[task].predictions[task]["outcome"].value_counts()
            numbers = [*(counts.get(outcome, 0) for outcome in outcomes), counts.sum()]
            rows.append((one.name, [Cell(float(number)) for number in numbers]))
        blocks.append(Block(task, rows))
    return Table(
        "ledger",
        "How requests ended",
        [TableColumn(name.replace("_", " "), digits=0) for name in [*outcomes, "all"]],
        blocks,
        "Every request ends in exactly one way. Failed ones are no answers: the run is incomplete.",
    )


def tokens(one: Contestant) -> float | None:
    """Prompt and output tokens of the requests sent; None where either is not known."""
    both = [one.logged(f"usage/{kind}_tokens") for kind in ("prompt", "completion")]
    return None if None in both else sum(number for number in both if number is not None)


def cost(report: Report) -> Table | None:
    """Tokens, money and time of each model, and what a point of mean score costs."""
    rows = []
    for one in report.contestants:
        if one.group:  # a replayed person has no tokens and no latency
            continue
        usd, score, every = one.logged("usage/cost_usd"), one.mean_headline, tokens(one)
        logged = ("prompt_tokens", "completion_tokens", "cost_usd")
        cells = [
            Cell(score, mark=mark_of(one)),
            *(Cell(one.logged(f"usage/{name}")) for name in logged),
            # What costs nothing (a baseline) has no price a point, and must not win that column.
            Cell(every / (100 * score) if every and score else None),
            Cell(usd / (100 * score) if usd and score else None),
            *(Cell(one.logged(f"usage/latency_{p}_s")) for p in ("p50", "p95")),
        ]
        rows.append((one.name, cells))
    if not rows:
        return None
    return Table(
        "cost",
        "Cost, tokens and latency",
        [
            TableColumn("mean score", True),
            TableColumn("prompt tokens", digits=0),
            TableColumn("output tokens", digits=0),
            TableColumn("US$", digits=4),
            TableColumn("tokens a point", False, 0),
            TableColumn("US$ a point", False, 5),
            TableColumn("p50 s", digits=2),
            TableColumn("p95 s", digits=2),
        ],
        [Block("", rows)],
        "Mean score: the mean of each task's first headline metric; a point is 0.01 of it. Tokens "
        "are those of requests sent, so a run answered from the store shows less.",
    )


def _priced(
    report: Report, price: Callable[[Contestant], float | None]
) -> list[tuple[float, float, str]]:
    """(price, mean headline, name) of those that have both and are not free."""
    found = [(price(one), one.mean_headline, one.name) for one in report.contestants]
    return [(paid, score, name) for paid, score, name in found if paid and score is not None]


def pareto(report: Report) -> Figure | None:
    """Mean score against cost (tokens where fewer than two have a price); the best are joined."""
    unit, points = "US$", _priced(report, lambda one: one.logged("usage/cost_usd"))
    if len(points) < 2:
        unit, points = "tokens", _priced(report, tokens)
    if len(points) < 2:
        return None
    drawing, axis = axes(5.2, 3.6)
    best, front = -math.inf, []
    for paid, score, _ in sorted(points, key=lambda p: (p[0], -p[1])):
        if score > best:
            best = score
            front.append((paid, score))
    axis.plot(*zip(*front, strict=True), color=SECOND, lw=1, zorder=1)
    for paid, score, model in points:
        axis.plot(paid, score, "o", color=SECOND if (paid, score) in front else GREY, ms=5)
        axis.annotate(
            fonts.drawable(model),
            (paid, score),
            xytext=(4, 3),
            textcoords="offset points",
            fontsize=7,
        )
    axis.set_xscale("log")
    axis.set_xlabel(f"{unit} (log scale)")
    axis.set_ylabel("mean headline score")
    caption = "Joined: models that no other beats in both. Models without cost are not shown."
    return Figure("pareto", "Score and cost", caption, drawing)


PARTS = [
    Part("running", 10, ledger),
    Part("running", 20, cost),
    Part("running", 20, pareto),
]
