"""One model's score on two groups of items: the difference, its interval and a test.

For figures 4 and 5 of the paper: translations of toxic against safe items, of items whose
component the model recognised against the others. The groups hold different items, so nothing is
paired; rows of one cluster still count as one observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mouse.metrics.resampling import percentile_interval
from mouse.metrics.tables import FloatArray

_BLOCK_ELEMENTS = 4_000_000
_TIE = 1e-12


@dataclass(frozen=True)
class GroupDifference:
    """Mean score of the items in the group minus that of the others.

    `lo`, `hi`: percentile bootstrap, each group's clusters drawn anew; `p_value`: two-sided
    permutation of the group labels over clusters. `n_in`, `n_out`: rows of each group.
    """

    mean_in: float
    mean_out: float
    difference: float
    lo: float
    hi: float
    p_value: float
    n_in: int
    n_out: int
    status: Literal["tested", "undefined"]
    method: str
    note: str = ""


def group_difference(
    scores: Sequence[float],
    in_group: Sequence[bool],
    *,
    clusters: Sequence[str] | None = None,
    resamples: int = 10_000,
    permutations: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> GroupDifference:
    """Compare mean scores of two groups of rows (failed rows left out by the caller).

    `clusters`: the rows' expressions; a cluster's rows are averaged, weighted by their number. A
    cluster with rows in both groups takes part in each with those rows. Undefined where a group
    has fewer than two clusters. Raises `ValueError` on unequal lengths.
    """
    value = np.asarray(scores, dtype=float)
    member = np.asarray(in_group, dtype=bool)
    names = np.arange(len(value)) if clusters is None else np.asarray(clusters)
    if not len(value) == len(member) == len(names):
        raise ValueError("scores, groups and clusters must have one length")
    # A row of `units`: one cluster within one group, as (sum of scores, number of rows).
    _, code = np.unique(names, return_inverse=True)
    _, unit = np.unique(code * 2 + member, return_inverse=True)
    units = np.stack([np.bincount(unit, value), np.bincount(unit)], axis=1).astype(float)
    group = np.zeros(len(units), dtype=bool)
    group[unit] = member
    n_in, n_out = int(member.sum()), int((~member).sum())
    nan = float("nan")
    mean_in, mean_out = (float(value[m].mean()) if m.any() else nan for m in (member, ~member))
    difference = mean_in - mean_out
    method = (
        f"percentile bootstrap within groups, {resamples} resamples; permutation of groups over "
        f"clusters, {permutations}; seed {seed}, {confidence:.0%}"
    )
    if min(group.sum(), (~group).sum()) < 2:
        note = "a group with fewer than two clusters has no spread"
        return GroupDifference(
            mean_in, mean_out, difference, nan, nan, nan, n_in, n_out, "undefined", method, note
        )
    rng = np.random.default_rng(seed)
    low, high = percentile_interval(
        _resampled_mean(units[group], resamples, rng)
        - _resampled_mean(units[~group], resamples, rng),
        confidence,
    )
    permuted = _permuted_differences(units, int(group.sum()), permutations, rng)
    p = (1 + int((np.abs(permuted) >= abs(difference) - _TIE).sum())) / (1 + permutations)
    return GroupDifference(
        mean_in, mean_out, difference, low, high, p, n_in, n_out, "tested", method
    )


def _resampled_mean(units: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    """(resamples,) mean score over rows of clusters drawn with replacement."""
    n = len(units)
    means = []
    block = max(1, _BLOCK_ELEMENTS // n)
    for start in range(0, resamples, block):
        drawn = units[rng.integers(0, n, size=(min(block, resamples - start), n))].sum(1)
        means.append(drawn[:, 0] / drawn[:, 1])
    return np.concatenate(means)


def _permuted_differences(
    units: FloatArray, size: int, permutations: int, rng: np.random.Generator
) -> FloatArray:
    """(permutations,) difference of means if `size` clusters were the group by chance."""
    total = units.sum(0)
    differences = []
    block = max(1, _BLOCK_ELEMENTS // len(units))
    for start in range(0, permutations, block):
        rows = min(block, permutations - start)
        order = np.argpartition(rng.random((rows, len(units))), size - 1, axis=1)[:, :size]
        chosen = units[order].sum(1)
        rest = total - chosen
        differences.append(chosen[:, 0] / chosen[:, 1] - rest[:, 0] / rest[:, 1])
    return np.concatenate(differences)
