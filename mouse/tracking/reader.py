"""Finds runs in MLflow and opens what they stored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from mouse.errors import UserError
from mouse.tracking import home
from mouse.tracking.stored import RunSummary, StoredRun
from mouse.tracking.where import parse

if TYPE_CHECKING:
    from mlflow.entities import Run

KIND_TAG = "kind"
"""A run with this tag is no evaluation (`sweep`: the parent of some; `report`)."""


def runs(where: str | None = None, experiment: str | None = None) -> list[RunSummary]:
    """Evaluations, the newest first; sweeps' parents and reports are not evaluations.

    Args:
        where: a condition in the language of `mouse.tracking.where`.
        experiment: only runs of this MLflow experiment.

    Raises:
        UserError: the condition cannot be read, or there is no such experiment.
    """
    wanted = parse(where) if where else None
    return [run for run in _search(experiment=experiment) if wanted is None or wanted(run.facts)]


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
    matching = _search(f"attributes.run_id LIKE '{run_id}%'") if run_id.isalnum() else []
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


def _search(filter_string: str = "", experiment: str | None = None) -> list[RunSummary]:
    """Evaluations that an MLflow filter lets through, the newest first."""
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
    while token != "":
        page = client.search_runs(
            list(experiments),
            filter_string,
            order_by=["attributes.start_time DESC"],
            max_results=1000,
            page_token=token,
        )
        found += [_summary(run, experiments[run.info.experiment_id]) for run in page]
        token = page.token or ""
    return [run for run in found if KIND_TAG not in run.tags]


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
