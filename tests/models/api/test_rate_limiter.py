"""Fixed limits are kept, and the rate a server bears is found: in simulated and in real time."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.models.api.rate_control import START_WINDOW, AdaptiveRate, TokenBucket
from mouse.models.api.rate_limiter import RateLimiter


class Time:
    """A clock that jumps to the next thing that happens, so that minutes take no time."""

    def __init__(self) -> None:
        self.now = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = itertools.count()

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._count), future))
        await future

    async def until(self, done: Callable[[], bool]) -> None:
        while not done():
            for _ in range(20):
                await asyncio.sleep(0)
            if done():
                return
            while self._sleepers and self._sleepers[0][2].done():
                heapq.heappop(self._sleepers)
            assert self._sleepers, "everybody waits for nothing"
            at, _, future = heapq.heappop(self._sleepers)
            self.now = max(self.now, at)
            future.set_result(None)


class Server:
    """Allows `rate(now)` requests a second (bucket of `burst`), or `at_once` of them."""

    def __init__(
        self,
        time: Time,
        rate: Callable[[float], float] | None,
        latency: float,
        burst: float = 5,
        at_once: int | None = None,
        a_minute: int | None = None,
    ) -> None:
        self.time, self.rate, self.latency = time, rate, latency
        self.burst, self.at_once, self.a_minute = burst, at_once, a_minute
        self.this_minute = (0, 0)
        self.level, self.last, self.busy = 0.0, 0.0, 0
        self.accepted: list[float] = []
        self.refused: list[float] = []

    async def call(self) -> bool:
        now = self.time.now
        if self.rate is not None:
            self.level = max(0.0, self.level - (now - self.last) * self.rate(now))
        self.last = now
        minute, used = int(now // 60), self.this_minute[1]
        used = used if minute == self.this_minute[0] else 0
        self.this_minute = (minute, used)
        full = self.rate is not None and self.level + 1 > self.burst
        full = full or (self.a_minute is not None and used >= self.a_minute)
        if full or (self.at_once is not None and self.busy >= self.at_once):
            self.refused.append(now)
            return False
        self.level += 1
        self.this_minute = (minute, used + 1)
        self.busy += 1
        await self.time.sleep(self.latency)
        self.busy -= 1
        self.accepted.append(self.time.now)
        return True

    def per_second(self, start: float, end: float) -> float:
        return sum(start <= at < end for at in self.accepted) / (end - start)

    def refused_share(self, start: float, end: float) -> float:
        refused = sum(start <= at < end for at in self.refused)
        return refused / max(1, refused + sum(start <= at < end for at in self.accepted))


def drive(server: Server, limiters: list[RateLimiter], seconds: float) -> None:
    """Keep every limiter's window full for that long; a refused request comes again."""
    time = server.time

    async def worker(limiter: RateLimiter) -> None:
        tries = 0
        while time.now < seconds:
            permit = await limiter.acquire(1)
            if await server.call():
                limiter.answered(permit)
                tries = 0
            else:
                limiter.throttled(permit, None)
                tries += 1
            limiter.release()
            if tries:
                # As `RetryPolicy` has it: short where the limiter keeps the bucket.
                paced = limiter.adaptive.rate(time.now) is not None
                await time.sleep(0.5 * 2 ** min(tries - 1, 2 if paced else 6))

    async def main() -> None:
        tasks = [
            asyncio.create_task(worker(limiter))
            for limiter in limiters
            for _ in range(limiter.adaptive.max_in_flight)
        ]
        await time.until(lambda: time.now >= seconds)
        for task in tasks:
            task.cancel()

    asyncio.run(main())


def limiter_for(time: Time, max_in_flight: int = 64, **options: Any) -> RateLimiter:
    adaptive = AdaptiveRate(max_in_flight, adaptive=options.pop("adaptive", True))
    return RateLimiter(adaptive, clock=time.clock, sleep=time.sleep, **options)


@pytest.mark.parametrize(("rate", "latency"), [(50, 0.05), (50, 0.5), (5, 1.0)])
def test_the_rate_a_server_allows_is_found_and_used(rate: float, latency: float) -> None:
    time = Time()
    server = Server(time, lambda now: rate, latency)
    drive(server, [limiter_for(time)], 60)
    assert server.per_second(20, 60) >= 0.9 * rate
    assert server.refused_share(20, 60) <= 0.08


@pytest.mark.parametrize("late", [0.0, 0.05])
def test_timers_that_are_late_do_not_cost_the_rate(late: float) -> None:
    """As on a busy machine: every sleep lasts up to 50 ms longer than asked."""
    time, rng = Time(), random.Random(0)
    on_time = time.sleep

    async def sleep(seconds: float) -> None:
        await on_time(seconds + rng.random() * late)

    time.sleep = sleep  # type: ignore[method-assign]
    server = Server(time, lambda now: 100, 0.02)
    drive(server, [limiter_for(time, 32), limiter_for(time, 32)], 30)
    assert server.per_second(5, 30) >= 0.85 * 100
    assert server.refused_share(5, 30) <= 0.05


def test_a_server_whose_answers_take_long_is_used_all_the_same() -> None:
    """After a cut the window comes back fast to what it was, then searches."""
    time = Time()
    server = Server(time, lambda now: 50, 0.8)
    drive(server, [limiter_for(time)], 60)
    assert server.per_second(20, 60) >= 0.85 * 50


def test_two_actors_share_a_rate_that_neither_knows() -> None:
    time = Time()
    server = Server(time, lambda now: 50, 0.05)
    drive(server, [limiter_for(time, 32), limiter_for(time, 32)], 60)
    assert server.per_second(0, 8) >= 0.85 * 50
    assert server.per_second(20, 60) >= 0.95 * 50
    assert server.refused_share(20, 60) <= 0.06


@pytest.mark.parametrize("rate", [2, 50, 500])
def test_a_refusal_before_the_first_answer_does_not_make_room_for_the_next(rate: float) -> None:
    time = Time()
    server = Server(time, lambda now: rate, 0.05)
    drive(server, [limiter_for(time, 500), limiter_for(time, 500)], 1.0)
    assert len(server.refused) <= 20


@pytest.mark.parametrize(("before", "after"), [(50, 15), (15, 50)])
def test_a_limit_that_changes_in_the_middle_is_found_again(before: float, after: float) -> None:
    time = Time()
    server = Server(time, lambda now: before if now < 40 else after, 0.05)
    drive(server, [limiter_for(time)], 60)
    assert server.per_second(20, 40) >= 0.95 * before
    assert server.per_second(46, 60) >= 0.9 * after
    assert server.refused_share(40, 60) <= 0.12


def test_a_limit_on_requests_at_once_is_found() -> None:
    time = Time()
    server = Server(time, None, 0.5, at_once=10)
    drive(server, [limiter_for(time)], 60)
    assert server.per_second(20, 60) >= 0.9 * 20
    assert server.refused_share(20, 60) <= 0.08


@pytest.mark.parametrize(("a_minute", "latency"), [(60, 1.0), (300, 0.5), (1000, 0.2)])
def test_a_quota_of_a_minute_is_used_up_in_every_minute(a_minute: int, latency: float) -> None:
    """And without a Retry-After: nothing but 429 for the rest of the minute teaches no rate."""
    time = Time()
    server = Server(time, None, latency, a_minute=a_minute)
    drive(server, [limiter_for(time)], 180)
    for start in (0, 60, 120):
        assert server.per_second(start, start + 60) * 60 >= 0.95 * a_minute
        assert sum(start <= at < start + 60 for at in server.refused) <= 60


def test_a_server_without_limits_is_used_to_the_full() -> None:
    time = Time()
    server = Server(time, None, 0.2)
    drive(server, [limiter_for(time, 64)], 10)
    assert server.per_second(1, 10) >= 0.95 * 64 / 0.2
    assert server.refused == []


def test_the_window_doubles_each_round_until_the_first_429() -> None:
    adaptive = AdaptiveRate(1000)
    for _ in range(START_WINDOW):
        adaptive.answered(0.0, 0.1, START_WINDOW)
    assert adaptive.window == 2 * START_WINDOW


def test_an_episode_is_cut_once() -> None:
    adaptive = AdaptiveRate(64)
    for _ in range(32):
        adaptive.answered(0.0, 1.0, 32)
    before = adaptive.window
    assert adaptive.throttled(sent_at=0.5, now=1.0)
    after = adaptive.window
    assert after < before
    for sent_at in (0.5, 0.9, 1.0):
        assert not adaptive.throttled(sent_at, now=1.2)
    assert adaptive.window == after
    assert adaptive.throttled(sent_at=1.1, now=1.3)


def test_without_adaptation_nothing_moves() -> None:
    adaptive = AdaptiveRate(64, adaptive=False)
    assert not adaptive.throttled(0.0, 1.0)
    adaptive.answered(0.0, 1.0, 64)
    assert (adaptive.window, adaptive.rate(2.0)) == (64, None)


@given(
    events=st.lists(
        st.tuples(st.booleans(), st.floats(0, 20), st.floats(0, 5)), min_size=1, max_size=80
    ),
    cap=st.integers(1, 300),
)
def test_whatever_happens_somebody_may_go_and_not_too_many(
    events: list[tuple[bool, float, float]], cap: int
) -> None:
    adaptive = AdaptiveRate(cap)
    now = 0.0
    for answered, step, age in events:
        now += step
        if answered:
            adaptive.answered(now - age, now, int(adaptive.window))
        else:
            adaptive.throttled(now - age, now)
        rate = adaptive.rate(now)
        assert 1 <= adaptive.window <= cap
        assert rate is None or rate > 0


@pytest.mark.parametrize(
    ("options", "per_minute"),
    [({"requests_per_minute": 600}, 600), ({"tokens_per_minute": 60_000}, 600)],
)
def test_fixed_limits_hold_over_any_minute(options: dict[str, float], per_minute: float) -> None:
    time = Time()
    limiter = limiter_for(time, 64, adaptive=False, **options)
    sent: list[float] = []

    async def worker() -> None:
        while True:
            sent.append(await limiter.acquire(100))
            limiter.release()
            await time.sleep(0.01)

    async def main() -> None:
        tasks = [asyncio.create_task(worker()) for _ in range(64)]
        await time.until(lambda: time.now > 180)
        for task in tasks:
            task.cancel()

    asyncio.run(main())
    for start in range(0, 120, 10):
        taken = sum(start <= at < start + 60 for at in sent)
        # Two seconds' worth may come as a burst at the start.
        assert per_minute * 0.97 <= taken <= per_minute * (1 + 2 / 60) + 1


def test_a_request_larger_than_a_burst_still_goes() -> None:
    bucket = TokenBucket(rate=10, burst=20)
    bucket.take(500, now=0.0)
    assert bucket.delay(0.0) == pytest.approx(48.1)
    assert bucket.delay(48.2) == 0.0


def test_one_who_is_cancelled_gives_back_the_place() -> None:
    time = Time()
    limiter = limiter_for(time, 1, requests_per_minute=1)

    async def main() -> None:
        await limiter.acquire(1)
        limiter.release()
        waiting = asyncio.create_task(limiter.acquire(1))
        for _ in range(5):
            await asyncio.sleep(0)
        assert limiter.in_flight == 1
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert limiter.in_flight == 0

    asyncio.run(main())


def test_release_lets_everybody_through() -> None:
    time = Time()
    limiter = limiter_for(time, 1, requests_per_minute=1)

    async def main() -> None:
        await limiter.acquire(1)
        waiting: list[Awaitable[Any]] = [asyncio.create_task(limiter.acquire(1)) for _ in range(5)]
        await asyncio.sleep(0)
        limiter.stop()
        await asyncio.wait_for(asyncio.gather(*waiting), 1)

    asyncio.run(main())
