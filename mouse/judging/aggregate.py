"""From the scores of several judges or repeats to one: pure reduction, no transport."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mouse.errors import UserError

KNOWN = {"aggregate": ("median", "majority"), "tie": ("lower", "higher", "fail")}


def check_rules(rule: str, tie: str) -> None:
    """Raise `UserError` naming the accepted values."""
    for option, value in (("aggregate", rule), ("tie", tie)):
        if value not in KNOWN[option]:
            known = ", ".join(KNOWN[option])
            raise UserError(f"judge.{option}={value!r} is not one of {known}.")


def aggregate(scores: Sequence[int], rule: str, tie: str) -> int | None:
    """One score of 0, 1, 2 from one or more.

    `median`: the middle score; `tie` chooses where two middle ones differ. `majority`: the most
    frequent; `tie` takes the lowest or highest of equally frequent ones. `tie="fail"` gives None:
    not judged. Raises `ValueError` without scores.
    """
    if not scores:
        raise ValueError("no scores to aggregate")
    if rule == "median":
        ordered = sorted(scores)
        low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    else:
        counts = Counter(scores)
        most = max(counts.values())
        tied = sorted(score for score, count in counts.items() if count == most)
        low, high = tied[0], tied[-1]
    if low == high:
        return low
    if tie == "fail":
        return None
    return low if tie == "lower" else high
