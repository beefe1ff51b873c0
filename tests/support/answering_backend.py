"""A backend for tests of the flow: the model translates, the judge scores or fails."""

from __future__ import annotations

from collections.abc import Sequence

from mouse.contracts import Completion, CompletionError, Request


class Answering:
    """A backend that says `太好了` to the model's prompts and a score to the judge's questions."""

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        return [self._one(request) for request in requests]

    def close(self) -> None:
        pass

    def _one(self, request: Request) -> Completion:
        if request.task != "judge":
            return Completion(request.key, text=f"太好了{request.item_id}", finish_reason="stop")
        if request.messages[-1].content == "fail":
            return Completion(request.key, error=CompletionError("server", "overloaded"))
        return Completion(request.key, text="2", finish_reason="stop")
