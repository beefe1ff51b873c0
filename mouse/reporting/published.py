"""The paper's rows (tables 3, 4 and 6) and their intervals, to print beside one's own."""

from __future__ import annotations

import csv
from functools import cache
from typing import TYPE_CHECKING

from mouse.corpus.resources import data_path

if TYPE_CHECKING:
    from mouse.metrics.published import PublishedInterval

HUMAN_GROUPS = {
    "familiar_participants": "familiar with the culture (n = 3)",
    "unfamiliar_participants": "not familiar (n = 2)",
}
"""The published rows that are groups of people, and how to call them with their size (App. C.1)."""


@cache
def published_rows() -> dict[str, dict[str, float]]:
    """Metric name → value by the paper's model name (`GPT5.2`) or rater group."""
    rows: dict[str, dict[str, float]] = {}
    for name in ("table3_main", "table4_mcc", "table6_human_cc"):
        with data_path(f"published/{name}.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                label = row.pop("model", None) or row.pop("rater", "")
                rows.setdefault(label, {}).update(
                    {key: float(value) for key, value in row.items() if key and value}
                )
    return rows


def published_row(model: str) -> dict[str, float]:
    """The paper's values of one model; empty where the paper has none."""
    return published_rows().get(model, {})


RESAMPLES = 2000


@cache
def published_interval(model: str, metric: str) -> PublishedInterval | None:
    """The interval of one published number from the counts behind it; None where there are none."""
    found = _intervals(model).get(metric)
    return found if found is not None and found.status == "ok" else None


@cache
def _intervals(model: str) -> dict[str, PublishedInterval]:
    from mouse.metrics.published import published_intervals

    row = published_row(model)
    if model in HUMAN_GROUPS:
        # A group's published value is a mean over people, so it is no count of 100 items.
        return {}
    return {found.metric: found for found in published_intervals(row, resamples=RESAMPLES)}
