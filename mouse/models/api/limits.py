"""How fast requests may go out: fixed limits, and the rate a server turns out to bear.

| object          | role                                                          | lifetime         |
|-----------------|---------------------------------------------------------------|------------------|
| `Pace`          | spaces out requests or tokens at a given rate a second        | one backend      |
| `AdaptiveRate`  | finds window and rate from what is answered and what is 429   | one backend      |
| `Gate`          | where requests wait for both; the only part that touches time | one backend      |

`AdaptiveRate` begins with a window of `START_WINDOW` requests in flight, which grows by one with
each answer (doubling each round trip) up to `max_in_flight`, and with no rate. The first 429 of an
*episode* multiplies the window by `WINDOW_CUT` and sets the rate to `RATE_CUT` of what was answered
a second just before (to none while nothing has been answered). An episode is over when a request
sent after the cut meets a 429 again: those sent before the cut carry no news. Meanwhile the rate
follows a cubic curve (as TCP CUBIC does): fast back to what was borne, flat around it, then faster
and faster in search of more. Where little is known, after a first burst or once `OBSOLETE` more
than was known is borne, the rate doubles each second until the next 429. So a limit that rises is
found, one that falls costs an episode, and the user need know neither.

Where nothing sent since a cut is answered, the server is *shut* (a minute's quota is spent): the
rate is halved down to `SHUT_RATE` and doubles again from the first answer.

The limits are shared among the actors of a run: each takes its equal part of the fixed ones, and
each finds its own part of the rest, as connections on one line do.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

START_WINDOW = 32
WINDOW_CUT = 0.7
RATE_CUT = 0.85
CURVATURE = 0.02
"""Growth of the rate, relative to what was borne, per cubed second away from the flat part."""
OBSOLETE = 0.2
"""A rate borne so much above what was known shows that the limit has risen: it then doubles each
second of the curve."""
REQUESTS_PER_SECOND_UNIT = 10.0
"""A slow server is searched more slowly: a second of the curve lasts this many requests."""
MEASURED_OVER_S = 1.0
MEASURED_OVER_AT_LEAST_S = 0.2
"""A burst's answers count as if they had taken this long: too high costs one more episode, too low
a long search."""
LEAST_RATE = 0.02
SHUT_RATE = 0.5
"""Requests a second down to which a server is asked that answers nothing but 429."""

_LONGEST_NAP_S = 0.25
"""The first in the queue looks up this often, so that a rate that grew is used at once."""


class Pace:
    """At most `rate` a second on average, with bursts of at most `burst` (generic cell rate)."""

    def __init__(self, rate: float, burst: float = 1.0) -> None:
        self.rate = rate
        self.burst = burst
        self._due = 0.0

    def delay(self, now: float) -> float:
        """Seconds until the next may go."""
        return max(0.0, self._due - (self.burst - 1.0) / self.rate - now)

    def take(self, amount: float, now: float) -> None:
        """Account for `amount` sent now."""
        self._due = max(self._due, now) + amount / self.rate


class AdaptiveRate:
    """The window and rate as they follow from answers and 429s; times in seconds, no clock."""

    def __init__(self, max_in_flight: int, *, adaptive: bool = True) -> None:
        self.max_in_flight = max(1, max_in_flight)
        self.adaptive = adaptive
        self.window: float = min(self.max_in_flight, START_WINDOW) if adaptive else max_in_flight
        self.episodes = 0
        self._borne = 0.0
        self._sure = False
        self._shut = 0.0
        self._open = True
        self._cut_at = float("-inf")
        self._answered: deque[float] = deque()

    def rate(self, now: float) -> float | None:
        """Requests a second that may go out now; None for no limit."""
        if not self._borne:
            return None
        if self._shut:
            return self._shut
        since = now - self._cut_at
        if not self._sure:
            return max(LEAST_RATE, self._borne * RATE_CUT * 2 ** min(since, 30))
        since /= max(1.0, REQUESTS_PER_SECOND_UNIT / self._borne)
        flat = ((1 - RATE_CUT) / CURVATURE) ** (1 / 3)
        obsolete = flat + (OBSOLETE / CURVATURE) ** (1 / 3)
        if since > obsolete:
            return self._borne * (1 + OBSOLETE) * 2 ** min(since - obsolete, 30)
        return max(LEAST_RATE, self._borne * (1 + CURVATURE * (since - flat) ** 3))

    def answered(self, sent_at: float, now: float, in_flight: int) -> None:
        """A request sent at `sent_at` was answered; `in_flight` counts it."""
        self._answered.append(now)
        self._forget(now)
        if sent_at > self._cut_at and not self._open:
            self._open = True
            if self._shut:
                # The server serves again after a time of nothing but 429: search from here.
                self._borne, self._sure, self._cut_at = self._shut / RATE_CUT, False, now
                self._shut = 0.0
        if not self.adaptive or self.window >= self.max_in_flight:
            return
        if not self.episodes:
            self.window += 1
        elif in_flight >= self.window - 1:
            self.window += 1 / self.window
        self.window = min(self.window, self.max_in_flight)

    def throttled(self, sent_at: float, now: float) -> bool:
        """A request sent at `sent_at` met a 429; True where that began a new episode."""
        if not self.adaptive or sent_at <= self._cut_at:
            return False
        measured = self.measured(now)
        current = self.rate(now)
        if not self._open and current is not None:
            # Nothing sent since the last cut was answered: the server is shut for everybody (a
            # minute's quota is spent). That says nothing of the rate it bears when it is open.
            self._shut = max(SHUT_RATE, current / 2) if current > SHUT_RATE else current
        elif measured:
            # Answers of a fraction of a second say little: search fast until the next 429.
            self._sure = now - self._answered[0] >= MEASURED_OVER_S / 2
            self._borne = max(LEAST_RATE, measured if current is None else min(measured, current))
        self.window = max(1.0, self.window * WINDOW_CUT)
        self._cut_at = now
        self._open = False
        self.episodes += 1
        return True

    def measured(self, now: float) -> float:
        """Answers a second over the last `MEASURED_OVER_S`, or longer where they are few."""
        self._forget(now)
        if not self._answered:
            return 0.0
        return len(self._answered) / max(MEASURED_OVER_AT_LEAST_S, now - self._answered[0])

    def _forget(self, now: float) -> None:
        # Ten at least are kept, so that one answer a minute still counts as a rate.
        while len(self._answered) > 10 and self._answered[0] < now - MEASURED_OVER_S:
            self._answered.popleft()


@dataclass(frozen=True, slots=True)
class Ticket:
    """Leave to send one request, valid from `sent_at` until it is given back."""

    sent_at: float


class Gate:
    """Where requests wait for a place in the window and for their turn.

    `clock` gives monotonic seconds and `sleep` waits; both can be replaced in tests. Safe to use
    from one event loop after another, not from two at once.
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
        self._requests = _per_minute(requests_per_minute)
        self._tokens = _per_minute(tokens_per_minute)
        self._found = Pace(1.0)
        self._closed_until = float("-inf")
        self._released = False
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._turn = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def enter(self, tokens: float) -> Ticket:
        """Wait until a request of about `tokens` tokens may be sent."""
        self._enter_loop()
        await self._take_place()
        try:
            if self._delay(self._clock()) > 0 or self._turn.locked():
                # In a queue of one line: the first waits for the rates, the others for the first,
                # so nobody holds a reservation made at a rate that has changed since.
                async with self._turn:
                    while (delay := self._delay(self._clock())) > 0:
                        await self._sleep(min(delay, _LONGEST_NAP_S))
                    return self._sent(tokens)
            return self._sent(tokens)
        except BaseException:
            self._give_place()
            raise

    def leave(self) -> None:
        """The request has ended, in whatever way."""
        self._give_place()

    def answered(self, ticket: Ticket) -> None:
        """The server took the request; call before `leave`."""
        self.adaptive.answered(ticket.sent_at, self._clock(), self.in_flight)

    def throttled(self, ticket: Ticket, retry_after: float | None) -> None:
        """The server answered 429; nobody goes before the time it names."""
        now = self._clock()
        self.adaptive.throttled(ticket.sent_at, now)
        if retry_after:
            self._closed_until = max(self._closed_until, now + retry_after)

    def release(self) -> None:
        """Let everyone through at once: nothing will be sent any more."""
        self._released = True
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)

    def _delay(self, now: float) -> float:
        if self._released:
            return 0.0
        rate = self.adaptive.rate(now)
        delay = self._closed_until - now
        if rate is not None:
            self._found.rate = rate
            delay = max(delay, self._found.delay(now))
        if self._requests:
            delay = max(delay, self._requests.delay(now))
        if self._tokens:
            delay = max(delay, self._tokens.delay(now))
        return delay

    def _sent(self, tokens: float) -> Ticket:
        now = self._clock()
        if self.adaptive.rate(now) is not None:
            self._found.take(1, now)
        if self._requests:
            self._requests.take(1, now)
        if self._tokens:
            self._tokens.take(tokens, now)
        return Ticket(now)

    async def _take_place(self) -> None:
        while self.in_flight >= int(self.adaptive.window) and not self._released:
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._wake()
                raise
        self.in_flight += 1

    def _give_place(self) -> None:
        self.in_flight -= 1
        self._wake()

    def _wake(self) -> None:
        free = int(self.adaptive.window) - self.in_flight
        while self._waiting and free > 0:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1

    def _enter_loop(self) -> None:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            # Whoever waited in a loop that is gone will never come back.
            self._loop = loop
            self._turn = asyncio.Lock()
            self._waiting.clear()
            self.in_flight = 0


def _per_minute(limit: float | None) -> Pace | None:
    """A pace of that many a minute; a burst of two seconds' worth, lest a minute's come at once."""
    if not limit:
        return None
    rate = limit / 60
    return Pace(rate, burst=max(1.0, 2 * rate))
