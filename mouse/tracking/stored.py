"""A run as it is stored: what MLflow lists of it, and its files read back as contracts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mouse.contracts import JudgeValidation, Outcome, Prediction, Verdict
from mouse.corpus.items import COMPONENTS, CXEI, ChoiceItem, Components, Derivation
from mouse.plugins import VARIABLE
from mouse.scoring.result import Answers
from mouse.tasks.registry import task_codes
from mouse.tracking.files import CHOICE_TYPES, CXEI_TYPES

if TYPE_CHECKING:
    import pandas as pd

VALIDATED_TAG, VALIDATION_TAG = "judge_validated", "judge_validation"
"""`true` or `false` where `judge.min_qwk` was asked for, and the sentence behind it."""
NOT_VALIDATED = "judge not validated"
"""How that sentence begins where it says no; older runs have it among their warnings alone."""

_PREDICTION_FIELDS = [field.name for field in fields(Prediction) if field.name != "task"]
_VERDICT_FIELDS = [field.name for field in fields(Verdict)]


@dataclass(frozen=True)
class RunSummary:
    """One evaluation as MLflow lists it."""

    run_id: str
    name: str
    experiment: str
    started_ms: int
    artifact_uri: str
    params: Mapping[str, str] = field(repr=False)
    tags: Mapping[str, str] = field(repr=False)
    metrics: Mapping[str, float] = field(repr=False)

    @property
    def model(self) -> str:
        return self.tags.get("model", self.name)

    @property
    def dataset(self) -> str:
        return self.tags.get("dataset", "")

    @property
    def status(self) -> str:
        """`complete`, `incomplete`, `interrupted`, `failed`, or `running`."""
        return self.tags.get("status", "running")

    @property
    def facts(self) -> dict[str, str | float]:
        """What `--where` can name: parameters, tags, metrics, and the run's own attributes."""
        return {
            **self.params,
            **self.metrics,
            **self.tags,
            "run_id": self.run_id,
            "name": self.name,
            "experiment": self.experiment,
            "status": self.status,
        }


@dataclass(frozen=True)
class StoredRun:
    """One run with its files, each read when first asked for."""

    summary: RunSummary
    folder: Path

    @property
    def run_id(self) -> str:
        return self.summary.run_id

    @property
    def model(self) -> str:
        return self.summary.model

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """Codes of the tasks that have predictions, in the paper's order."""
        return tuple(
            code for code in task_codes() if (self.folder / f"predictions/{code}.parquet").exists()
        )

    @property
    def unknown_tasks(self) -> str:
        """A sentence where the run asked tasks that are not known here; else empty."""
        found = {path.stem for path in (self.folder / "predictions").glob("*.parquet")}
        if not (unknown := sorted(found - set(self.tasks))):
            return ""
        return (
            f"run {self.run_id} asked task {', '.join(unknown)}, which is not known here: name "
            f"its file in {VARIABLE}, or install its plug-in."
        )

    @cached_property
    def predictions(self) -> dict[str, pd.DataFrame]:
        """Task → one row a prediction (columns: `mouse.tracking.files.PREDICTION_TYPES`)."""
        return {task: self._frame(f"predictions/{task}.parquet") for task in self.tasks}

    @cached_property
    def cxeis(self) -> pd.DataFrame:
        """The expressions asked (columns: `mouse.tracking.files.CXEI_TYPES`)."""
        return self._frame("items/cxei.parquet")

    @cached_property
    def choices(self) -> pd.DataFrame:
        """The choice items asked (columns: `mouse.tracking.files.CHOICE_TYPES`)."""
        return self._frame("items/choices.parquet")

    @cached_property
    def items(self) -> dict[str, CXEI | ChoiceItem]:
        """The items asked, by id, as they are stored with the run."""
        found: dict[str, CXEI | ChoiceItem] = {}
        for row in self._rows("items/cxei.parquet", CXEI_TYPES):
            row["components"] = Components(*(row.pop(name) for name in COMPONENTS))
            row["derivation"] = tuple(
                Derivation(step["surface"], tuple(step["chain"]), step["target"], step["mechanism"])
                for step in json.loads(row["derivation"] or "[]")
            )
            found[row["id"]] = CXEI(**row)
        for row in self._rows("items/choices.parquet", CHOICE_TYPES):
            found[row["id"]] = ChoiceItem(**{**row, "options": tuple(json.loads(row["options"]))})
        return found

    @cached_property
    def metrics(self) -> list[dict[str, Any]]:
        """Every `MetricValue` as a record with its task; undefined numbers are None."""
        return json.loads((self.folder / "metrics.json").read_text(encoding="utf-8"))

    @cached_property
    def manifest(self) -> dict[str, Any]:
        return json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))

    @cached_property
    def judge_validation(self) -> JudgeValidation:
        """Whether the judge of the translations is validated, by people's ratings of this run
        (its tags, which come later) or by what the run itself found (its manifest)."""
        tags = self.summary.tags
        validated = {"true": True, "false": False}.get(tags.get(VALIDATED_TAG, ""))
        if validated:
            return JudgeValidation(True)
        found = self.manifest.get("judge_validation") or {}
        said = [tags.get(VALIDATION_TAG), found.get("reason"), *self.manifest.get("warnings", ())]
        reasons = [text for text in said if text and text.startswith(NOT_VALIDATED)]
        if validated is None and not reasons:
            return JudgeValidation(found.get("validated"))
        return JudgeValidation(False, reasons[0] if reasons else NOT_VALIDATED)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What the run said besides its numbers, but for what `judge_validation` says."""
        found = self.manifest.get("warnings", ())
        return tuple(text for text in found if not text.startswith(NOT_VALIDATED))

    def answers(self, task: str) -> Answers:
        """A task's predictions and verdicts as the metrics take them."""
        return Answers(
            self.task_predictions(task),
            self.task_verdicts(task),
            self.task_verdicts(task, "members"),
            self.task_verdicts(task, "ratings"),
        )

    def task_predictions(self, task: str) -> tuple[Prediction, ...]:
        """The predictions of a task; one whose judge failed is as valid as it was when read."""
        found = []
        for row in self._rows(f"predictions/{task}.parquet", _PREDICTION_FIELDS):
            row["outcome"] = Outcome(row["outcome"])
            if row["outcome"] is Outcome.FAILED and row["predicted"] is not None:
                # A failed request has no prediction: the row failed because its judge did.
                row |= {"outcome": Outcome.VALID, "note": ""}
            found.append(Prediction(**row, task=task))
        return tuple(found)

    def task_verdicts(self, task: str, kind: str = "verdicts") -> tuple[Verdict, ...]:
        """Verdicts of a task; `kind="members"` gives those of a panel's single judges,
        `kind="ratings"` those of the translations that come with ratings."""
        rows = self._rows(f"verdicts/{task}_{kind}.parquet", _VERDICT_FIELDS)
        return tuple(Verdict(**row) for row in rows)

    def clusters(self, task: str) -> dict[str, str]:
        """Item id → the unit of resampling."""
        rows = self._rows(f"predictions/{task}.parquet", ("item_id", "cluster"))
        return {row["item_id"]: row["cluster"] or row["item_id"] for row in rows}

    def _frame(self, path: str) -> pd.DataFrame:
        import pandas as pd

        if not (self.folder / path).exists():
            return pd.DataFrame()
        return pd.read_parquet(self.folder / path)

    def _rows(self, path: str, columns: Iterable[str]) -> Iterator[dict[str, Any]]:
        """Rows of a file, if there is one: None where a value is missing, and in a column that
        the file lacks because it is older than the column."""
        import pyarrow.parquet as pq

        if not (self.folder / path).exists():
            return
        table = pq.read_table(self.folder / path)
        found = {
            name: table[name].to_pylist() if name in table.column_names else [None] * len(table)
            for name in columns
        }
        for values in zip(*found.values(), strict=True):
            yield dict(zip(found, values, strict=True))
