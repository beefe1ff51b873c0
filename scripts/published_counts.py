"""The whole numbers behind published decimals: confusion matrices and score histograms.

A published 0.731 of n answers is a statement about integers. Here those integers are recovered:
every set of counts that rounds to the printed values, and no other. Where a single one is left,
the published model has an exact table, and with it an interval and tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mouse.metrics.tables import IntArray

# A last digit too much slack for numbers that lie on a rounding edge in binary.
_SLACK = 1e-9


@dataclass(frozen=True, order=True)
class BinaryCounts:
    """A two-class confusion matrix without invalid answers; class 1 is the positive one."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def counts(self) -> IntArray:
        """(2, 4) counts as `ClassTable.counts` has them: rows gold 0 and 1."""
        return np.array([[self.tn, self.fp, 0, 0], [self.fn, self.tp, 0, 0]], dtype=np.int64)


def rounds_to(value: np.ndarray | float, printed: float, decimals: int = 3) -> np.ndarray:
    """Whether `value` prints as `printed`; a value on the edge may print either way."""
    return np.abs(np.asarray(value) - printed) <= 0.5 * 10.0**-decimals + _SLACK


def integers_behind(printed: float, n: int, decimals: int = 3) -> IntArray:
    """Every count c in 0..n whose share c/n prints as `printed`."""
    counts = np.arange(n + 1)
    return counts[rounds_to(counts / n, printed, decimals)]


def binary_tables(
    acc: float, f1: float, mcc: float, *, n: int, positives: int | None = None, decimals: int = 3
) -> list[BinaryCounts]:
    """Every confusion matrix of n answers that prints as these three numbers.

    `positives`: the number of gold positives, where it is known; else every number from 1 to n-1
    is tried. No invalid answers are assumed. Accuracy fixes the hits, F1 then the true
    positives, and MCC says which class balances are possible.
    """
    balances = np.arange(1, n) if positives is None else np.array([positives])
    found = []
    for hits in integers_behind(acc, n, decimals):
        errors = n - hits
        tps = np.arange(hits + 1)
        denominator = 2 * tps + errors
        f1s = np.divide(2 * tps, denominator, out=np.zeros(len(tps)), where=denominator > 0)
        for tp in tps[rounds_to(f1s, f1, decimals)]:
            tn = hits - tp
            fn = balances - tp
            fp = errors - fn
            possible = (fn >= 0) & (fp >= 0)
            fn, fp = fn[possible], fp[possible]
            spread = np.sqrt((tp + fp).astype(float) * (tp + fn) * (tn + fp) * (tn + fn))
            value = np.divide(tp * tn - fp * fn, spread, out=np.zeros(len(fn)), where=spread > 0)
            fits = rounds_to(value, mcc, decimals)
            found += [
                BinaryCounts(int(tp), int(p), int(q), int(tn))
                for p, q in zip(fp[fits], fn[fits], strict=True)
            ]
    return sorted(found)


def class_balances(
    rows: Mapping[str, tuple[float, float, float]], *, n: int, decimals: int = 3
) -> list[int]:
    """Every number of gold positives under which all rows' (acc, F1, MCC) can be printed.

    All models answered the same items, so one balance must fit them all.
    """
    common: set[int] | None = None
    for acc, f1, mcc in rows.values():
        balances = {t.tp + t.fn for t in binary_tables(acc, f1, mcc, n=n, decimals=decimals)}
        common = balances if common is None else common & balances
    return sorted(common or ())


@dataclass(frozen=True, order=True)
class ScoreHistogram:
    """How many of n translations scored 0, 1 and 2."""

    zero: int
    one: int
    two: int

    @property
    def n(self) -> int:
        return self.zero + self.one + self.two

    @property
    def sem_acc(self) -> float:
        return (self.one + 2 * self.two) / (2 * self.n)


def score_histograms(
    sem_acc: float, perfect_rate: float, *, n: int, decimals: int = 3
) -> list[ScoreHistogram]:
    """Every histogram of n scores that prints as these Sem.Acc and Perfect Rate.

    With n = 1,099 and three decimals these are a handful: one or two counts of 2, and two or
    three of 1 for each.
    """
    found = []
    for two in integers_behind(perfect_rate, n, decimals):
        ones = np.arange(n - two + 1)
        fits = ones[rounds_to((ones + 2 * two) / (2 * n), sem_acc, decimals)]
        found += [ScoreHistogram(int(n - two - one), int(one), int(two)) for one in fits]
    return sorted(found)
