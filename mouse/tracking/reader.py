"""Reads runs back: what was logged, and the predictions from which it can be computed again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mouse.contracts import Outcome, Prediction, Verdict
from mouse.errors import UserError
from mouse.tracking import home
from mouse.tracking.where import parse

if TYPE_CHECKING:
    import pandas as pd
    from mlflow.entities import Run

KIND_TAG = "kind"
"""A run with this tag is no evaluation (`sweep`: the parent of some; `report`)."""

_OUTCOMES = {outcome.value: outcome for outcome in Outcome}
_PREDICTION_COLUMNS = (
    "item_id",
    "variant",
    "gold",
    "predicted",
    "outcome",
    "raw_text",
    "repeat",
    "reasoning",
    "request_key",
    "note",
    "confidence",
    "finish_reason",
)


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
        from mouse.contracts import TASK_CODES

        return tuple(
            code for code in TASK_CODES if (self.folder / f"predictions/{code}.parquet").exists()
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
    def metrics(self) -> list[dict[str, Any]]:
        """Every `MetricValue` as a record with its task; undefined numbers are None."""
        return json.loads((self.folder / "metrics.json").read_text(encoding="utf-8"))

    @cached_property
    def manifest(self) -> dict[str, Any]:
        return json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))

    def task_predictions(self, task: str) -> tuple[Prediction, ...]:
        """The predictions of a task as the metrics take them."""
        frame = self.predictions[task]
        # Runs of before a column existed lack it.
        columns = [
            frame[name].tolist() if name in frame else [None] * len(frame)
            for name in _PREDICTION_COLUMNS
        ]
        return tuple(
            Prediction(
                item_id=item_id,
                variant=variant,
                gold=gold,
                predicted=_text(predicted),
                outcome=_OUTCOMES[outcome],
                raw_text=_text(raw_text),
                task=task,
                repeat=int(repeat),
                reasoning=_text(reasoning),
                request_key=request_key,
                note=note,
                confidence=_number(confidence),
                finish_reason=_text(finish_reason),
            )
            for (
                item_id,
                variant,
                gold,
                predicted,
                outcome,
                raw_text,
                repeat,
                reasoning,
                request_key,
                note,
                confidence,
                finish_reason,
            ) in zip(*columns, strict=True)
        )

    def task_verdicts(self, task: str = "tr", kind: str = "verdicts") -> tuple[Verdict, ...]:
        """Verdicts of a task; `kind="members"` gives those of a panel's single judges,
        `kind="ratings"` those of the translations that come with ratings."""
        path = f"verdicts/{task}_{kind}.parquet"
        if not (self.folder / path).exists():
            return ()
        return tuple(
            Verdict(
                item_id=row["item_id"],
                score=None if _number(row["score"]) is None else int(row["score"]),
                judge=row["judge"],
                status=row["status"],
                rationale=row["rationale"],
                repeat=int(row["repeat"]),
            )
            for row in self._frame(path).to_dict("records")
        )

    def clusters(self, task: str) -> dict[str, str]:
        """Item id → the unit of resampling."""
        frame = self.predictions[task]
        pairs = zip(frame["item_id"], frame["cluster"], strict=True)
        return {item: _text(cluster) or item for item, cluster in pairs}

    def _frame(self, path: str) -> pd.DataFrame:
        import pandas as pd

        if not (self.folder / path).exists():
            return pd.DataFrame()
        return pd.read_parquet(self.folder / path)


def runs(where: str | None = None, experiment: str | None = None) -> list[RunSummary]:
    """Evaluations, the newest first; sweeps' parents and reports are not evaluations.

    Args:
        where: a condition in the language of `mouse.tracking.where`.
        experiment: only runs of this MLflow experiment.

    Raises:
        UserError: the condition cannot be read, or there is no such experiment.
    """
    wanted = parse(where) if where else None
    client = _client()
    experiments = {entry.experiment_id: entry.name for entry in client.search_experiments()}
    if experiment is not None:
        experiments = {key: name for key, name in experiments.items() if name == experiment}
        if not experiments:
            raise UserError(
                f"there is no experiment {experiment!r} in {home.tracking_uri()}: run "
                "python -m mouse.run first, or see the names in the MLflow UI"
            )
    found: list[RunSummary] = []
    token = None
    while True:
        page = client.search_runs(
            list(experiments),
            order_by=["attributes.start_time DESC"],
            max_results=1000,
            page_token=token,
        )
        found += [_summary(run, experiments[run.info.experiment_id]) for run in page]
        token = page.token
        if not token:
            break
    return [
        run for run in found if KIND_TAG not in run.tags and (wanted is None or wanted(run.facts))
    ]


def latest(summaries: list[RunSummary]) -> list[RunSummary]:
    """The newest run of each model, in order of the models' names; `summaries` newest first."""
    by_model: dict[str, RunSummary] = {}
    for run in summaries:
        by_model.setdefault(run.model, run)
    return [by_model[model] for model in sorted(by_model)]


def load_run(run_id: str) -> StoredRun:
    """One run with its files. `run_id` may be cut short as long as it names one run.

    Raises:
        UserError: no run or several begin so, or its files are gone.
    """
    return open_run(find_run(run_id))


def find_run(run_id: str) -> RunSummary:
    """One run as MLflow lists it; `run_id` as for `load_run`. Raises `UserError` likewise."""
    matching = [run for run in runs() if run.run_id.startswith(run_id)] if run_id else []
    if len(matching) != 1:
        problem = "no run has" if not matching else f"{len(matching)} runs have"
        raise UserError(
            f"{problem} an id that begins with {run_id!r} in {home.tracking_uri()}: give the id "
            "that python -m mouse.run printed"
        )
    return matching[0]


def open_run(summary: RunSummary) -> StoredRun:
    """The files of a run that `runs` listed. Raises `UserError` where they are gone."""
    folder = local_folder(summary)
    if not (folder / "metrics.json").exists():
        raise UserError(
            f"run {summary.run_id} ({summary.model}, {summary.status}) has no files in {folder}: "
            "it was stopped before it was logged, or its artifacts were moved"
        )
    return StoredRun(summary, folder)


def local_folder(summary: RunSummary) -> Path:
    """Where the files of a run lie on this machine; those of a server are fetched first."""
    if summary.artifact_uri.startswith("file:"):
        from urllib.parse import unquote, urlsplit

        recorded = Path(unquote(urlsplit(summary.artifact_uri).path))
        if recorded.exists():
            return recorded
        # The whole folder may have been moved since: the end of the path stays the same.
        return (
            home.artifacts() / summary.experiment.replace("/", "_") / summary.run_id / "artifacts"
        )
    import mlflow

    return Path(
        mlflow.artifacts.download_artifacts(
            artifact_uri=summary.artifact_uri, tracking_uri=home.tracking_uri()
        )
    )


def _client() -> Any:
    uri = home.tracking_uri()
    database = Path(uri.removeprefix("sqlite:///"))
    if uri.startswith("sqlite:///") and not database.exists():
        raise UserError(
            f"nothing has been tracked yet: {database} does not exist. Run python -m mouse.run, "
            "or name the folder that holds the runs with MOUSE_HOME"
        )
    from mlflow.tracking.client import MlflowClient

    return MlflowClient(uri)


def _summary(run: Run, experiment: str) -> RunSummary:
    return RunSummary(
        run_id=run.info.run_id,
        name=run.info.run_name,
        experiment=experiment,
        started_ms=run.info.start_time,
        artifact_uri=run.info.artifact_uri,
        params=dict(run.data.params),
        tags=dict(run.data.tags),
        metrics=dict(run.data.metrics),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    return None if value is None or value != value else float(value)
