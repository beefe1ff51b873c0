"""Traces of single calls in MLflow (`tracking.trace=true`): what was asked, what came back, when.

Off by default: a trace costs several milliseconds and more space than its answer. Only the driver
writes, in a thread of its own, and only of calls made by this run (not of stored answers). What is
written is the request as rendered and the completion; a key is in neither, and what a server says
in an error is searched for one all the same.
"""

from __future__ import annotations

import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from mouse.contracts import Completion, Request
from mouse.engine.dispatch import Arrival
from mouse.text.redaction import redact

log = logging.getLogger(__name__)


class CallTracer:
    """Writes one trace a call to an experiment, linked to a run; give it to `Engine.observers`.

    A trace that cannot be written costs the trace and one warning, never the run.
    """

    def __init__(self, uri: str, experiment_id: str, run_id: str) -> None:
        self._uri = uri
        self._experiment_id = experiment_id
        self._run_id = run_id
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="mouse-tracing")
        self._pending: list[Future[None]] = []
        self._ready = False
        self._warned = False

    def __call__(self, arrival: Arrival) -> None:
        """Queue the calls of a chunk that came back; returns at once."""
        if not arrival.lost:
            at = time.time_ns()
            self._pending.append(self._executor.submit(self._write, arrival, at))

    def close(self) -> None:
        """Wait until all is written."""
        self._executor.shutdown(wait=True)
        if self._ready:
            import mlflow

            with suppress(Exception):
                mlflow.flush_trace_async_logging()

    def _write(self, arrival: Arrival, at: int) -> None:
        try:
            if not self._ready:
                import mlflow

                mlflow.set_tracking_uri(self._uri)
                self._ready = True
            requests = {request.key: request for request in arrival.chunk.requests}
            for completion in arrival.completions:
                self._trace(arrival.pool, requests[completion.request_key], completion, at)
        except Exception as error:
            if not self._warned:
                self._warned = True
                log.warning("Calls are not traced: %s", redact(f"{type(error).__name__}: {error}"))

    def _trace(self, pool: str, request: Request, completion: Completion, at: int) -> None:
        import mlflow
        from mlflow.entities import SpanType
        from mlflow.tracing.constant import SpanAttributeKey, TraceMetadataKey

        attributes: dict[str, Any] = {
            "item_id": request.item_id,
            "task": request.task,
            "variant": request.variant,
            "repeat": request.repeat,
            "request_key": request.key,
            "attempts": completion.attempts,
            "finish_reason": completion.finish_reason,
            "model_reported": completion.model_reported,
        }
        usage = completion.usage
        if usage is not None:
            attributes[SpanAttributeKey.CHAT_USAGE] = {
                "input_tokens": usage.prompt_tokens,
                "output_tokens": usage.completion_tokens,
                "total_tokens": usage.prompt_tokens + usage.completion_tokens,
            }
        span = mlflow.start_span_no_context(
            name=f"{pool} {request.task}",
            span_type=SpanType.CHAT_MODEL,
            inputs={
                "messages": [
                    {"role": message.role, "content": _writable(message.content)}
                    for message in request.messages
                ],
                "temperature": request.sampling.temperature,
                "max_tokens": request.sampling.max_tokens,
            },
            attributes=attributes,
            metadata={TraceMetadataKey.SOURCE_RUN: self._run_id},
            experiment_id=self._experiment_id,
            # The worker measured how long the call took; when it came back, we know to a chunk.
            start_time_ns=at - int((completion.latency_s or 0.0) * 1e9),
        )
        if completion.error is not None:
            error = redact(f"{completion.error.kind}: {completion.error.message}")
            span.end(outputs={"error": error}, status="ERROR", end_time_ns=at)
        else:
            outputs = {
                "content": _writable(completion.text),
                "reasoning": _writable(completion.reasoning),
            }
            span.end(outputs=outputs, status="OK", end_time_ns=at)


def _writable(text: str | None) -> str | None:
    """Without the halves of surrogate pairs that broken input holds and UTF-8 does not."""
    return text and text.encode("utf-8", "replace").decode("utf-8")
