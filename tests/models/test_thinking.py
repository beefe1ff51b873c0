"""What is sent about thinking: off is our choice, `default` sends nothing, as the paper's text has it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import faulty_server
import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from mouse.config import conf
from mouse.config.schema import RunConfig
from mouse.contracts import Message, Request
from mouse.evaluation.plan import sampling
from mouse.models.api.openai_chat import probe
from mouse.models.base import BackendContext, BackendSpec
from mouse.models.config import ModelConfig, Thinking
from mouse.models.registry import make_spec
from mouse.models.vllm import engine as vllm_engine

OFF: dict[str, dict[str, Any]] = {
    "deepseek-v3.2": {"thinking": {"type": "disabled"}},
    "doubao-seed-1.8": {"thinking": {"type": "disabled"}},
    "gpt5.2": {"reasoning_effort": "none"},
    "mistral-large-3": {},
    "qwen3-max": {"enable_thinking": False},
}
"""What `experiment=paper` adds to the requests of each API model."""
LOCAL = [
    *(f"qwen3-{size}" for size in ("0.6b", "1.7b", "4b", "8b", "14b", "32b")),
    *(f"ministral-3-{size}" for size in ("3b", "8b", "14b")),
]


def local(model: ModelConfig, server: faulty_server.FaultyServer, **changes: Any) -> BackendSpec:
    """The model behind the server of the test."""
    changes |= {"base_url": server.url, "api_key_env": None}
    return make_spec(dataclasses.replace(model, **changes), BackendContext())


@cache
def composed(*overrides: str) -> RunConfig:
    conf.register()
    with initialize_config_dir(str(conf.conf_dir()), version_base="1.3"):
        return OmegaConf.to_object(compose("config", overrides=list(overrides)))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[faulty_server.FaultyServer]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = faulty_server.FaultyServer()
    yield server
    server.stop()


def sent(server: faulty_server.FaultyServer, *overrides: str) -> dict[str, Any]:
    """The body that arrives for one request, without model and messages."""
    config = composed(*overrides)
    built = local(config.model, server).build()
    request = Request("k", "i", "ms", "", 0, (Message("user", "题"),), sampling=sampling(config))

    async def ask() -> None:
        (completion,) = await built.complete([request])
        assert completion.error is None, completion.error

    asyncio.run(ask())
    built.close()
    body = dict(server.calls[-1].body)
    assert body.pop("model") == config.model.id
    assert body.pop("messages")
    return body


@pytest.mark.parametrize("model", OFF)
def test_paper_switches_thinking_off_and_paper_defaults_says_nothing_of_it(
    server: faulty_server.FaultyServer, model: str
) -> None:
    limit = "max_completion_tokens" if model == "gpt5.2" else "max_tokens"
    settings = {"temperature": 0.0, limit: 128}
    assert sent(server, "experiment=paper", f"model={model}") == settings | OFF[model]
    assert sent(server, "experiment=paper-defaults", f"model={model}") == settings
    # The experiments differ in nothing else.
    paper, defaults = (composed(f"experiment={e}", f"model={model}") for e in EXPERIMENTS)
    assert paper.model.thinking is Thinking.off
    paper = dataclasses.replace(
        paper, model=dataclasses.replace(paper.model, thinking=Thinking.default)
    )
    assert paper == defaults


EXPERIMENTS = ("paper", "paper-defaults")


def test_both_experiments_sweep_the_same_fourteen_models() -> None:
    found = []
    for experiment in EXPERIMENTS:
        conf.register()
        with initialize_config_dir(str(conf.conf_dir()), version_base="1.3"):
            whole = compose(
                "config", overrides=[f"experiment={experiment}"], return_hydra_config=True
            )
        found.append(whole.hydra.sweeper.params.model.split(","))
    assert found[0] == found[1]
    assert sorted(found[0]) == sorted([*OFF, *LOCAL])


def takes_as_gpt_does(body: dict[str, Any]) -> Any:
    """OpenAI's rule for GPT-5.2: a temperature only where nothing is reasoned, which is the default."""
    if "temperature" in body and body.get("reasoning_effort", "none") != "none":
        return faulty_server.error(400, "Unsupported parameter: 'temperature' with this model.")
    return None


@pytest.mark.parametrize("thinking", ["off", "default", "on"])
def test_gpt_is_sent_no_temperature_that_it_would_refuse(
    server: faulty_server.FaultyServer, thinking: str
) -> None:
    server.on_body = takes_as_gpt_does
    body = sent(server, "model=gpt5.2", f"model.thinking={thinking}")
    assert ("temperature" in body) is (thinking != "on")
    assert body["max_completion_tokens"] == (4096 if thinking == "on" else 128)


def test_a_server_that_refuses_the_switch_is_told_how_to_leave_it_out(
    server: faulty_server.FaultyServer,
) -> None:
    def refuse(body: dict[str, Any]) -> Any:
        if "enable_thinking" in body:
            return faulty_server.error(400, "Unsupported: enable_thinking")
        return None

    server.on_body = refuse
    model = composed("model=qwen3-max").model
    request = Request("k", "i", "ms", "", 0, (Message("user", "题"),))
    with pytest.raises(Exception, match=r"model\.thinking=default"):
        probe(local(model, server), request)
    _, report = probe(local(model, server, thinking=Thinking.default), request)
    assert report.sent == {"temperature": 0.0, "max_tokens": 128}


@pytest.mark.parametrize("model", OFF)
def test_off_and_default_never_share_a_stored_answer(model: str) -> None:
    identities = []
    for thinking in Thinking:
        found = composed(
            f"model={model}", f"model.thinking={thinking.value}", "model.api_key_env=null"
        )
        identity = make_spec(found.model, BackendContext()).identity
        identities.append(json.dumps(identity, sort_keys=True))
    assert len(set(identities)) == 3


@pytest.mark.parametrize("model", LOCAL)
def test_a_chat_template_is_given_no_switch_in_paper_defaults(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vllm_engine, "vllm_version", lambda: "0.32.0")
    monkeypatch.setattr(vllm_engine, "is_cpu_build", lambda: False)
    found = {}
    for experiment in EXPERIMENTS:
        given = composed(f"experiment={experiment}", f"model={model}").model
        # A commit, which needs no network.
        given = dataclasses.replace(given, revision="0123456789abcdef0123456789abcdef01234567")
        found[experiment] = make_spec(given, BackendContext()).options
    off = {"enable_thinking": False, "thinking": False}
    assert found["paper"]["template_arguments"] == ({} if model.startswith("mini") else off)
    assert found["paper-defaults"]["template_arguments"] == {}
    assert found["paper-defaults"]["sampling"] == found["paper"]["sampling"] == {}
    # A Qwen3 model left to its default thinks, and vLLM has to see where that ends.
    parser = found["paper-defaults"]["engine"].get("reasoning_parser")
    assert parser == ("qwen3" if model.startswith("qwen3") else None)


def test_what_the_user_gives_the_template_is_given_in_every_mode(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vllm_engine, "vllm_version", lambda: "0.32.0")
    monkeypatch.setattr(vllm_engine, "is_cpu_build", lambda: False)
    given = dataclasses.replace(
        composed("model=qwen3-8b").model,
        revision="0123456789abcdef0123456789abcdef01234567",
        extra_body={"chat_template_kwargs": {"style": "short"}, "top_k": 5},
        thinking_off_body={"min_p": 0.1},
        thinking=Thinking.default,
    )
    options = make_spec(given, BackendContext()).options
    assert options["template_arguments"] == {"style": "short"}
    assert options["sampling"] == {"top_k": 5}
