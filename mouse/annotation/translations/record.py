"""Writes an assessment into the MLflow run that was rated; doing so twice changes nothing."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mouse.annotation.translations.assessment import Assessment
from mouse.annotation.translations.figures_data import AGREEMENT_FILE, RATINGS_FILE
from mouse.annotation.translations.sheet import Key, save_key
from mouse.metrics.judge_agreement import SCORES
from mouse.text.json_text import to_json
from mouse.tracking.amend import amend
from mouse.tracking.stored import VALIDATED_TAG, VALIDATION_TAG, StoredRun

CONFUSION_FILE = "annotations/confusion.json"
CONFUSION_TABLE = "tables/judge_confusion.json"
OWNED = ("judge/human_", "judge/judge_share_", "judge/rater_", "tr/sem_acc_corrected")
"""Beginnings of the metrics that are logged here and nowhere else."""


def record(run: StoredRun, key: Key, found: Assessment) -> None:
    """Log metrics, tags and the files under `annotations/` to the run that was rated.

    A metric of an earlier import that is undefined now, or of a rater who is gone, becomes NaN.
    """
    validated = None if found.validated is None else str(found.validated).lower()
    tags = {VALIDATION_TAG: found.sentence, VALIDATED_TAG: validated}
    with tempfile.TemporaryDirectory(prefix="mouse-") as temporary:
        folder = Path(temporary)
        _write(folder, key, found)
        metrics = found.metrics()
        amend(run.run_id, folder, metrics, tags, owned=OWNED, tables=[CONFUSION_TABLE])


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
