"""A run as it is stored: what MLflow lists of it, and its files read back as contracts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mouse.contracts import JudgeValidation, Outcome, Prediction, Verdict
from mouse.corpus.items import COMPONENTS, CXEI, ChoiceItem, Components, Derivation
from mouse.scoring.result import Answers
from mouse.tasks.registry import task_codes

if TYPE_CHECKING:
    import pandas as pd

VALIDATED_TAG, VALIDATION_TAG = "judge_validated", "judge_validation"
"""`true` or `false` where `judge.min_qwk` was asked for, and the sentence behind it."""
NOT_VALIDATED = "judge not validated"
"""How that sentence begins where it says no; older runs have it among their warnings alone."""

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
        return tuple(
            code for code in task_codes() if (self.folder / f"predictions/{code}.parquet").exists()
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
        for row in self.cxeis.to_dict("records"):
            steps = json.loads(row["derivation"]) if row["derivation"] else []
            toxicity = _number(row["toxicity"])
            flags = [_number(row[name]) for name in COMPONENTS]
            found[row["id"]] = CXEI(
                id=row["id"],
                original_text=row["original_text"],
                reference=_text(row["reference"]),
                components=Components(*(None if flag is None else bool(flag) for flag in flags)),
                intent=_text(row["intent"]),  # type: ignore[arg-type]
                toxicity=None if toxicity is None else int(toxicity),  # type: ignore[arg-type]
                source=row["source"],
                revision=row["revision"],
                derivation=tuple(
                    Derivation(s["surface"], tuple(s["chain"]), s["target"], s["mechanism"])
                    for s in steps
                ),
                group=row["group"],
            )
        for row in self.choices.to_dict("records"):
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
                outcome=Outcome.VALID if judge_failed else _OUTCOMES[outcome],
                raw_text=_text(raw_text),
                task=task,
                repeat=int(repeat),
                reasoning=_text(reasoning),
                request_key=request_key,
                note="" if judge_failed else note,
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
            # A failed request has no prediction: the row failed because its judge did.
            for judge_failed in (outcome == Outcome.FAILED.value and _text(predicted) is not None,)
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


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    return None if value is None or value != value else float(value)
