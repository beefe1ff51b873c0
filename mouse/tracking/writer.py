"""Writes a run to MLflow: one writer, the driver, and few calls, each with all it has to say."""

from __future__ import annotations

import json
import math
import os
import platform
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from mouse.contracts import MetricValue, RunResult
from mouse.corpus.items import Dataset
from mouse.text.json_text import to_json
from mouse.text.redaction import redact
from mouse.tracking import checksums, files, home, provenance
from mouse.tracking.plain import MAX_TAG, flatten, name, shorten
from mouse.tracking.stored import VALIDATED_TAG

if TYPE_CHECKING:
    from mlflow.tracking.client import MlflowClient

Status = Literal["complete", "incomplete", "interrupted", "failed"]

_MLFLOW_STATUS = {
    "complete": "FINISHED",
    "incomplete": "FINISHED",
    "interrupted": "KILLED",
    "failed": "FAILED",
}
# The UI shows runs with their metrics and figures first, not traces of an agent.
_EXPERIMENT_TAGS = {"mlflow.experimentKind": "custom_model_development"}
_METRICS_A_CALL = 1000
_PAIRS_A_CALL = 100
_PID_TAG = "mouse.pid"
_T = TypeVar("_T")


class Tracker:
    """One MLflow run, from `start` to `finish`. Not for Ray workers: only the driver writes."""

    def __init__(self, uri: str | None = None) -> None:
        """`uri`: what `home.prepare()` returned; by default it is called here."""
        from mlflow.tracking.client import MlflowClient

        self.uri = uri or home.prepare()
        self.client: MlflowClient = MlflowClient(self.uri)
        self.run_id = ""
        self.experiment_id = ""

    def start(
        self,
        run_name: str,
        params: Any,
        tags: Mapping[str, str],
        experiment: str,
        parent_run_id: str | None = None,
    ) -> str:
        """Create the run, visible in the UI from now on, and return its id.

        `params`: a configuration (dataclass or nested mapping), flattened. `tags`: the caller's;
        commit, versions, process and command are added. Nothing written holds a secret.
        """
        self.experiment_id = self._experiment(experiment)
        self._close_abandoned()
        all_tags = {
            "mlflow.runName": run_name,
            "mlflow.source.name": "mouse",
            "mlflow.source.type": "LOCAL",
            _PID_TAG: f"{_boot()}/{os.getpid()}",
            **_provenance_tags(),
            **tags,
        }
        if parent_run_id:
            all_tags["mlflow.parentRunId"] = parent_run_id
        run = self.client.create_run(self.experiment_id, run_name=run_name)
        self.run_id = run.info.run_id
        self._log(params=flatten(params), tags=all_tags)
        return self.run_id

    def log_result(
        self,
        result: RunResult,
        dataset: Dataset,
        config_yaml: str,
        manifest: Mapping[str, Any],
        attached: Mapping[str, str | bytes] | None = None,
    ) -> None:
        """Metrics, ledger, data set, tables and configuration of a finished evaluation.

        `attached`: further files, path under the artifacts → content (prompts, figures).
        """
        with tempfile.TemporaryDirectory(prefix="mouse-") as temporary:
            folder = Path(temporary)
            tables = files.write(folder, result, dataset)
            (folder / "config").mkdir()
            (folder / "config" / "config.yaml").write_text(redact(config_yaml), encoding="utf-8")
            (folder / "manifest.json").write_text(
                redact(
                    to_json(
                        {
                            **manifest,
                            "warnings": list(result.warnings),
                            "judge_validation": asdict(result.judge_validation),
                        }
                    )
                ),
                encoding="utf-8",
            )
            for path, content in (attached or {}).items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                if isinstance(content, str):
                    content = redact(content).encode()
                (folder / path).write_bytes(content)
            seal = checksums.write(folder)
            self.client.log_artifacts(self.run_id, str(folder))
        self._log_dataset(result, dataset)
        validated = result.judge_validation.validated
        logged = [{"path": path, "type": "table"} for path in tables]
        self._log(
            metrics=metric_entries(result),
            tags={
                "mlflow.loggedArtifacts": json.dumps(logged),
                "mlflow.note.content": description(result),
                checksums.TAG: seal,
                **({} if validated is None else {VALIDATED_TAG: str(validated).lower()}),
            },
        )

    def finish(self, status: Status) -> None:
        """End the run. `complete` and `incomplete` are finished runs to MLflow; the tag tells."""
        self.client.set_tag(self.run_id, "status", status)
        self.client.set_terminated(self.run_id, _MLFLOW_STATUS[status])

    def log_files(self, folder: Path, path: str = "") -> None:
        """Add the files under `folder` to the run, below `path`."""
        self.client.log_artifacts(self.run_id, str(folder), path or None)

    def _experiment(self, experiment: str) -> str:
        from mlflow.exceptions import MlflowException

        found = self.client.get_experiment_by_name(experiment)
        if found is None:
            place = None
            if self.uri.startswith("sqlite:"):
                place = (home.artifacts() / name(experiment).replace("/", "_")).as_uri()
            try:
                return self.client.create_experiment(
                    experiment, artifact_location=place, tags=_EXPERIMENT_TAGS
                )
            except MlflowException:
                # Another process was first; if it was not, the error is ours to show.
                found = self.client.get_experiment_by_name(experiment)
                if found is None:
                    raise
        if found.lifecycle_stage != "active":
            self.client.restore_experiment(found.experiment_id)
        return found.experiment_id

    def _close_abandoned(self) -> None:
        """End the runs of this machine whose process was killed, so none runs for ever."""
        running = self.client.search_runs([self.experiment_id], "attributes.status = 'RUNNING'")
        for run in running:
            boot, _, pid = run.data.tags.get(_PID_TAG, "").rpartition("/")
            if boot and not _alive(boot, int(pid)):
                self.client.set_tag(run.info.run_id, "status", "interrupted")
                self.client.set_terminated(run.info.run_id, "KILLED")

    def _log_dataset(self, result: RunResult, dataset: Dataset) -> None:
        from mlflow.entities import Dataset as MlflowDataset
        from mlflow.entities import DatasetInput, InputTag

        profile = {
            "fingerprint": result.fingerprint,
            "cxeis": len(dataset.cxeis),
            "choices": len(dataset.choices),
        }
        entity = MlflowDataset(
            name=dataset.name,
            digest=result.fingerprint[:36],
            source_type="local",
            source=json.dumps({"uri": redact(dataset.source or dataset.name)}),
            profile=json.dumps(profile),
        )
        tag = InputTag("mlflow.data.context", "evaluation")
        self.client.log_inputs(self.run_id, datasets=[DatasetInput(entity, [tag])])

    def _log(
        self,
        metrics: Mapping[str, float] | None = None,
        params: Mapping[str, str] | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        from mlflow.entities import Metric, Param, RunTag

        now = int(time.time() * 1000)
        metric_list = [Metric(name(key), value, now, 0) for key, value in (metrics or {}).items()]
        param_list = [Param(key, redact(value)) for key, value in (params or {}).items()]
        tag_list = [
            RunTag(name(key), shorten(redact(str(value)), MAX_TAG))
            for key, value in (tags or {}).items()
        ]
        for metric_chunk, param_chunk, tag_chunk in zip_longest(
            _chunks(metric_list, _METRICS_A_CALL - 2 * _PAIRS_A_CALL),
            _chunks(param_list, _PAIRS_A_CALL),
            _chunks(tag_list, _PAIRS_A_CALL),
            fillvalue=(),
        ):
            self.client.log_batch(
                self.run_id, metrics=metric_chunk, params=param_chunk, tags=tag_chunk
            )


def metric_entries(result: RunResult) -> dict[str, float]:
    """All numbers of a result by their MLflow names; what is not finite is left out.

    A metric that is undefined has no entry here, but a row with its reason in `metrics.json`.
    """
    entries: dict[str, float] = {}
    for task in result.tasks:
        for metric in task.metrics:
            key = metric_key(task.task, metric)
            entries[key] = metric.value
            entries[f"{key}_lo"], entries[f"{key}_hi"] = metric.lo, metric.hi
            if _differ(metric.valid_only, metric.value):
                entries[f"{key}_valid_only"] = metric.valid_only
            if _differ(metric.worst, metric.best):
                entries[f"{key}_worst"], entries[f"{key}_best"] = metric.worst, metric.best
        entries[f"{task.task}/n"] = len(task.predictions)
        entries[f"{task.task}/not_applicable"] = task.not_applicable
        for outcome, count in task.ledger.items():
            entries[f"outcome/{task.task}/{outcome}"] = count
    entries.update({f"usage/{key}": value for key, value in result.usage.items()})
    entries.update({f"judge/{key}": value for key, value in result.judge.items()})
    return {key: float(value) for key, value in entries.items() if math.isfinite(value)}


def metric_key(task: str, metric: MetricValue) -> str:
    """`<task>/<metric>`, whether or not the metric's own name begins with the task."""
    return metric.name if metric.name.startswith(f"{task}/") else f"{task}/{metric.name}"


def description(result: RunResult) -> str:
    """The run's page in MLflow opens with this: every metric with its interval, and the ledger."""
    lines = [f"**{result.model}** on **{result.data}**", ""]
    lines += ["| metric | value | 95% interval | n |", "|---|---|---|---|"]
    for task in result.tasks:
        for metric in task.metrics:
            interval = f"{_number(metric.lo)} – {_number(metric.hi)}"
            value = _number(metric.value)
            if _differ(metric.worst, metric.best):
                value += f" (failed requests: {_number(metric.worst)} to {_number(metric.best)})"
            if metric.note:
                value += f" ({metric.note})"
            key = metric_key(task.task, metric)
            lines.append(f"| {key} | {value} | {interval} | {metric.n} |")
    lines += ["", "| task | " + " | ".join(_outcomes(result)) + " |"]
    lines.append("|---" * (1 + len(_outcomes(result))) + "|")
    for task in result.tasks:
        counts = " | ".join(str(task.ledger[outcome]) for outcome in _outcomes(result))
        lines.append(f"| {task.task} | {counts} |")
    lines += ["", *(f"- {warning}" for warning in result.warnings)]
    return "\n".join(lines).rstrip()


def _outcomes(result: RunResult) -> list[str]:
    return list(result.tasks[0].ledger) if result.tasks else []


def _differ(one: float, other: float) -> bool:
    return one != other and not (math.isnan(one) and math.isnan(other))


def _number(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "–"


def _provenance_tags() -> dict[str, str]:
    code = provenance.code()
    tags = {f"version.{library}": version for library, version in provenance.versions().items()}
    tags["git_commit"] = code.commit or "not a checkout"
    tags["git_dirty"] = str(code.dirty).lower()
    if code.commit:
        tags["mlflow.source.git.commit"] = code.commit
    return tags


def _boot() -> str:
    """Names this boot of this machine, so that a process number means one process."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()[:8]
    except OSError:
        return platform.node()[:32]


def _alive(boot: str, pid: int) -> bool:
    """Whether a process runs; True too where `boot` is another: it may be another machine's."""
    import psutil

    return boot != _boot() or psutil.pid_exists(pid)


def _chunks(entries: Sequence[_T], size: int) -> Iterable[Sequence[_T]]:
    return (entries[start : start + size] for start in range(0, len(entries), size))
