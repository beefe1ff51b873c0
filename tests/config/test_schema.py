"""Every config file composes under the typed schema, and what does not is refused by name."""

from __future__ import annotations

from functools import cache

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from mouse.config import conf
from mouse.config.schema import DataKind, RunConfig
from mouse.errors import UserError
from mouse.models.api.config import OpenAIChatConfig
from mouse.models.config import Thinking
from mouse.models.lexicon import LexiconConfig
from mouse.reporting.published import published_rows


@cache
def composed(*overrides: str) -> RunConfig:
    conf.register()
    with initialize_config_dir(str(conf.conf_dir()), version_base="1.3"):
        return OmegaConf.to_object(compose("config", overrides=list(overrides)))


@pytest.mark.parametrize(
    ("group", "option"),
    [
        (group, option)
        for group in ("model", "task", "prompt", "judge", "data", "engine", "tracking")
        for option in conf.options(group)
    ],
)
def test_every_option_composes(group, option):
    assert isinstance(composed(f"{group}={option}"), RunConfig)


@pytest.mark.parametrize("option", conf.options("experiment"))
def test_every_experiment_composes(option):
    assert isinstance(composed(f"experiment={option}"), RunConfig)


def test_the_default_needs_no_key_no_download_and_no_gpu():
    default = composed()
    assert isinstance(default.model, LexiconConfig)
    assert default.data.kind is DataKind.sample
    assert default.judge.kind == "rule"
    assert default.task.names == ["tr", "rc", "ir", "td", "ms", "cc"]


def test_the_papers_fourteen_models_are_there_with_the_papers_settings():
    published = {
        composed(f"model={name}").model.published: composed(f"model={name}").model
        for name in conf.options("model")
        if composed(f"model={name}").model.published
    }
    raters = {"familiar_participants", "unfamiliar_participants"}
    assert set(published) == set(published_rows()) - raters
    assert len(published) == 14
    for model in published.values():
        assert model.params == {"temperature": 0.0, "max_tokens": 128}
        assert model.thinking is Thinking.off
        if isinstance(model, OpenAIChatConfig):
            assert model.api_key_env and model.base_url
            assert model.price.input and model.price.output and model.price.date
        else:
            assert model.parameters_b and model.revision


def test_no_configuration_holds_a_key():
    for name in conf.options("model"):
        text = (conf.conf_dir() / "model" / f"{name}.yaml").read_text(encoding="utf-8")
        assert "api_key:" not in text


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("limit=0", "limit=0"),
        ("prompt.shots=-1", "prompt.shots=-1"),
        ("task.repeats=0", "task.repeats=0"),
        ("judge.copy_threshold=1.5", "judge.copy_threshold=1.5"),
        ("metrics.confidence=0.2", "metrics.confidence=0.2"),
        ("budget.usd=-1", "budget.usd=-1"),
        ("model=vllm model.tensor_parallel=0", "model.tensor_parallel=0"),
    ],
)
def test_values_out_of_range_are_refused_with_the_key(override, key):
    with pytest.raises(UserError, match=key):
        composed(*override.split()).check()
