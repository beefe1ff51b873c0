"""How fast requests may go out: at a given rate, or at the rate a server turns out to bear. No clock.

`AdaptiveRate` begins with a window of `START_WINDOW` requests in flight, which grows by one with
each answer (doubling each round trip) up to `max_in_flight`, and with no rate. The first 429 of an
*episode* multiplies the window by `WINDOW_CUT` and sets the rate to `RATE_CUT` of what was answered
a second just before, or to `FIRST_RATE` while nothing has been answered: a refusal comes back at
once, an answer does not, and without a rate each refusal would make room for the next. An episode
is over when a request sent after the cut meets a 429 again: those sent before carry no news.
Meanwhile the rate follows a cubic curve (as TCP CUBIC does): fast back to what was borne, flat
around it, then faster and faster in search of more. Where little is known, after a first burst or
once `OBSOLETE` more than was known is borne, the rate doubles each second until the next 429. So a
limit that rises is found, one that falls costs an episode, and the user need know neither.

Where nothing is answered for `SHUT_AFTER_S` after a cut, the server is *shut* (a minute's quota is
spent): the rate is halved down to `SHUT_RATE` and doubles again from the first answer.
"""

from __future__ import annotations

from collections import deque

START_WINDOW = 32
WINDOW_CUT = 0.7
WINDOW_KNOWN = 0.85
"""The window comes back to so much of what it was before a cut by one an answer, and goes on by one
a round trip: with answers that take seconds it would else be the window that holds the rate."""
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
FIRST_RATE = 10.0
"""Requests a second after a 429 that comes before the first answer; little known, so it doubles."""
LEAST_RATE = 0.02
SHUT_AFTER_S = 0.5
SHUT_RATE = 0.5
"""Requests a second down to which a server is asked that answers nothing but 429."""

LATE_S = 0.03
"""A request that goes later than its turn, as timers on a busy machine are late, leaves so much of
the delay to the next; without it, whatever is late is lost."""


class TokenBucket:
    """At most `rate` a second on average, with bursts of at most `burst` (generic cell rate)."""

    def __init__(self, rate: float, burst: float = 1.0) -> None:
        self.rate = rate
        self.burst = burst
        self._due = 0.0

    def delay(self, now: float) -> float:
        """Seconds until the next may go."""
        return max(0.0, self._due - (self.burst - 1.0) / self.rate - now)

    def set_rate(self, rate: float) -> None:
        """Go on at `rate`, forgiving `LATE_S` of lateness."""
        self.rate = rate
        self.burst = 1.0 + rate * LATE_S

    def restart(self, rate: float, now: float) -> None:
        """Go on at `rate`, the next no sooner than one interval from now."""
        self.set_rate(rate)
        self._due = max(self._due, now + self.burst / rate)

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
        self._search_from = float("inf")
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
        if in_flight >= self.window - 1 or not self.episodes:
            self.window += 1 if self.window < self._search_from else 1 / self.window
        self.window = min(self.window, self.max_in_flight)

    def throttled(self, sent_at: float, now: float) -> bool:
        """A request sent at `sent_at` met a 429; True where that began a new episode."""
        if not self.adaptive or sent_at <= self._cut_at:
            return False
        measured = self.measured(now)
        current = self.rate(now)
        silent = now - self._answered[-1] >= SHUT_AFTER_S if self._answered else not self._open
        if silent and not self._open and current is not None:
            # Nothing sent since the last cut is answered, nor anything for long: the server is shut
            # for everybody (a minute's quota is spent). That says nothing of the rate it bears when
            # it is open.
            self._shut = max(SHUT_RATE, current / 2) if current > SHUT_RATE else current
        elif measured:
            # Answers of a fraction of a second say little: search fast until the next 429.
            self._sure = now - self._answered[0] >= MEASURED_OVER_S / 2
            self._borne = max(LEAST_RATE, measured if current is None else min(measured, current))
        else:
            self._sure = False
            self._borne = (current or FIRST_RATE) / RATE_CUT
        self._search_from = self.window * WINDOW_KNOWN
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
