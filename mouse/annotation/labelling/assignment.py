"""Gives each item to some of the annotators: equal loads, and every pair of them meets alike."""

from __future__ import annotations

import random

from mouse.errors import UserError


def assign(items: int, annotators: int, per_item: int, seed: int) -> list[tuple[int, ...]]:
    """For each item, the `per_item` annotators (0-based, ascending) who label it.

    Loads differ by at most one. Among the annotators with the least to do, those are taken who
    have met the item's others least often, ties by chance: so all pairs meet about equally often,
    which agreement needs. Deterministic in `seed`. Raises `UserError` where it cannot be done.
    """
    if items < 1:
        raise UserError("there are no items to assign.")
    if per_item < 1 or annotators < per_item:
        raise UserError(
            f"{per_item} annotators an item cannot be had from {annotators}: give at least as many"
            " annotators as labels an item, and at least one label an item."
        )
    chance = random.Random(seed)
    load = [0] * annotators
    met = [[0] * annotators for _ in range(annotators)]
    assigned: list[tuple[int, ...]] = []
    for _ in range(items):
        team: list[int] = []
        for _ in range(per_item):
            free = [who for who in range(annotators) if who not in team]
            # The least loaded, always: then no load is ever two ahead of another.
            chosen = min(
                free,
                key=lambda who: (
                    load[who],
                    sum(met[who][other] for other in team),
                    chance.random(),
                ),
            )
            team.append(chosen)
        for who in team:
            load[who] += 1
            for other in team:
                if other != who:
                    met[who][other] += 1
        assigned.append(tuple(sorted(team)))
    chance.shuffle(assigned)
    return assigned
