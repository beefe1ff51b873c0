"""The paper's rows (tables 3, 4 and 6) and their intervals, to print beside one's own.

The intervals are computed once by `scripts/paper_tables.py` from the counts that the printed
decimals determine, and stand in `published/intervals.csv`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from mouse.corpus.resources import data_path

HUMAN_GROUPS = {
    "familiar_participants": "familiar with the culture (n = 3)",
    "unfamiliar_participants": "not familiar (n = 2)",
}
"""The published rows that are groups of people, and how to call them with their size (App. C.1)."""


@dataclass(frozen=True)
class PublishedInterval:
    """A published number with a 95% interval from the counts behind it.

    Where several counts print alike the interval spans all of theirs. `lo`, `hi` are NaN, with a
    note, where the printed numbers do not determine counts. `n`: items of the benchmark.
    """

    metric: str
    value: float
    lo: float
    hi: float
    n: int
    method: str
    note: str


@cache
def published_rows() -> dict[str, dict[str, float]]:
    """Metric name → value by the paper's model name (`GPT5.2`) or group of people."""
    rows: dict[str, dict[str, float]] = {}
    for name in ("table3_main", "table4_mcc", "table6_human_cc"):
        for row in _read(name):
            label = row.pop("model", None) or row.pop("rater", "")
            rows.setdefault(label, {}).update(
                {key: float(value) for key, value in row.items() if key and value}
            )
    return rows


def published_row(model: str) -> dict[str, float]:
    """The paper's values of one model; empty where the paper has none."""
    return published_rows().get(model, {})


@cache
def published_intervals() -> dict[str, dict[str, PublishedInterval]]:
    """Model or group → metric → its number with the interval, for every published number."""
    found: dict[str, dict[str, PublishedInterval]] = {}
    for row in _read("intervals"):
        lo, hi = (float(row[end] or "nan") for end in ("lo", "hi"))
        one = PublishedInterval(
            row["metric"],
            published_row(row["model"])[row["metric"]],
            lo,
            hi,
            int(row["n"]),
            row["method"],
            row["note"],
        )
        found.setdefault(row["model"], {})[one.metric] = one
    return found


def _read(name: str) -> Iterator[dict[str, str]]:
    with data_path(f"published/{name}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
