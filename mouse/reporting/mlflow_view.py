"""Addresses inside MLflow's UI that open the report's runs there: compared, and as a ranked list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote

from mouse.reporting.report import Report
from mouse.tasks.registry import get_task
from mouse.tracking.writer import Tracker

MOST_COMPARED = 60
"""A longer address than that of so many runs is cut by some browsers and proxies."""


def views(report: Report) -> list[tuple[str, str]]:
    """(what it shows, the part of the address from `/#/` on); none where runs' homes are unknown."""
    runs = report.runs
    experiments = _experiment_ids(sorted({run.summary.experiment for run in runs.values()}))
    if not experiments:
        return []
    ids = list(runs)[:MOST_COMPARED]
    found = [
        (
            "these runs compared",
            f"/#/compare-runs?runs={_json(ids)}&experiments={_json(experiments)}",
        )
    ]
    first = get_task(report.tasks[0]).headline_names[0]
    order = quote(f"metrics.`{first}`", safe="")
    only = quote("tags.status = 'complete'", safe="")
    found.append(
        (
            f"finished runs ranked by {first}",
            f"/#/experiments/{experiments[0]}/runs?searchFilter={only}&orderByKey={order}"
            "&orderByAsc=false",
        )
    )
    return found


def _json(values: Sequence[str]) -> str:
    return quote(json.dumps(list(values), separators=(",", ":")), safe="")


def _experiment_ids(names: Sequence[str]) -> list[str]:
    client = Tracker().client
    found = (client.get_experiment_by_name(name) for name in names)
    return [experiment.experiment_id for experiment in found if experiment is not None]
