"""A provider's batch endpoint: requests as a JSONL file, a job, and lines that come back.

`BatchClient` makes the few calls (`/files`, `/batches`) through the `openai` client; the functions
beside it turn requests into lines and lines into completions. Waiting, repeating and remembering
are `mouse.engine.batch_engine`'s.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import orjson

from mouse.contracts import Completion, Request
from mouse.models.api.attempt import chosen
from mouse.models.api.body import chooses_by_logprob, request_body
from mouse.models.api.config import OpenAIChatConfig
from mouse.models.api.parse import parse_completion
from mouse.models.api.retry import Failure, RetryPolicy, classify_status
from mouse.models.api.transport import Endpoint, as_transport_error
from mouse.text.redaction import redact_value

URL: Literal["/v1/chat/completions"] = "/v1/chat/completions"
"""What a line names as its endpoint, whatever the base URL of the server is."""

WINDOW: Literal["24h"] = "24h"
OVER = frozenset({"completed", "failed", "expired", "cancelled"})
"""States of a batch that do not change any more."""

TOO_MUCH = frozenset({"token_limit_exceeded", "request_limit_exceeded"})
"""Codes of a batch refused because too much is queued already: smaller ones may pass."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as the server describes it."""

    id: str
    state: str
    input_file: str
    files: tuple[str, ...] = ()
    """Its output file and its error file, as far as there are any."""
    code: str = ""
    message: str = ""

    @property
    def over(self) -> bool:
        return self.state in OVER


class BatchError(Exception):
    """A call to the batch endpoint that failed for good; `failure` says how."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def lines(requests: Sequence[Request], config: OpenAIChatConfig) -> bytes:
    """The input file: one line a request, named by its key; raises `CannotConstrain`."""
    return b"".join(
        orjson.dumps(
            {
                "custom_id": request.key,
                "method": "POST",
                "url": URL,
                "body": request_body(config, request),
            },
            option=orjson.OPT_APPEND_NEWLINE,
        )
        for request in requests
    )


def read_lines(
    content: bytes, requests: Mapping[str, Request], config: OpenAIChatConfig, *, attempts: int = 1
) -> Iterator[tuple[str, Completion | Failure]]:
    """(key, completion or failure) for each line of an output or error file.

    Lines about unknown keys and lines that are no JSON (a file that was cut off) are left out:
    whoever asked finds their requests unanswered.
    """
    for line in content.splitlines():
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        key = row.get("custom_id") if isinstance(row, dict) else None
        if isinstance(key, str) and key in requests:
            yield key, _read(row, requests[key], config, attempts)


def _read(
    row: Mapping[str, Any], request: Request, config: OpenAIChatConfig, attempts: int
) -> Completion | Failure:
    response = row.get("response")
    if not isinstance(response, Mapping) or not response.get("status_code"):
        error = row.get("error")
        said = error if isinstance(error, Mapping) else {}
        code = str(said.get("code") or "")
        text = " ".join(f"{code} {said.get('message') or 'gives no reason'}".split())
        return Failure("server", f"The batch left this request out: {text}"[:300], retry=True)
    status, body = int(response["status_code"]), response.get("body")
    if status != 200:
        return classify_status(status, body, {})
    result = parse_completion(
        body,
        request_key=request.key,
        attempts=attempts,
        latency_s=0.0,
        prompt_length=sum(len(message.content) for message in request.messages),
    )
    if isinstance(result, Failure):
        return result
    # A batch does not say how long a request took, and its waiting time is no latency.
    result = replace(result, latency_s=None)
    return chosen(result, request) if chooses_by_logprob(config, request) else result


class BatchClient:
    """Calls `/files` and `/batches` of one server, trying again what may be tried again.

    `sleep` and `rng` can be replaced in tests. Every method raises `BatchError`.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        policy: RetryPolicy,
        *,
        sleep: Callable[[float], None] = time.sleep,
        rng: random.Random | None = None,
    ) -> None:
        import openai

        self._endpoint = endpoint
        self._policy = policy
        self._sleep = sleep
        self._rng = rng or random.Random()
        self._status_error = openai.APIStatusError
        self._client = openai.OpenAI(
            api_key=endpoint.api_key or "none",
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=endpoint.timeout_s,
            default_headers=dict(endpoint.headers),
        )

    def upload(self, content: bytes) -> str:
        """Send an input file; returns its id."""
        file = ("mouse.jsonl", content, "application/jsonl")
        return str(self._call(lambda: self._client.files.create(file=file, purpose="batch")).id)

    def create(self, input_file: str) -> Batch:
        """Start a batch. Not repeated blindly: a reply that got lost may stand for a batch that
        runs, so after a broken connection the batch of this file is looked for first."""

        def once() -> Any:
            return self._client.batches.create(
                input_file_id=input_file,
                endpoint=URL,
                completion_window=WINDOW,
                metadata={"made_by": "mouse"},
            )

        try:
            return _batch(self._call(once, attempts=1))
        except BatchError as error:
            if not error.failure.retry:
                raise
            self._sleep(self._policy.first_wait_s)
            return self.find(input_file) or _batch(self._call(once))

    def find(self, input_file: str) -> Batch | None:
        """The batch that was made of an input file, if any."""
        for batch in self._call(lambda: list(self._client.batches.list(limit=100))):
            if batch.input_file_id == input_file:
                return _batch(batch)
        return None

    def retrieve(self, batch_id: str) -> Batch:
        """The state of a batch now."""
        return _batch(self._call(lambda: self._client.batches.retrieve(batch_id)))

    def download(self, file: str) -> bytes:
        """The whole of a file."""
        content = self._call(lambda: self._client.files.content(file).content)
        return redact_value(content, self._endpoint.api_key)

    def discard(self, file: str) -> None:
        """Delete a file that is not needed any more; that it cannot be deleted harms nobody."""
        with suppress(BatchError):
            self._call(lambda: self._client.files.delete(file), attempts=1)

    def close(self) -> None:
        self._client.close()

    def _call(self, action: Callable[[], _T], attempts: int | None = None) -> _T:
        tries, first = 0, time.monotonic()
        while True:
            try:
                return action()
            except self._status_error as error:
                body = error.body if error.body is not None else error.response.text[:300]
                headers = {name.lower(): v for name, v in error.response.headers.items()}
                failure = classify_status(error.status_code, body, headers)
            except Exception as error:
                broken = as_transport_error(error, self._endpoint.timeout_s)
                failure = Failure(broken.kind, str(broken), retry=True)
            failure = replace(
                failure, message=redact_value(failure.message, self._endpoint.api_key)
            )
            tries += 1
            if attempts is not None and tries >= attempts:
                raise BatchError(failure) from None
            since = time.monotonic() - first
            wait = self._policy.next_wait(failure, tries, since, self._rng)
            if isinstance(wait, Failure):
                raise BatchError(wait) from None
            self._sleep(wait)


def _batch(found: Any) -> Batch:
    errors = list(getattr(found.errors, "data", None) or ())
    return Batch(
        id=str(found.id),
        state=str(found.status),
        input_file=str(found.input_file_id),
        files=tuple(file for file in (found.output_file_id, found.error_file_id) if file),
        code=str(errors[0].code or "") if errors else "",
        message=" ".join(str(errors[0].message or "").split())[:300] if errors else "",
    )
