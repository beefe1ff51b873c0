"""What a quality review found: the share of yes an aspect, its interval, and reviewers' agreement."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mouse.annotation.review.sheet import QUESTIONS, Opinion
from mouse.corpus.resources import data_path
from mouse.metrics.agreement import Agreement
from mouse.metrics.alpha import krippendorff_alpha, rating_matrix
from mouse.metrics.exact import clopper_pearson
from mouse.metrics.resampling import percentile_interval


@dataclass(frozen=True)
class AspectResult:
    """One row of Table 5 with what is needed to trust it.

    `rate`: share of yes among all answers. `lo`, `hi`: 95%, bootstrap over items, since four
    answers about one item are not four independent ones; exact at the number of items where all
    answers are equal, because the bootstrap has no width there. `majority_rate`: share of items
    that more than half of the reviewers passed, with its exact interval. `alpha`: nominal.
    """

    aspect: str
    items: int
    answers: int
    rate: float
    lo: float
    hi: float
    method: str
    majority_rate: float
    majority_lo: float
    majority_hi: float
    alpha: Agreement
    failed_items: tuple[str, ...]
    """Ids that no majority of the reviewers passed."""
    published: float | None


def results(
    opinions: Sequence[Opinion], resamples: int = 10_000, seed: int = 0
) -> list[AspectResult]:
    """One result for each aspect that was asked, in the order of the paper's table."""
    published = published_rates()
    found = []
    for question in QUESTIONS:
        given = [
            opinion
            for opinion in opinions
            if opinion.aspect == question.aspect and opinion.yes is not None
        ]
        if given:
            found.append(
                _result(question.aspect, given, published.get(question.aspect), resamples, seed)
            )
    return found


def _result(
    aspect: str, given: Sequence[Opinion], published: float | None, resamples: int, seed: int
) -> AspectResult:
    items = list(dict.fromkeys(opinion.item_id for opinion in given))
    reviewers = sorted({opinion.reviewer for opinion in given})
    votes = ((opinion.reviewer, opinion.item_id, opinion.yes) for opinion in given)
    ratings = rating_matrix(votes, reviewers, items)
    yes, asked = np.nansum(ratings, 0), (~np.isnan(ratings)).sum(0)
    n = len(items)
    rate = float(yes.sum() / asked.sum())
    if 0 < rate < 1:
        drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), resamples)
        low, high = percentile_interval((drawn @ yes) / (drawn @ asked))
        method = f"percentile bootstrap over {n} items, {resamples} resamples, seed {seed}"
    else:
        low, high = clopper_pearson(round(rate * n), n)
        method = f"exact (Clopper-Pearson) at {n} items: all answers are equal"
    passed = 2 * yes > asked
    count = int(passed.sum())
    majority_low, majority_high = clopper_pearson(count, n)
    return AspectResult(
        aspect,
        n,
        int(asked.sum()),
        rate,
        low,
        high,
        method,
        count / n,
        majority_low,
        majority_high,
        krippendorff_alpha(ratings, values=(0, 1), level="nominal", resamples=resamples, seed=seed),
        tuple(item for item, ok in zip(items, passed, strict=True) if not ok),
        published,
    )


def published_rates() -> dict[str, float]:
    """The paper's Table 5: share of yes by aspect."""
    with data_path("published/table5_quality.csv").open(encoding="utf-8", newline="") as file:
        return {row["aspect"]: float(row["yes_percent"]) / 100 for row in csv.DictReader(file)}
