"""How far a run's judge can be trusted: coverage, agreement of a panel, agreement with ratings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mouse.contracts import TaskResult, Verdict
from mouse.corpus.items import Dataset
from mouse.judging.reference_ratings import rated_pairs
from mouse.metrics.agreement import Agreement, weighted_kappa
from mouse.metrics.alpha import krippendorff_alpha, rating_matrix


def panel_agreement(members: Sequence[Verdict], *, seed: int, resamples: int) -> Agreement | None:
    """Krippendorff's α (ordinal) among the members and repeats of a panel; None for one judge."""
    raters = sorted({(verdict.judge, verdict.repeat) for verdict in members})
    if len(raters) < 2:
        return None
    items = sorted({verdict.item_id for verdict in members})
    scores = (((v.judge, v.repeat), v.item_id, v.score) for v in members)
    ratings = rating_matrix(scores, raters, items)
    return krippendorff_alpha(ratings, seed=seed, resamples=resamples)


def rating_agreement(
    rated: Sequence[Verdict], dataset: Dataset, *, seed: int, resamples: int
) -> Agreement | None:
    """QWK of a judge with the ratings that ship with the sample; None where it scored none.

    `rated`: its verdicts on the rated pairs, whose ids they bear.
    """
    scores = {verdict.item_id: verdict.score for verdict in rated}
    pairs = [
        pair
        for pair in rated_pairs({item.id: item for item in dataset.cxeis})
        if scores.get(pair.id) is not None
    ]
    if not pairs:
        return None
    items = sorted({pair.item.id for pair in pairs})
    return weighted_kappa(
        [scores[pair.id] for pair in pairs],
        [pair.rating for pair in pairs],
        clusters=[items.index(pair.item.id) for pair in pairs],
        resamples=resamples,
        seed=seed,
    )


def judge_quality(
    dataset: Dataset, task: TaskResult, *, seed: int, resamples: int
) -> dict[str, float]:
    """What is logged under `judge/`: `coverage`, and `qwk` and `alpha` with intervals where known.

    Empty for a task without verdicts. `n`: rated pairs behind `qwk`; `disagreement`: share of
    translations on which the members of a panel differ.
    """
    if not task.verdicts:
        return {}
    scored = {metric.name.partition("/")[2]: metric.value for metric in task.metrics}
    quality = {"coverage": scored.get("judge_coverage", math.nan)}
    agreement = rating_agreement(task.rated_verdicts, dataset, seed=seed, resamples=resamples)
    if agreement is not None:
        quality |= {
            "qwk": agreement.value,
            "qwk_lo": agreement.lo,
            "qwk_hi": agreement.hi,
            "raw_agreement": agreement.raw_agreement,
            "n": float(agreement.n),
        }
    panel = panel_agreement(task.member_verdicts, seed=seed, resamples=resamples)
    if panel is not None:
        quality |= {
            "alpha": panel.value,
            "alpha_lo": panel.lo,
            "alpha_hi": panel.hi,
            "disagreement": disagreement(task.member_verdicts),
        }
    return quality


def disagreement(members: Sequence[Verdict]) -> float:
    """Share of translations with at least two scores whose scores are not all equal."""
    scores: dict[str, list[int]] = {}
    for verdict in members:
        if verdict.score is not None:
            scores.setdefault(verdict.item_id, []).append(verdict.score)
    several = [values for values in scores.values() if len(values) > 1]
    return sum(len(set(values)) > 1 for values in several) / len(several) if several else math.nan
