"""Many comparisons at once: Holm's correction, and letters for models that are not told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import TypeVar

Key = TypeVar("Key")


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Holm's (1979) step-down adjustment: holds the family-wise error rate under any dependence.

    NaN p-values (nothing was tested) stay NaN and do not enlarge the family.
    """
    from statsmodels.stats.multitest import multipletests

    tested = {key: p for key, p in p_values.items() if p == p}
    adjusted = dict.fromkeys(p_values, float("nan"))
    if tested:
        values = multipletests(list(tested.values()), method="holm")[1]
        adjusted |= {key: float(p) for key, p in zip(tested, values, strict=True)}
    return adjusted


def rank_groups(order: Sequence[str], apart: Mapping[tuple[str, str], bool]) -> dict[str, str]:
    """Letters for models: two models share a letter exactly if they cannot be told apart.

    `order`: models from best to worst. `apart`: for each pair, in either order, whether the
    difference is significant; a missing pair counts as not told apart. Each letter is a maximal
    set of models of which no two are told apart (compact letter display by inserting and
    absorbing; Piepho 2004), `a` being the set that reaches highest. Not being told apart is not
    being equal, so groups overlap.
    """
    groups = {frozenset(order)} if order else set()
    for one, other in (pair for pair, different in apart.items() if different):
        for group in [group for group in groups if one in group and other in group]:
            groups.remove(group)
            groups |= {group - {one}, group - {other}}
        groups = {group for group in groups if not any(group < wider for wider in groups)}
    place = {model: index for index, model in enumerate(order)}
    ranked = sorted(groups, key=lambda group: sorted(place[model] for model in group))
    letters = dict.fromkeys(order, "")
    for number, group in enumerate(ranked):
        for model in group:
            letters[model] += _letter(number)
    return letters


def _letter(number: int) -> str:
    """a … z, then a2 … z2: more than 26 groups are possible, if hardly readable."""
    round_, index = divmod(number, 26)
    return ascii_lowercase[index] + (str(round_ + 1) if round_ else "")
