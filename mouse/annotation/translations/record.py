"""Writes an assessment into the MLflow run that was rated; doing so twice changes nothing."""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mouse.annotation.translations.assessment import Assessment
from mouse.annotation.translations.figures_data import AGREEMENT_FILE, RATINGS_FILE
from mouse.annotation.translations.sheet import Key, save_key
from mouse.metrics.judge_agreement import SCORES
from mouse.text.json_text import to_json
from mouse.tracking import home
from mouse.tracking.stored import StoredRun

CONFUSION_FILE = "annotations/confusion.json"
CONFUSION_TABLE = "tables/judge_confusion.json"
VALIDATED_TAG = "judge_validated"
"""`true` or `false`; absent where no `judge.min_qwk` was asked for."""
VALIDATION_TAG = "judge_validation"
"""The sentence behind it, with the QWK."""
_PREFIXES = ("judge/human_", "judge/judge_share_", "judge/rater_", "tr/sem_acc_corrected")
_TABLES_TAG = "mlflow.loggedArtifacts"


def record(run: StoredRun, key: Key, found: Assessment) -> None:
    """Log metrics, tags and the files under `annotations/` to the run that was rated.

    A metric of an earlier import that is undefined now, or of a rater who is gone, becomes NaN:
    MLflow cannot take a metric back.
    """
    from mlflow.entities import Metric, RunTag
    from mlflow.tracking.client import MlflowClient

    client = MlflowClient(home.tracking_uri())
    with tempfile.TemporaryDirectory(prefix="mouse-") as temporary:
        _write(Path(temporary), key, found)
        client.log_artifacts(run.run_id, temporary)
    before = client.get_run(run.run_id).data
    now = int(time.time() * 1000)
    metrics = [
        Metric(name, value, now, 0)
        for name, value in changes(dict(before.metrics), found.metrics()).items()
    ]
    tags = {VALIDATION_TAG: found.sentence, _TABLES_TAG: _tables(before.tags.get(_TABLES_TAG))}
    if found.validated is not None:
        tags[VALIDATED_TAG] = str(found.validated).lower()
    elif VALIDATED_TAG in before.tags:
        client.delete_tag(run.run_id, VALIDATED_TAG)
    client.log_batch(
        run.run_id, metrics=metrics, tags=[RunTag(name, value) for name, value in tags.items()]
    )


def changes(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """The metrics to log so that `before` becomes `after`; what cannot be told any more is NaN."""
    wanted = dict.fromkeys((name for name in before if name.startswith(_PREFIXES)), math.nan)
    wanted.update(after)
    return {
        name: value
        for name, value in wanted.items()
        if (name in before or not math.isnan(value))
        and not _same(before.get(name, math.inf), value)
    }


def _same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def _tables(tag: str | None) -> str:
    """MLflow's list of tables in the run, with the confusion matrix added once."""
    logged = json.loads(tag) if tag else []
    entry = {"path": CONFUSION_TABLE, "type": "table"}
    return json.dumps(logged if entry in logged else [*logged, entry])


def _write(folder: Path, key: Key, found: Assessment) -> None:
    for path in (AGREEMENT_FILE, CONFUSION_TABLE):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / AGREEMENT_FILE).write_text(to_json(summary(key, found)), encoding="utf-8")
    raters = {rater: against.confusion for rater, against in found.raters.items()}
    confusion = {
        "labels": list(SCORES),
        "rows": "judge",
        "columns": "people",
        "consensus": found.consensus.confusion,
        "raters": {str(rater): matrix for rater, matrix in raters.items()},
    }
    (folder / CONFUSION_FILE).write_text(to_json(confusion), encoding="utf-8")
    matrices = {"consensus": found.consensus.confusion}
    matrices |= {f"rater {rater}": matrix for rater, matrix in raters.items()}
    table = {
        "columns": ["against", "judge", *(f"people {score}" for score in SCORES)],
        "data": [[who, s, *matrix[s]] for who, matrix in matrices.items() for s in SCORES],
    }
    (folder / CONFUSION_TABLE).write_text(to_json(table), encoding="utf-8")
    save_key((folder / AGREEMENT_FILE).parent, key)
    _ratings(folder / RATINGS_FILE, found)


def summary(key: Key, found: Assessment) -> dict[str, Any]:
    """The assessment as plain data, without the single ratings."""
    return {
        **{name: getattr(key, name) for name in ("code", "seed", "stratify")},
        "n": len(found.rated),
        **{name: getattr(found, name) for name in ("merge", "min_qwk", "validated", "sentence")},
        "consensus": asdict(found.consensus),
        "raters": {str(rater): asdict(against) for rater, against in found.raters.items()},
        "alpha": None if found.alpha is None else asdict(found.alpha),
        "corrected": asdict(found.corrected),
        "missing": list(found.missing),
        "absent": list(found.absent),
        "adjudicate": [
            {"row": one.entry.row, "item_id": one.unit.item_id, "repeat": one.unit.repeat}
            for one in found.adjudicate
        ],
        "notes": list(found.notes),
    }


def _ratings(path: Path, found: Assessment) -> None:
    """One row a rated translation; a column `rater_K` for each rater, null where left empty."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rated = found.rated
    columns: dict[str, tuple[Any, list[Any]]] = {
        "row": (pa.string(), [one.entry.row for one in rated]),
        "item_id": (pa.string(), [one.unit.item_id for one in rated]),
        "repeat": (pa.int64(), [one.unit.repeat for one in rated]),
        "cluster": (pa.string(), [one.unit.cluster for one in rated]),
        "judge_score": (pa.int64(), [one.unit.score for one in rated]),
        "consensus": (pa.int64(), [one.consensus.score for one in rated]),
        "adjudicate": (pa.bool_(), [one.consensus.adjudicate for one in rated]),
        "decided": (pa.bool_(), [one.decided for one in rated]),
        "stratum": (pa.string(), [one.entry.stratum for one in rated]),
        "weight": (pa.float64(), [one.entry.weight for one in rated]),
    }
    for rater in found.raters:
        columns[f"rater_{rater}"] = (pa.int64(), [one.ratings.get(rater) for one in rated])
        columns[f"comment_{rater}"] = (pa.string(), [one.comments.get(rater) for one in rated])
    arrays = {name: pa.array(values, kind) for name, (kind, values) in columns.items()}
    pq.write_table(pa.table(arrays), path, compression="zstd")
