"""Backends for the engine's tests: each request says in its payload what befalls it.

Importable by Ray workers because conftest puts this folder on PYTHONPATH before Ray starts.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mouse.contracts import Completion, CompletionError, Request, Usage
from mouse.errors import UserError


class Scripted:
    """Echoes the last message, unless `payload["do"]` says otherwise; logs every key asked."""

    def __init__(
        self,
        log: str = "",
        delay_s: float = 0.0,
        broken: str = "",
        api_key_env: str = "",
    ) -> None:
        if broken == "exit":
            os._exit(3)
        if broken == "user":
            raise UserError("The folder of weights is not there; set model.path.")
        if broken:
            raise OSError(f"{broken} {os.environ.get(api_key_env, '')}".strip())
        self._log = log
        self._delay_s = delay_s
        self._api_key_env = api_key_env

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        completions: list[Completion] = []
        for request in requests:
            self._note(request)
            if self._delay_s:
                await asyncio.sleep(self._delay_s)
            completion = await self._one(request)
            if completion is not None:
                completions.append(completion)
        return completions[::-1]

    async def _one(self, request: Request) -> Completion | None:
        do = request.payload.get("do", "")
        if do == "die":
            os._exit(1)
        if do == "die once" and _first(request.payload["marker"]):
            os._exit(1)
        if do == "raise":
            raise RuntimeError(f"no such token {os.environ.get(self._api_key_env, '')}")
        if do == "forget":
            return None
        if do == "transport":
            return Completion(request.key, error=CompletionError("transport", "reset"), attempts=4)
        if do == "auth":
            return Completion(
                request.key, error=CompletionError("auth", "bad key", status=401, fatal=True)
            )
        if do == "filter":
            return Completion(request.key, finish_reason="content_filter")
        return Completion(
            request.key,
            text=request.messages[-1].content,
            finish_reason="stop",
            usage=Usage(prompt_tokens=10, completion_tokens=3),
            latency_s=0.01,
        )

    def _note(self, request: Request) -> None:
        if self._log:
            descriptor = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(descriptor, f"{request.key}\n".encode())
            os.close(descriptor)

    def describe(self) -> dict[str, Any]:
        return {"backend": "scripted", "pid": os.getpid()}

    def close(self) -> None:
        if self._log:
            Path(self._log + ".closed").touch()


def _first(marker: str) -> bool:
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True
