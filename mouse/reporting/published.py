"""The paper's rows (tables 3, 4 and 6), as facts to print beside one's own."""

from __future__ import annotations

import csv
from functools import cache

from mouse.resources import data_path


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
