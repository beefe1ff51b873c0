"""McNemar's exact test: whether two models are right equally often on the same items."""

from __future__ import annotations


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Two-sided p-value from the discordant pairs (McNemar 1947, exact binomial form).

    `only_a` items are answered right by a alone, `only_b` by b alone. Items on which both agree
    say nothing about the difference; 1.0 where there is no discordant one. Raises `ValueError` on
    a negative count.
    """
    from scipy.special import bdtr

    if only_a < 0 or only_b < 0:
        raise ValueError(f"discordant counts must not be negative: {only_a}, {only_b}")
    if only_a == only_b:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(only_a, only_b), only_a + only_b, 0.5)))
