"""Table 5: a review of one's own data set beside the paper's."""

from __future__ import annotations

import csv

from mouse.annotation.review.results import AspectResult
from mouse.annotation.review.sheet import QUESTIONS
from mouse.corpus.resources import data_path
from mouse.reporting.part import Part
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn


def table5(report: Report) -> Table | None:
    """Six questions: the paper's share of yes and that of one's own review; None without one."""
    if not report.reviewed:
        return None
    own = {result.aspect: result for result in report.reviewed}
    with data_path("published/table5_quality.csv").open(encoding="utf-8", newline="") as file:
        published = {row["aspect"]: float(row["yes_percent"]) for row in csv.DictReader(file)}
    rows = [
        (q.english, [Cell(published[q.aspect]), *_reviewed(own.get(q.aspect))]) for q in QUESTIONS
    ]
    return Table(
        "table5",
        "Table 5 · data quality",
        [
            TableColumn("yes, % (published)", digits=0),
            TableColumn("yes, % (this data set)", digits=1),
            TableColumn("answers", digits=0),
            TableColumn("alpha"),
        ],
        [Block("", rows)],
        "Share of yes among the answers of the paper's four reviewers to six questions about its "
        "data set, in this project's words. This data set's reviewers answered the same questions; "
        "intervals resample items, alpha is Krippendorff's.",
        row_title="question",
        tasks=(),
    )


def _reviewed(result: AspectResult | None) -> list[Cell]:
    if result is None:
        return [Cell(), Cell(), Cell()]
    alpha = result.alpha
    return [
        Cell(100 * result.rate, 100 * result.lo, 100 * result.hi, note=result.method),
        Cell(float(result.answers)),
        Cell(alpha.value, alpha.lo, alpha.hi)
        if alpha.status == "ok"
        else Cell(text="undefined", note=alpha.note),
    ]


PARTS = [Part("data", 10, table5)]
