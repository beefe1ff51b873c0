"""The data of the paper's figures 2 (QWK a model) and 3 (Sem.Acc of a sample against all)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mouse.annotation.translations.population import draw, population
from mouse.metrics.agreement import Agreement
from mouse.metrics.sampling_gap import SamplingGap, sampling_gap
from mouse.tracking.stored import StoredRun

AGREEMENT_FILE = "annotations/agreement.json"
RATINGS_FILE = "annotations/ratings.parquet"


@dataclass(frozen=True, kw_only=True)
class KappaBar(Agreement):
    """One bar of figure 2: QWK of judge and people on one model's translations."""

    model: str
    raters: int
    validated: bool | None


def read_agreement(folder: Path) -> dict[str, Any] | None:
    """What `annotate import` stored in a run's artifacts; None where nobody has rated it."""
    path = folder / AGREEMENT_FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def kappa_bar(model: str, stored: Mapping[str, Any]) -> KappaBar:
    """A bar of figure 2 from a run's `agreement.json`, where null stands for NaN."""
    qwk: dict[str, Any] = {
        name: float("nan") if value is None else value
        for name, value in stored["consensus"]["qwk"].items()
    }
    raters, validated = len(stored["raters"]), stored["validated"]
    return KappaBar(**qwk, model=model, raters=raters, validated=validated)


def run_gap(run: StoredRun, *, n: int = 150, seed: int = 0) -> SamplingGap:
    """Figure 3 of a run: of the sample that people rated, else of one that `export` would draw."""
    import pandas as pd

    units = population(run).units
    everything = [unit.score for unit in units]
    stored = read_agreement(run.folder)
    if stored is None:
        drawn = draw(units, min(n, len(units)), seed, "none")
        return sampling_gap(run.model, [one.unit.score for one in drawn], everything)
    ratings = pd.read_parquet(run.folder / RATINGS_FILE)
    weights = ratings["weight"].tolist() if stored["stratify"] == "score" else None
    return sampling_gap(run.model, ratings["judge_score"].tolist(), everything, weights=weights)
