"""Which items a limited run takes, and which examples a k-shot prompt shows: decided by seed alone.

Ranks come from a hash of seed and id, so neither the order of a file nor Python's random state
has a say, and a different machine takes the same items.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol, TypeVar

from mouse.errors import UserError


class HasId(Protocol):
    @property
    def id(self) -> str: ...


ItemT = TypeVar("ItemT", bound=HasId)


def rank(seed: int, *names: str) -> bytes:
    """A uniformly distributed 16-byte sort key of the names under this seed."""
    text = "\0".join((str(seed), *names))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def select(
    items: Sequence[ItemT],
    limit: int | None,
    seed: int,
    stratum: Callable[[ItemT], Hashable] = lambda item: "",
) -> list[ItemT]:
    """At most `limit` items, stratified and nested; returned in the order they were given.

    Stratified: `limit` is apportioned to the strata in proportion to their size. Nested:
    the items of a smaller limit are among those of a larger one under the same seed, so a run can
    be grown without asking again. `limit=None` takes all. Raises `UserError` for `limit < 1`.
    """
    if limit is None:
        return list(items)
    if limit < 1:
        raise UserError(f"limit={limit} takes no item: give a number from 1, or null for all.")
    if limit >= len(items):
        return list(items)
    chosen = {id(item) for item in interleaved(items, seed, stratum)[:limit]}
    return [item for item in items if id(item) in chosen]


def interleaved(
    items: Sequence[ItemT],
    seed: int,
    stratum: Callable[[ItemT], Hashable],
    *,
    balanced: bool = False,
) -> list[ItemT]:
    """All items in the order in which `select` takes them.

    `balanced` gives every stratum the same share of the beginning whatever its size.
    """
    # The r-th of n items of a stratum stands at (r + 1/2)/n, which is the Sainte-Lague method of
    # apportionment: every beginning of the merged order is stratified, and beginnings are nested.
    members: dict[Hashable, list[tuple[bytes, int]]] = defaultdict(list)
    for index, item in enumerate(items):
        members[stratum(item)].append((rank(seed, item.id), index))
    placed: list[tuple[float, bytes, int]] = []
    for group in members.values():
        size = 1 if balanced else len(group)
        placed.extend(
            ((place + 0.5) / size, hashed, index)
            for place, (hashed, index) in enumerate(sorted(group))
        )
    return [items[index] for _, _, index in sorted(placed)]


def first_distinct(
    candidates: Iterable[ItemT],
    count: int,
    key: Callable[[ItemT], Sequence[Hashable]],
    avoid: Sequence[Hashable],
) -> list[ItemT]:
    """The first `count` candidates that share no key with `avoid` or with one another."""
    used = set(avoid)
    taken: list[ItemT] = []
    for candidate in candidates:
        if len(taken) == count:
            break
        keys = key(candidate)
        if used.isdisjoint(keys):
            used.update(keys)
            taken.append(candidate)
    return taken
