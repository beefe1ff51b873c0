"""What runs inside an actor: build one backend, answer chunks with it, never raise.

An exception that crosses from an actor to the driver must unpickle there, which those of many
SDKs do not; so whatever happens in here comes back as data. Imports little, because the time to
import this module is part of every actor's start.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mouse.contracts import Completion, CompletionError, ErrorKind, Request
from mouse.engine.codec import pack, unpack
from mouse.errors import UserError
from mouse.models.base import Backend, BackendSpec
from mouse.text.redaction import redact_options


@dataclass(frozen=True, slots=True)
class StartReport:
    """How the construction of a backend ended: all empty where it succeeded."""

    problem: str = ""
    """One sentence, free of secrets."""
    trace: str = ""
    """The worker's traceback; empty for a user's mistake."""

    @property
    def ok(self) -> bool:
        return not self.problem


class Worker:
    """One backend with its options; as a Ray actor or, for `InlineEngine`, as a plain object.

    The constructor does nothing that can fail: an actor whose constructor raises is dead before
    it can say why.
    """

    def __init__(self, spec: BackendSpec) -> None:
        self._spec = spec
        self._backend: Backend | None = None
        self._slots = asyncio.Semaphore(max(1, spec.max_concurrency))

    async def build(self, environment: Mapping[str, str] | None = None) -> StartReport:
        """Import and construct the backend, with `environment` (of `named_variables`) set.

        So a key that the driver knows reaches an actor wherever it runs, as an argument in
        memory; in a runtime environment it would be written to Ray's session files.
        """
        os.environ.update(environment or {})
        try:
            self._backend = self._spec.build()
        except Exception as error:
            user_error = isinstance(error, UserError)
            return StartReport(
                problem=redact_options(str(error), self._spec.options)
                if user_error
                else self._say(error),
                trace=""
                if user_error
                else redact_options(traceback.format_exc(), self._spec.options),
            )
        return StartReport()

    async def ask(self, packed: bytes) -> bytes:
        """Answer packed requests; one packed completion each, in the order of the requests."""
        async with self._slots:
            return pack(await self.answer(unpack(packed)))

    async def answer(self, requests: Sequence[Request]) -> list[Completion]:
        """One completion a request, in the order of the requests, whatever the backend does.

        A backend that raises is asked again one request at a time, so that the request it cannot
        bear fails alone.
        """
        if self._backend is None:
            return _all(requests, "internal", "The backend was asked before it was built.")
        try:
            completions = await self._backend.complete(requests)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if len(requests) > 1:
                return [
                    completion
                    for request in requests
                    for completion in await self.answer([request])
                ]
            kind: ErrorKind = "resources" if isinstance(error, MemoryError) else "internal"
            return _all(requests, kind, self._say(error))
        by_key: dict[str, Completion] = {}
        for completion in completions:
            by_key.setdefault(completion.request_key, completion)
        return [
            by_key.get(request.key)
            or _failed(request, "internal", "The backend returned nothing for this request.")
            for request in requests
        ]

    async def describe(self) -> dict[str, Any]:
        """What the backend says of itself (`describe()` if it has one), for the manifest."""
        describe = getattr(self._backend, "describe", None)
        try:
            return dict(describe()) if describe else {}
        except Exception as error:
            return {"error": self._say(error)}

    async def close(self) -> None:
        """Close the backend; its failure to close concerns nobody any more."""
        backend, self._backend = self._backend, None
        if backend is not None:
            try:
                backend.close()
            except Exception:
                # Ray writes this to the worker's log file.
                print(redact_options(traceback.format_exc(), self._spec.options), file=sys.stderr)

    def _say(self, error: BaseException) -> str:
        text = " ".join(str(error).split())
        sentence = f"{type(error).__name__}: {text}" if text else type(error).__name__
        return redact_options(sentence, self._spec.options)[:500]


def _all(requests: Sequence[Request], kind: ErrorKind, message: str) -> list[Completion]:
    return [_failed(request, kind, message) for request in requests]


def _failed(request: Request, kind: ErrorKind, message: str) -> Completion:
    return Completion(request.key, error=CompletionError(kind, message))
