"""A real language model: alone, and through `vllm serve` and the API backend with like answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support_models import spec_of

from mouse.contracts import Completion, Request
from mouse.engine.keys import key_function
from mouse.models.api.config import OpenAIChatConfig

# In float32 the composition of a batch moves no greedy choice that is not a tie.
DTYPE = "float32"


@pytest.fixture(scope="module")
def prompts() -> list[Request]:
    """Real requests of all six tasks, on one item of the sample each."""
    from mouse.config.schema import DataConfig, RunConfig
    from mouse.evaluation.data import load_data
    from mouse.evaluation.plan import make_plan
    from mouse.models.config import ModelConfig

    config = RunConfig(
        model=ModelConfig(name="x", params={"temperature": 0.0, "max_tokens": 48}),
        data=DataConfig(name="sample"),
        limit=1,
    )
    plan = make_plan(config, load_data(config), ("tr", "rc", "ir", "td", "ms", "cc"))
    key = key_function({"test": 1})
    return [replace(request, key=key(request)) for request in plan.requests()]


@pytest.fixture(scope="module")
def backend(smollm2: Path, make_spec: Callable[..., Any], running: Any) -> Iterator[Any]:
    found = running(make_spec(smollm2, dtype=DTYPE, max_model_len=2048))
    yield found
    found.close()


def test_it_answers(backend: Any, question: Callable[..., Request]) -> None:
    (found,) = backend.ask([question("What is the capital of France?", max_tokens=32)])
    assert "Paris" in (found.text or "")
    assert found.finish_reason == "stop"


def test_choices_hold_it(backend: Any, prompts: list[Request]) -> None:
    from dataclasses import replace

    asked = [replace(request, choices=("A", "B", "C", "D")) for request in prompts]
    assert {completion.text for completion in backend.ask(asked)} <= {"A", "B", "C", "D"}


def test_asking_again_gives_the_same_and_the_common_part_is_cached(
    backend: Any, prompts: list[Request]
) -> None:
    first, second = backend.ask(prompts), backend.ask(prompts)
    assert [c.text for c in first] == [c.text for c in second]
    cached = sum(c.usage.cached_tokens for c in second)
    assert cached > 0.5 * sum(c.usage.prompt_tokens for c in second)


def test_through_a_server_the_answers_are_the_same(
    backend: Any,
    smollm2: Path,
    prompts: list[Request],
    serve: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = ("--dtype", DTYPE, "--max-model-len", "2048", "--served-model-name", "smollm2")
    model = {
        "name": "served",
        "id": "smollm2",
        "base_url": serve(smollm2, *arguments),
        "api_key_env": None,
        "structured": "structured_outputs",
    }
    asked = prompts + [
        Request(f"c{i}", "i", "ms", "", 0, r.messages, r.sampling, choices=("A", "B", "C", "D"))
        for i, r in enumerate(prompts)
    ]

    async def through_the_server() -> list[Completion]:
        client = spec_of(OpenAIChatConfig, **model).build()
        try:
            return await client.complete(asked)
        finally:
            client.close()

    served = {c.request_key: c for c in asyncio.run(through_the_server())}
    assert [c.error for c in served.values() if c.error] == []
    own = {c.request_key: c for c in backend.ask(asked)}
    assert {k: c.text for k, c in own.items()} == {k: c.text for k, c in served.items()}
    for key, completion in own.items():
        assert completion.finish_reason == served[key].finish_reason
        assert completion.usage.prompt_tokens == served[key].usage.prompt_tokens
        assert completion.usage.completion_tokens == served[key].usage.completion_tokens
