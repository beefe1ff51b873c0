"""Many comparisons at once: Holm's correction over a named family, and rank groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TypeVar

Key = TypeVar("Key")


@dataclass(frozen=True)
class Family:
    """Adjusted p-values and what they were adjusted over (a family without a name is no claim)."""

    name: str
    size: int
    adjusted: Mapping[object, float]


def holm(p_values: Mapping[Key, float], family: str) -> Family:
    """Holm's (1979) step-down adjustment: holds the family-wise error rate under any dependence.

    NaN p-values (nothing was tested) stay NaN and do not enlarge the family.
    """
    tested = sorted((p, str(key), key) for key, p in p_values.items() if p == p)
    adjusted: dict[object, float] = dict.fromkeys(p_values, float("nan"))
    running = 0.0
    for rank, (p, _, key) in enumerate(tested):
        running = max(running, min(1.0, (len(tested) - rank) * p))
        adjusted[key] = running
    return Family(family, len(tested), adjusted)


def rank_groups(order: Sequence[str], apart: Mapping[tuple[str, str], bool]) -> dict[str, str]:
    """Letters for models: two models share a letter exactly if they cannot be told apart.

    `order`: models from best to worst. `apart`: for each pair, in either order, whether the
    difference is significant; a missing pair counts as not told apart. Each letter is a maximal
    set of models of which no two are told apart (compact letter display; Piepho 2004), `a` being
    the set that reaches highest. Not being told apart is not being equal, so groups overlap.
    """
    together = {
        model: {
            other
            for other in order
            if other != model
            and not (apart.get((model, other), False) or apart.get((other, model), False))
        }
        for model in order
    }
    cliques = sorted(
        _maximal_cliques(together, set(), set(order), set()),
        key=lambda clique: sorted(order.index(model) for model in clique),
    )
    letters = dict.fromkeys(order, "")
    for number, clique in enumerate(cliques):
        for model in clique:
            letters[model] += _letter(number)
    return letters


def _letter(number: int) -> str:
    """a … z, then a2 … z2: more than 26 groups are possible, if hardly readable."""
    round_, index = divmod(number, 26)
    return ascii_lowercase[index] + (str(round_ + 1) if round_ else "")


def _maximal_cliques(
    graph: Mapping[str, set[str]], clique: set[str], candidates: set[str], excluded: set[str]
) -> list[set[str]]:
    """Bron & Kerbosch (1973) with a pivot."""
    if not candidates and not excluded:
        return [clique] if clique else []
    pivot = max(sorted(candidates | excluded), key=lambda node: len(graph[node] & candidates))
    found = []
    for node in sorted(candidates - graph[pivot]):
        neighbours = graph[node]
        found += _maximal_cliques(
            graph, clique | {node}, candidates & neighbours, excluded & neighbours
        )
        candidates = candidates - {node}
        excluded = excluded | {node}
    return found
