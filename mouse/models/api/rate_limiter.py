"""Where requests wait for their turn: fixed limits, and the rate a server turns out to bear.

| object          | role                                                          | lifetime         |
|-----------------|---------------------------------------------------------------|------------------|
| `TokenBucket`   | spaces out requests or tokens at a given rate a second        | one backend      |
| `AdaptiveRate`  | finds window and rate from what is answered and what is 429   | one backend      |
| `RateLimiter`   | where requests wait for both; the only part that touches time | one backend      |

The limits are shared among the actors of a run: each takes its equal part of the fixed ones, and
each finds its own part of the rest, as connections on one line do.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

from mouse.models.api.rate_control import AdaptiveRate, TokenBucket

_LONGEST_NAP_S = 0.25
"""The first in the queue looks up this often, so that a rate that grew is used at once."""


class RateLimiter:
    """Where requests wait for a place in the window and for their turn.

    `clock` gives monotonic seconds and `sleep` waits; both can be replaced in tests. For use
    within one event loop.
    """

    def __init__(
        self,
        adaptive: AdaptiveRate,
        *,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.adaptive = adaptive
        self.in_flight = 0
        self._clock = clock
        self._sleep = sleep
        self.requests = _per_minute(requests_per_minute)
        self.tokens = _per_minute(tokens_per_minute)
        self._found = TokenBucket(1.0)
        self._closed_until = float("-inf")
        self._stopped = False
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._queue = asyncio.Lock()

    async def acquire(self, tokens: float) -> float:
        """Wait until a request of about `tokens` tokens may be sent; returns the time of that."""
        await self._wait_for_place()
        try:
            if self._delay(self._clock()) > 0 or self._queue.locked():
                # In a queue of one line: the first waits for the rates, the others for the first,
                # so nobody holds a reservation made at a rate that has changed since.
                async with self._queue:
                    while (delay := self._delay(self._clock())) > 0:
                        await self._sleep(min(delay, _LONGEST_NAP_S))
                    return self._sent(tokens)
            return self._sent(tokens)
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """The request has ended, in whatever way; called once for each `acquire`."""
        self.in_flight -= 1
        self._wake()

    def answered(self, sent_at: float) -> None:
        """The server took the request; call before `release`."""
        self.adaptive.answered(sent_at, self._clock(), self.in_flight)

    def throttled(self, sent_at: float, retry_after: float | None) -> None:
        """The server answered 429; nobody goes before the time it names."""
        now = self._clock()
        if self.adaptive.throttled(sent_at, now):
            # The next waits its turn at the new rate, counted from the cut.
            rate = self.adaptive.rate(now)
            if rate is not None:
                self._found.restart(rate, now)
        if retry_after:
            self._closed_until = max(self._closed_until, now + retry_after)

    def stop(self) -> None:
        """Let everyone through at once: nothing will be sent any more."""
        self._stopped = True
        self._wake()

    def _delay(self, now: float) -> float:
        if self._stopped:
            return 0.0
        rate = self.adaptive.rate(now)
        if rate is not None:
            self._found.set_rate(rate)
        buckets = (self._found if rate is not None else None, self.requests, self.tokens)
        return max([self._closed_until - now, *(one.delay(now) for one in buckets if one)])

    def _sent(self, tokens: float) -> float:
        now = self._clock()
        if self.adaptive.rate(now) is not None:
            self._found.take(1, now)
        if self.requests:
            self.requests.take(1, now)
        if self.tokens:
            self.tokens.take(tokens, now)
        return now

    async def _wait_for_place(self) -> None:
        while self.in_flight >= int(self.adaptive.window) and not self._stopped:
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._wake()
                raise
        self.in_flight += 1

    def _wake(self) -> None:
        free = int(self.adaptive.window) - self.in_flight
        while self._waiting and (free > 0 or self._stopped):
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1


def _per_minute(limit: float | None) -> TokenBucket | None:
    """A bucket for that many a minute, with bursts of two seconds' worth, not of a whole minute's."""
    if not limit:
        return None
    rate = limit / 60
    return TokenBucket(rate, burst=max(1.0, 2 * rate))
