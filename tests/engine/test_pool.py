"""How a pool treats chunks whose actor died: again, then one by one, then fail the one to blame."""

from __future__ import annotations

from collections.abc import Callable

from mouse.contracts import Completion, CompletionError, Request
from mouse.engine.pool import ISOLATED_ATTEMPTS, Pool, cancelled
from mouse.models.base import BackendSpec

Ask = Callable[..., Request]


def pool_of(ask: Ask, count: int, **changes: int) -> Pool:
    pool = Pool("m", BackendSpec("m:B", {}, {}, chunk_size=4, **changes), None, None)  # type: ignore[arg-type]
    pool.submit(ask(i) for i in range(count))
    pool.pull(count + 1)  # and learn that there are no more
    return pool


def items(chunk_or_none: object) -> list[str]:
    return [request.item_id for request in chunk_or_none.requests]  # type: ignore[attr-defined]


def test_a_share_divides_what_is_left_among_the_workers(ask: Ask) -> None:
    pool = pool_of(ask, 6)
    assert items(pool.next_chunk(100)) == ["i0", "i1", "i2", "i3"]
    assert items(pool.next_chunk(1)) == ["i4"]
    assert items(pool.next_chunk(1)) == ["i5"]
    assert pool.next_chunk(1) is None
    assert pool.stats.in_flight == pool.stats.asked == 6


def test_a_lost_chunk_goes_first_and_as_a_whole_until_it_is_suspect(ask: Ask) -> None:
    pool = pool_of(ask, 8, max_chunk_attempts=2)
    first = pool.next_chunk(4)
    assert first is not None
    pool.lose(first, "died.")
    again = pool.next_chunk(4)
    assert again is first
    pool.lose(first, "died.")
    fresh = pool.next_chunk(4)
    assert items(fresh) == ["i4", "i5", "i6", "i7"], "poison candidates let the others pass"
    assert pool.next_is_isolated
    candidates = [pool.next_chunk(4) for _ in range(4)]
    assert [items(chunk) for chunk in candidates] == [["i0"], ["i1"], ["i2"], ["i3"]]
    assert all(chunk is not None and chunk.isolated for chunk in candidates)


def test_a_suspect_fails_after_it_lost_its_actor_alone(ask: Ask) -> None:
    pool = pool_of(ask, 1, max_chunk_attempts=1)
    chunk = pool.next_chunk(4)
    assert chunk is not None
    pool.lose(chunk, "died.")
    for _ in range(ISOLATED_ATTEMPTS):
        assert not pool.ready
        chunk = pool.next_chunk(4)
        assert chunk is not None and chunk.isolated
        pool.lose(chunk, "died.")
    [(_, _, completion)] = pool.ready
    assert completion.error is not None and completion.error.kind == "actor_died"
    assert pool.stats.in_flight == 0
    pool.ready.clear()
    assert not pool.busy


def test_settling_twice_or_late_changes_nothing(ask: Ask) -> None:
    pool = pool_of(ask, 4)
    chunk = pool.next_chunk(4)
    assert chunk is not None
    answers = [Completion(r.key, text="了", finish_reason="stop") for r in chunk.requests]
    pool.settle(chunk, answers)
    pool.settle(chunk, answers)
    pool.settle(chunk, [Completion("never asked", finish_reason="stop")])
    assert len(pool.ready) == 4
    assert pool.stats.in_flight == 0


def test_the_first_reason_of_a_stop_is_the_one_that_is_told(ask: Ask) -> None:
    pool = pool_of(ask, 8)
    out = pool.next_chunk(4)
    assert out is not None
    pool.stop(cancelled("the first."))
    pool.stop(cancelled("the second."))
    pool.lose(out, "died.")
    pool.submit([ask(99)])
    pool.pull(10)
    errors = {request.item_id: completion.error for _, request, completion in pool.ready}
    assert len(errors) == 9
    told = CompletionError("cancelled", "Not asked, because the run was stopped: the first.")
    assert errors["i5"] == errors["i99"] == told
    assert errors["i0"] == CompletionError("actor_died", "died.")
