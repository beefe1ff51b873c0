"""Table 7: two models' translations of the same items."""

from __future__ import annotations

from typing import Any

from mouse.comparison.contestants import Contestant
from mouse.reporting.judge_validation import label_of
from mouse.reporting.part import Part
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn
from mouse.text.json_text import finite

MOST = 12


def table7(report: Report) -> Table | None:
    """The two models asked for, else the two best translators; None with fewer than two.

    The items asked for, else those whose scores differ most.
    """
    models = report.with_task("tr")
    if report.side_by_side:
        models = [one for name in report.side_by_side for one in models if one.name == name]
    else:
        models = sorted(models, key=lambda one: -(one.value("tr/sem_acc") or 0.0))
    if len(models) < 2:
        return None
    one, other = models[:2]
    first, second = _by_item(one), _by_item(other)
    common = [item for item in first if item in second]
    if report.items:
        chosen = [item for item in report.items if item in common]
    else:
        gap = {item: (first[item]["score"] or 0) - (second[item]["score"] or 0) for item in common}
        # Both directions, by turns: a table of one model's failures alone would be advertising.
        up = sorted((i for i in common if gap[i] > 0), key=lambda i: (-gap[i], i))
        down = sorted((i for i in common if gap[i] < 0), key=lambda i: (gap[i], i))
        turns = [i for pair in zip(up, down, strict=False) for i in pair]
        longer = up if len(up) > len(down) else down
        chosen = (turns + longer[min(len(up), len(down)) :])[:MOST]
    rows = []
    for item in chosen:
        cells = [Cell(text=_short(first[item]["text"])), Cell(text=_short(first[item]["gold"]))]
        for row in (first[item], second[item]):
            score = "–" if row["score"] is None else f"{row['score']:.0f}"
            written = row["raw_text"] if isinstance(row["raw_text"], str) else ""
            cells.append(Cell(text=f"({score}) {_short(written or row['outcome'])}"))
        rows.append((item, cells))
    columns = ["original 原文", "reference 参考", label_of(one), label_of(other)]
    return Table(
        "table7",
        f"Table 7 · {one.name} and {other.name} side by side",
        [TableColumn(title, align="l") for title in columns],
        [Block("", rows)],
        "The judge's score in brackets. "
        + ("Items as asked for." if report.items else "Items whose scores differ most, by turns."),
        row_title="item",
        tasks=("tr",),
    )


def _by_item(one: Contestant) -> dict[str, dict[str, Any]]:
    frame = one.runs["tr"].predictions["tr"]
    rows = frame[frame["repeat"] == 0].to_dict("records")
    return {row["item_id"]: {**row, "score": finite(row["score"])} for row in rows}


def _short(text: str, limit: int = 120) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


PARTS = [Part("translation", 20, table7)]
