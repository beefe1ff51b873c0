"""How far the labels can be trusted: α an aspect, and each annotator against the rest.

The α of all raters is `mouse.metrics.alpha`'s. An annotator's is the two-rater α between the
annotator and each co-rater of an item, an item weighing the same however many co-raters it has;
so an annotator who answers at random stands near 0, and one who always answers the same under 0,
whoever the others are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mouse.annotation.labelling.annotation_sheets import LABELS, Annotation
from mouse.corpus.items import INTENTS
from mouse.metrics.agreement import Agreement
from mouse.metrics.alpha import alpha_from_coincidences, krippendorff_alpha
from mouse.metrics.resampling import percentile_interval
from mouse.metrics.tables import FloatArray
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
        return {
            "aspects": {name: finite(asdict(found)) for name, found in self.aspects.items()},
            "annotators": [finite(asdict(found)) for found in self.annotators],
            "spammer_rule": self.rule,
        }


def reliability(
    annotations: Sequence[Annotation], resamples: int = 2_000, seed: int = 0
) -> Reliability:
    """Krippendorff's α (nominal) of each label, and every annotator against the rest.

    Intervals: percentile bootstrap over items. An annotator is flagged where the upper end of the
    interval of the mean α lies under half the median annotator's mean.
    """
    names = sorted({annotation.annotator for annotation in annotations})
    items = list(dict.fromkeys(annotation.item_id for annotation in annotations))
    matrices = {label: _matrix(annotations, names, items, label) for label in LABELS}
    aspects = {
        label: krippendorff_alpha(
            matrices[label],
            values=range(len(_CODES[label])),
            level="nominal",
            resamples=resamples,
            seed=seed,
        )
        for label in LABELS
    }
    raw = [_against_rest(matrices, who, resamples, seed) for who in range(len(names))]
    means = [mean for _, _, mean, _ in raw]
    defined = [mean for mean in means if not np.isnan(mean)]
    bound = SPAM_SHARE * float(np.median(defined)) if defined else float("nan")
    found = tuple(
        AnnotatorAgreement(name, count, alphas, mean, low, high, bool(high < bound))
        for name, (count, alphas, mean, (low, high)) in zip(names, raw, strict=True)
    )
    rule = (
        "flagged where the 95% interval of the mean α over the labels lies wholly under"
        f" {SPAM_SHARE:g} × the median annotator's mean α ({bound:.3f})"
    )
    return Reliability(aspects, found, rule)


def _matrix(
    annotations: Sequence[Annotation], names: Sequence[str], items: Sequence[str], label: str
) -> FloatArray:
    """(annotators, items) codes of a label's values, NaN where there is none."""
    row = {name: at for at, name in enumerate(names)}
    column = {item: at for at, item in enumerate(items)}
    code = {value: at for at, value in enumerate(_CODES[label])}
    matrix = np.full((len(names), len(items)), np.nan)
    for annotation in annotations:
        value = annotation.labels.get(label)
        if value is not None:
            matrix[row[annotation.annotator], column[annotation.item_id]] = code[value]
    return matrix


def _against_rest(
    matrices: Mapping[str, FloatArray], who: int, resamples: int, seed: int
) -> tuple[int, dict[str, float], float, tuple[float, float]]:
    """(items rated, α an aspect, their mean, the mean's interval) of one annotator."""
    rated = np.zeros(next(iter(matrices.values())).shape[1], bool)
    for matrix in matrices.values():
        rated |= ~np.isnan(matrix[who])
    n = int(rated.sum())
    nan = float("nan")
    if not n:
        return 0, dict.fromkeys(matrices, nan), nan, (nan, nan)
    # One draw of items for all aspects, so that the mean's interval knows their dependence.
    drawn = np.random.default_rng([seed, who]).multinomial(n, np.full(n, 1 / n), resamples)
    alphas: dict[str, float] = {}
    replicates = []
    for label, matrix in matrices.items():
        v = len(_CODES[label])
        pairs = _pairs_with_rest(matrix[:, rated], who, v)
        alphas[label] = float(alpha_from_coincidences(pairs.sum(0), range(v), "nominal"))
        sums = (drawn.astype(float) @ pairs.reshape(n, v * v)).reshape(resamples, v, v)
        replicates.append(alpha_from_coincidences(sums, range(v), "nominal"))
    mean = _mean(np.array(list(alphas.values())))
    return n, alphas, float(mean), percentile_interval(_mean(np.array(replicates)))


def _pairs_with_rest(matrix: FloatArray, who: int, v: int) -> FloatArray:
    """(items, V, V) symmetric coincidences of the annotator with each item's mean co-rater."""
    own = _one_hot(matrix[who], v)
    rest = sum(_one_hot(matrix[other], v) for other in range(len(matrix)) if other != who)
    total = np.asarray(rest).sum(1, keepdims=True)
    share = np.divide(rest, total, out=np.zeros_like(own), where=total > 0)
    pairs = own[:, :, None] * share[:, None, :]
    return pairs + pairs.swapaxes(1, 2)


def _one_hot(codes: FloatArray, v: int) -> FloatArray:
    return (codes[:, None] == np.arange(v)).astype(float)


def _mean(alphas: FloatArray) -> FloatArray:
    """Mean over the first axis of what is defined; NaN where nothing is."""
    defined = ~np.isnan(alphas)
    count = defined.sum(0)
    total = np.where(defined, alphas, 0.0).sum(0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def votes_by_item(annotations: Sequence[Annotation]) -> dict[str, list[Annotation]]:
    """The annotations of each item, in the order they came."""
    grouped: dict[str, list[Annotation]] = defaultdict(list)
    for annotation in annotations:
        grouped[annotation.item_id].append(annotation)
    return grouped
