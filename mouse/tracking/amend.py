"""Adds to a run that is finished: people's ratings of it, which come later."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from mouse.tracking import home

_TABLES_TAG = "mlflow.loggedArtifacts"


def amend(
    run_id: str,
    folder: Path,
    metrics: Mapping[str, float],
    tags: Mapping[str, str | None],
    *,
    owned: tuple[str, ...],
    tables: Sequence[str] = (),
) -> None:
    """Log a folder's files, the metrics that differ and the tags; doing so twice changes nothing.

    `owned`: prefixes of the metrics that an earlier call may have logged. One that is not among
    `metrics` any more becomes NaN, because MLflow cannot take a metric back. A tag of None is
    deleted. `tables`: files that MLflow's interface shows as tables.
    """
    from mlflow.entities import Metric, RunTag
    from mlflow.tracking.client import MlflowClient

    client = MlflowClient(home.tracking_uri())
    client.log_artifacts(run_id, str(folder))
    before = client.get_run(run_id).data
    now = int(time.time() * 1000)
    logged = json.loads(before.tags.get(_TABLES_TAG, "[]"))
    entries = [{"path": path, "type": "table"} for path in tables]
    logged += [entry for entry in entries if entry not in logged]
    for name, value in tags.items():
        if value is None and name in before.tags:
            client.delete_tag(run_id, name)
    kept = {name: value for name, value in tags.items() if value is not None}
    changed = changes(dict(before.metrics), metrics, owned)
    client.log_batch(
        run_id,
        metrics=[Metric(name, value, now, 0) for name, value in changed.items()],
        tags=[RunTag(*tag) for tag in {**kept, _TABLES_TAG: json.dumps(logged)}.items()],
    )


def changes(
    before: Mapping[str, float], after: Mapping[str, float], owned: tuple[str, ...]
) -> dict[str, float]:
    """The metrics to log so that `before` becomes `after`; an owned one that is gone is NaN."""
    wanted = {**{name: math.nan for name in before if name.startswith(owned)}, **after}
    return {
        name: value
        for name, value in wanted.items()
        if (name in before or not math.isnan(value))
        and not _same(before.get(name, math.inf), value)
    }


def _same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))
