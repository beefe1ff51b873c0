"""The data of the paper's figures 2 (QWK a model) and 3 (Sem.Acc of a sample against all).

Plain numbers; `reporting` draws them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mouse.annotation.translations.sampling import draw
from mouse.annotation.translations.units import population
from mouse.metrics.tables import FloatArray

if TYPE_CHECKING:
    from mouse.tracking.stored import StoredRun

AGREEMENT_FILE = "annotations/agreement.json"
RATINGS_FILE = "annotations/ratings.parquet"
_EXACT_UP_TO = 1500
"""Sample size up to which the distribution of the gap is summed exactly."""


@dataclass(frozen=True)
class KappaBar:
    """One bar of figure 2: QWK of judge and people on one model's translations.

    `band`: Landis & Koch's word. NaN with a `note` where undefined.
    """

    model: str
    value: float
    lo: float
    hi: float
    n: int
    raters: int
    band: str
    validated: bool | None
    note: str = ""


@dataclass(frozen=True)
class SamplingGap:
    """One bar of figure 3: |Sem.Acc on the sample - on all| of the judge's own scores.

    `expected`: mean of the gap over all samples of `n` of `population` drawn without replacement;
    `expected_hi`: what 95% of them do not exceed; `p_value`: share of them with at least this gap.
    A gap below `expected_hi` is what sampling alone does.
    """

    model: str
    n: int
    population: int
    sample: float
    everything: float
    gap: float
    expected: float
    expected_hi: float
    p_value: float
    status: Literal["ok", "by_design"]
    note: str = ""


def read_agreement(folder: Path) -> dict[str, Any] | None:
    """What `annotate import` stored in a run's artifacts; None where nobody has rated it."""
    path = folder / AGREEMENT_FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def kappa_bars(agreements: Sequence[tuple[str, Mapping[str, Any]]]) -> list[KappaBar]:
    """Figure 2 from (model, its `agreement.json`), in the order given."""
    bars = []
    for model, found in agreements:
        qwk = found["consensus"]["qwk"]
        bars.append(
            KappaBar(
                model,
                _number(qwk["value"]),
                _number(qwk["lo"]),
                _number(qwk["hi"]),
                qwk["n"],
                len(found["raters"]),
                qwk["band"],
                found["validated"],
                qwk["note"],
            )
        )
    return bars


def run_gap(run: StoredRun, *, n: int = 150, seed: int = 0) -> SamplingGap:
    """Figure 3 of a run: of the sample that people rated, else of one that `export` would draw.

    Raises `UserError` for a run without judged translations.
    """
    import pandas as pd

    units = population(run).units
    everything = [unit.score for unit in units]
    stored = read_agreement(run.folder)
    if stored is None:
        drawn = draw(units, min(n, len(units)), seed, "none")
        return sampling_gap(run.model, [one.unit.score for one in drawn], everything)
    ratings = pd.read_parquet(run.folder / RATINGS_FILE)
    return sampling_gap(
        run.model,
        ratings["judge_score"].tolist(),
        everything,
        stratified=stored["stratify"] == "score",
        weights=ratings["weight"].tolist(),
    )


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def sampling_gap(
    model: str,
    sampled: Sequence[int],
    everything: Sequence[int],
    *,
    stratified: bool = False,
    weights: Sequence[float] | None = None,
    confidence: float = 0.95,
) -> SamplingGap:
    """Figure 3 from the judge's scores (0, 1, 2) of the sample and of all, the sample included.

    The scores of a simple random sample follow a multivariate hypergeometric distribution, from
    which `expected`, `expected_hi` and `p_value` follow exactly (above 1,500 sampled by the
    normal approximation with the finite-population correction). A sample stratified by these very
    scores, weighted, has no gap by design: `by_design`. Raises `ValueError` for a sample that
    cannot be one of `everything`.
    """
    whole = np.bincount(np.asarray(everything, dtype=np.int64), minlength=3)
    part = np.bincount(np.asarray(sampled, dtype=np.int64), minlength=3)
    n, total = int(part.sum()), int(whole.sum())
    if n == 0 or (part > whole).any():
        raise ValueError("the sampled scores are none of a sample of all of them")
    value = np.arange(3) / 2
    all_ = float(whole @ value / total)
    if stratified:
        if weights is None:
            raise ValueError("a stratified sample needs its weights")
        w = np.asarray(weights, dtype=float)
        sample = float(w @ (np.asarray(sampled) / 2) / w.sum())
        note = "stratified by the judge's score: no gap by design"
        nan = float("nan")
        gap = abs(sample - all_)
        return SamplingGap(model, n, total, sample, all_, gap, nan, nan, nan, "by_design", note)
    sample = float(part @ value / n)
    gap = abs(sample - all_)
    if n <= _EXACT_UP_TO:
        gaps, probability = _exact(whole, n, all_)
        # Equal gaps come out of different sums of floats.
        p_value = float(probability[gaps >= gap - 1e-9].sum())
        expected = float(probability @ gaps)
        order = np.argsort(gaps)
        reached = np.cumsum(probability[order]) >= confidence - 1e-12
        high = float(gaps[order][np.argmax(reached)])
    else:
        from scipy.special import ndtr, ndtri

        variance = float(whole @ (value - all_) ** 2 / (total - 1)) if total > 1 else 0.0
        error = (variance / n * (1 - n / total)) ** 0.5
        expected, high = error * (2 / np.pi) ** 0.5, error * float(ndtri((1 + confidence) / 2))
        p_value = float(2 * ndtr(-gap / error)) if error else 1.0
    return SamplingGap(model, n, total, sample, all_, gap, expected, high, min(1.0, p_value), "ok")


def _exact(whole: np.ndarray, n: int, mean: float) -> tuple[FloatArray, FloatArray]:
    """All gaps that a sample of n can have, and their probabilities."""
    from scipy.special import gammaln

    def log_choose(k: int, drawn: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            log = gammaln(k + 1) - gammaln(drawn + 1) - gammaln(k - drawn + 1)
        return np.where((drawn >= 0) & (drawn <= k), log, -np.inf)

    ones, twos = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0), indexing="ij")
    zeros = n - ones - twos
    log = (
        log_choose(int(whole[0]), zeros)
        + log_choose(int(whole[1]), ones)
        + log_choose(int(whole[2]), twos)
        - log_choose(int(whole.sum()), np.array(float(n)))
    )
    gaps = np.abs((ones / 2 + twos) / n - mean)
    possible = np.isfinite(log)
    return gaps[possible], np.exp(log[possible])
