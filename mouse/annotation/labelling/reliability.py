"""How far the labels can be trusted: α of each label, and each annotator against the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mouse.annotation.labelling.sheet import LABELS, Annotation
from mouse.corpus.items import INTENTS
from mouse.metrics.agreement import Agreement
from mouse.metrics.alpha import krippendorff_alpha, rater_alpha, rating_matrix
from mouse.text.json_text import finite

SPAM_SHARE = 0.5
"""Flagged: the whole interval of an annotator's mean α lies under this share of the median's."""

_CODES: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(LABELS, (False, True)),
    "intent": INTENTS,
    "toxicity": (0, 1),
}


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """One annotator against the co-raters: α an aspect, and their mean with its 95% interval.

    An aspect is NaN where the ratings do not vary; the mean is over the others.
    """

    annotator: str
    items: int
    alphas: Mapping[str, float]
    mean: float
    lo: float
    hi: float
    flagged: bool


@dataclass(frozen=True)
class Reliability:
    """Agreement of all annotators by aspect, and of each against the rest."""

    aspects: Mapping[str, Agreement]
    annotators: tuple[AnnotatorAgreement, ...]
    rule: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data; NaN as None."""
        plain: dict[str, Any] = finite(asdict(self))
        plain["spammer_rule"] = plain.pop("rule")
        return plain


def reliability(
    annotations: Sequence[Annotation], resamples: int = 2_000, seed: int = 0
) -> Reliability:
    """α of each label and of every annotator against the rest; percentile bootstrap over items."""
    names = sorted({annotation.annotator for annotation in annotations})
    items = list(dict.fromkeys(annotation.item_id for annotation in annotations))
    matrices = {
        label: rating_matrix(
            (
                (a.annotator, a.item_id, codes.index(value))
                for a in annotations
                if (value := a.labels.get(label)) is not None
            ),
            names,
            items,
        )
        for label, codes in _CODES.items()
    }
    sizes = {label: len(codes) for label, codes in _CODES.items()}
    options: Any = {"level": "nominal", "resamples": resamples, "seed": seed}
    aspects = {
        label: krippendorff_alpha(matrices[label], values=range(sizes[label]), **options)
        for label in LABELS
    }
    raw = [rater_alpha(matrices, sizes, who, resamples, seed) for who in range(len(names))]
    defined = [one.mean for one in raw if not np.isnan(one.mean)]
    bound = SPAM_SHARE * float(np.median(defined)) if defined else float("nan")
    found = tuple(
        AnnotatorAgreement(name, r.units, r.alphas, r.mean, r.lo, r.hi, flagged=r.hi < bound)
        for name, r in zip(names, raw, strict=True)
    )
    rule = (
        "flagged where the 95% interval of the mean α over the labels lies wholly under"
        f" {SPAM_SHARE:g} × the median annotator's mean α ({bound:.3f})"
    )
    return Reliability(aspects, found, rule)


def votes_by_item(annotations: Sequence[Annotation]) -> dict[str, list[Annotation]]:
    """The annotations of each item, in the order they came."""
    grouped: dict[str, list[Annotation]] = defaultdict(list)
    for annotation in annotations:
        grouped[annotation.item_id].append(annotation)
    return grouped
