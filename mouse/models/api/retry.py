"""What a failed attempt means: an outcome, another try and when, or the end of the run. Pure.

| what came back                            | what it is                                     |
|-------------------------------------------|------------------------------------------------|
| 400/413/422 prompt too long               | outcome `context_length`                       |
| 400/403/451 content policy                | outcome `content_filter`                       |
| other 400, 405 to 422                     | `bad_request`, for this request alone          |
| 401, 403                                  | `auth`, ends the run                           |
| 402, 429 insufficient quota               | `quota`, ends the run                          |
| 404                                       | `bad_request`, ends the run (model or URL)     |
| 429, 529                                  | `rate_limit`, tried again, slows all           |
| 408, 409, 425, other 5xx, a 200 that holds no completion | `server`, tried again           |
| reset, refused, cut off                   | `transport`, tried again                       |
| past the deadline                         | `timeout`, tried again                         |
| Retry-After beyond `max_wait_s`           | its kind, ends the run (all would wait alike)  |
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mouse.contracts import CompletionError, ErrorKind

_CONTEXT = re.compile(
    r"context[_ ]length|context[_ ]window|maximum context|max(?:imum)?[_ ]?model[_ ]?len"
    r"|prompt is too long|input is too long|(?:too many|reduce the number of) (?:input )?tokens"
    r"|exceeds? the (?:model'?s? )?max(?:imum)?[ a-z]*(?:tokens|length|context)"
    r"|range of input length|input length .{0,40}exceed|longer than the maximum"
    r"|输入.{0,8}(?:过长|超长)|超出.{0,12}(?:上下文|长度)",
    re.IGNORECASE,
)
_CONTENT = re.compile(
    r"content[_ ]?filter|content[_ ]?policy|ResponsibleAIPolicy|data_?inspection_?failed"
    r"|DataInspectionFailed|content exists risk|SensitiveContent|input_?text_?risk"
    r"|flagged|moderation|inappropriate content|safety (?:system|policy)|敏感|违规|不安全",
    re.IGNORECASE,
)
# Not «exceeded your current quota» or «billing»: some vendors say so of a quota of a minute.
_QUOTA = re.compile(
    r"insufficient[_ ]?(?:quota|balance|credit|funds)|billing[_ ](?:hard|not)|arrear|overdue"
    r"|account.{0,20}deactivated|余额|欠费",
    re.IGNORECASE,
)
_TOO_LARGE = re.compile(r"request too large", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one attempt gave no completion.

    `finish_reason` is set where it is an outcome after all (`context_length`, `content_filter`).
    `throttled`: the server asks for a lower rate. `retry_after`: seconds the server asks to wait.
    """

    kind: ErrorKind
    message: str
    status: int | None = None
    retry: bool = False
    fatal: bool = False
    throttled: bool = False
    retry_after: float | None = None
    finish_reason: str | None = None
    code: str = ""
    param: str = ""

    def as_error(self, *, attempts: int = 1) -> CompletionError:
        tried = f" (after {attempts} attempts)" if attempts > 1 else ""
        return CompletionError(self.kind, self.message + tried, self.status, self.fatal)


def error_fields(payload: object) -> tuple[str, str, str]:
    """Message, code (or type) and param of an error body, whatever shape the vendor gives it."""
    found: Any = payload
    if isinstance(found, Mapping) and found.get("error") is not None:
        found = found["error"]
    if not isinstance(found, Mapping):
        return (found if isinstance(found, str) else ""), "", ""
    message = found.get("message") or found.get("detail") or found.get("error_msg") or ""
    code = found.get("code") or found.get("type") or found.get("error_code") or ""
    inner = found.get("innererror")
    if isinstance(inner, Mapping) and inner.get("code"):
        code = f"{code} {inner['code']}"
    return str(message), str(code), str(found.get("param") or "")


def classify_status(status: int, payload: object, headers: Mapping[str, str]) -> Failure:
    """What an HTTP status other than 200 means (table above)."""
    message, code, param = error_fields(payload)
    said = " ".join(f"{code} {message}".split())[:300]
    text = f"The server answered {status}: {said or 'no reason given'}"
    failure = Failure("bad_request", text, status, code=code, param=param)
    wait = retry_after(headers)
    if status in (400, 403, 413, 422, 451):
        if status != 403 and _CONTEXT.search(said):
            return replace(failure, finish_reason="context_length")
        if _CONTENT.search(said):
            return replace(failure, finish_reason="content_filter")
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(said)):
        return replace(failure, kind="quota", fatal=True)
    if status in (401, 403):
        return replace(failure, kind="auth", fatal=True)
    if status == 404:
        return replace(failure, fatal=True)
    if status == 429 and _TOO_LARGE.search(said):
        return failure
    if status in (429, 529):
        return replace(failure, kind="rate_limit", retry=True, throttled=True, retry_after=wait)
    if status in (408, 409, 425) or (status >= 500 and status not in (501, 505)):
        return replace(failure, kind="server", retry=True, retry_after=wait)
    return failure


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait, never negative; None where it names no number of them."""
    try:
        seconds = float(headers["retry-after"])
    except (KeyError, ValueError):
        return None
    return max(0.0, seconds) if seconds == seconds else None


PACED_DOUBLINGS = 2


@dataclass
class RetryPolicy:
    """How long to try one request; part of a model's configuration (`model.retries`)."""

    max_attempts: int = 6
    """Tries of one request; a throttled one, whose server is well, is tried beyond that for
    `2 * max_wait_s`, so that a quota of a minute does not fail what waiting would answer."""
    max_wait_s: float = 60.0
    """Longest wait between two tries in seconds; a server that asks for more ends the run."""
    first_wait_s: float = 0.5
    """Wait in seconds before the second try, doubled for each further one."""

    def next_wait(
        self,
        failure: Failure,
        attempts: int,
        since_first_s: float,
        rng: random.Random,
        *,
        paced: bool = False,
    ) -> float | Failure:
        """Seconds until the next try, or the failure that ends the request.

        `since_first_s`: seconds since the request was first sent. `paced`: the rate has been cut
        to what the server bears, so a throttled request need not wait long of its own.
        """
        if not failure.retry:
            return failure
        asked = failure.retry_after
        if asked is not None and asked > self.max_wait_s:
            return replace(
                failure,
                fatal=True,
                message=f"{failure.message} (it asks to wait {asked:.0f} s, longer than "
                f"model.retries.max_wait_s={self.max_wait_s:g})",
            )
        patient = failure.throttled and since_first_s < 2 * self.max_wait_s
        if attempts >= self.max_attempts and not patient:
            return failure
        doublings = min(attempts - 1, PACED_DOUBLINGS if failure.throttled and paced else 30)
        backoff = min(self.max_wait_s, self.first_wait_s * 2.0**doublings)
        # Half fixed, half drawn: waits grow for certain, and requests that failed together part.
        backoff *= 0.5 + 0.5 * rng.random()
        if asked is None:
            return backoff
        return asked + min(backoff, 0.1 * asked + 0.05)
