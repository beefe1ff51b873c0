"""How small a difference between two models a test at this size can find."""

from __future__ import annotations

import numpy as np


def detectable_from_error(
    standard_error: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Least true difference found with probability `power` at two-sided level `alpha`.

    (z₁₋α/₂ + z_power) · `standard_error` of the difference: 2.80 standard errors by default.
    For any metric whose difference is about normal; the error comes from a paired bootstrap.
    """
    from scipy.special import ndtri

    return float((ndtri(1 - alpha / 2) + ndtri(power)) * standard_error)


def detectable_accuracy_difference(
    n: int, discordant: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Least accuracy difference that McNemar's test finds with `n` paired items.

    `discordant`: expected share of items that exactly one model gets right, in (0, 1]; twice as
    many of them need about 1.4 times the difference. Solves Connor's (1987) sample-size formula
    for the difference. NaN where even the greatest possible difference, all discordant items on
    one side, would not be found.
    """
    from scipy.special import ndtri

    if n < 1 or not 0 < discordant <= 1:
        raise ValueError(f"n = {n}, discordant = {discordant}: need n ≥ 1 and a share in (0, 1]")
    z_alpha, z_power = float(ndtri(1 - alpha / 2)), float(ndtri(power))

    def missing(difference: float) -> float:
        needed = z_alpha * discordant**0.5 + z_power * max(discordant - difference**2, 0.0) ** 0.5
        return needed - n**0.5 * difference

    low, high = 0.0, discordant
    if missing(high) > 0:
        return float("nan")
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if missing(middle) > 0 else (low, middle)
    return float(np.round(high, 9))
