"""Typed schemas of `conf/`: what each Hydra group may say, so that a misspelt key is refused.

`register()` puts the root schema into Hydra's ConfigStore as `mouse_schema`; `conf/config.yaml`
names it first in its defaults list, so every group below is checked against its dataclass.
Only hydra and omegaconf are imported, and only inside functions.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from mouse.corpus.resources import shipped_path
from mouse.corpus.typed import merged
from mouse.engine.config import EngineConfig, StoreMode
from mouse.tracking.config import TrackingConfig


class Backend(Enum):
    """Which file of `mouse/models/` answers."""

    lexicon = "lexicon"
    baseline = "baseline"
    replay = "replay"
    openai_chat = "openai_chat"
    vllm_engine = "vllm_engine"


class Thinking(Enum):
    """Whether a reasoning model may think first.

    `off` is this project's own choice: with 128 output tokens a model that thinks has no room for
    an answer. The paper names temperature and token limit and leaves all else at its default,
    which is `default`: no switch is sent, the vendor or the chat template decides.
    """

    off = "off"
    on = "on"
    default = "default"


class Decoding(Enum):
    """How an answer is held to the labels: not at all, by choice, by JSON schema.

    `free` is what the paper's "all else at its default" comes to; it names no constraint.
    """

    free = "free"
    choice = "choice"
    json = "json"


class DataKind(Enum):
    sample = "sample"
    files = "files"
    toxicloakcn = "toxicloakcn"
    mouse = "mouse"


@dataclass
class Limits:
    """What the vendor allows; None where unknown (the right rate is then found by trying)."""

    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_in_flight: int = 64
    timeout_s: float = 120.0


@dataclass
class Retries:
    """How long to try one request before it is `failed`."""

    max_attempts: int = 6
    max_wait_s: float = 60.0


@dataclass
class Price:
    """US dollars per million tokens, with the day it was looked up."""

    input: float | None = None
    output: float | None = None
    cached_input: float | None = None
    batch_discount: float = 0.5
    date: str | None = None


@dataclass
class ModelConfig:
    """One model: who it is, how to reach it, what it is asked with."""

    name: str = "???"
    backend: Backend = Backend.lexicon
    id: str | None = None
    revision: str | None = None
    family: str | None = None
    """Maker's line (`qwen`, `mistral`): a judge of the same family is flagged."""
    published: str | None = None
    """The model's name in data/published, for the paper's row."""
    parameters_b: float | None = None
    """Parameters in billions, for the scale figure; None where the vendor does not say."""
    source: str | None = None
    # sampling
    params: dict[str, Any] = field(default_factory=lambda: {"temperature": 0.0, "max_tokens": 128})
    thinking: Thinking = Thinking.off
    thinking_max_tokens: int = 4096
    # API
    base_url: str | None = None
    base_url_env: str | None = None
    api_key_env: str | None = None
    token_param: str = "max_tokens"
    drop_params: list[str] = field(default_factory=list)
    extra_body: dict[str, Any] = field(default_factory=dict)
    """Sent with every request; null takes a parameter out of the request."""
    thinking_off_body: dict[str, Any] = field(default_factory=dict)
    """Added to it with `thinking=off`; `thinking=default` adds neither of the two."""
    thinking_extra_body: dict[str, Any] = field(default_factory=dict)
    """Added to it with `thinking=on`."""
    extra_headers: dict[str, str] = field(default_factory=dict)
    accept_changes: bool = False
    structured: str = "json_schema"
    limits: Limits = field(default_factory=Limits)
    retries: Retries = field(default_factory=Retries)
    adaptive: bool = True
    actors: int = 2
    transport: str = "openai"
    """`openai`: the vendor's own client. `aiohttp`: lean, for servers one runs oneself (the same
    requests and answers at a fraction of the processor time)."""
    price: Price = field(default_factory=Price)
    # vLLM
    dtype: str = "auto"
    tensor_parallel: int = 1
    replicas: int | None = None
    max_model_len: int | None = None
    gpu_memory_utilization: float = 0.9
    enforce_eager: bool = False
    trust_remote_code: bool = False
    tokenizer_mode: str = "auto"
    chat_template: str | None = None
    # offline
    strategy: str | None = None
    predictions: str | None = None
    rater: str | None = None
    """Whose answers to score, where a file of predictions holds several people's."""
    group: str | None = None
    """The group of people a replay run belongs to (`familiar`), averaged in the report's table 6."""


@dataclass
class TaskConfig:
    names: list[str] = field(default_factory=list)
    decoding: Decoding = Decoding.free
    repeats: int = 1


@dataclass
class PromptConfig:
    name: str = "zh"
    path: str | None = None
    max_tokens: int | None = None
    """Output tokens that an answer to this prompt may take; raises `model.params.max_tokens`."""
    shots: int = 0
    shots_from: str | None = None
    """File or folder of the examples, read like the data; none of them is scored. `data=sample`
    has examples of its own."""


@dataclass
class JudgeConfig:
    """Who scores translations. `model` is any model config; a panel has several in `members`.

    `check`: where the data come with rated translations, models that judge score those as well.
    """

    name: str = "???"
    kind: str = "rule"
    """`none`, `rule`, `llm`, `panel`, or the name of an installed judge."""
    copy_threshold: float = 0.9
    prompt: str = "zh"
    prompt_path: str | None = None
    decoding: Decoding = Decoding.free
    rationale: bool = False
    repeats: int = 1
    min_qwk: float | None = None
    check: bool = True
    model: ModelConfig | None = None
    members: dict[str, ModelConfig] = field(default_factory=dict)
    aggregate: str = "median"
    tie: str = "lower"


OPEN_MAPPINGS = ("columns", "labels", "where", "constants")
"""Mappings of `DataConfig` whose keys are the data's own words and headers."""

TYPED = "__typed__"
"""Key of an open mapping under which its entries travel as JSON text where they have to."""


@dataclass
class DataConfig:
    name: str = "???"
    kind: DataKind = DataKind.sample
    path: Any = None
    """File, folder, list of files, or wildcard."""
    columns: dict[str, str] = field(default_factory=dict)
    """Field → the file's header; a path such as `messages.1.content` leads into nested values."""
    labels: dict[str, Any] = field(default_factory=dict)
    """Field → {the data's word: our label}."""
    where: dict[str, Any] = field(default_factory=dict)
    """Header → value, or list of values, of the rows to keep."""
    constants: dict[str, Any] = field(default_factory=dict)
    """Field → value of all rows, where no column holds it."""
    perturbations: list[str] = field(default_factory=lambda: ["homophone", "emoji"])
    revision: str | None = None

    def __post_init__(self) -> None:
        """Unfold what came as text because Hydra has no such keys (`mouse.config.command_line`)."""
        for name in OPEN_MAPPINGS:
            given = dict(getattr(self, name))
            typed = json.loads(given.pop(TYPED, None) or "{}")
            setattr(self, name, merged(given, typed))


@dataclass
class BudgetConfig:
    usd: float | None = None
    requests: int | None = None


@dataclass
class MetricsConfig:
    resamples: int = 10_000
    confidence: float = 0.95


@dataclass
class RunConfig:
    """One evaluation: one model, one or more tasks, one data set."""

    model: ModelConfig = field(default_factory=ModelConfig)
    task: TaskConfig = field(default_factory=TaskConfig)
    prompt: PromptConfig = field(default_factory=PromptConfig)
    judge: JudgeConfig = field(default_factory=JudgeConfig)
    data: DataConfig = field(default_factory=DataConfig)
    engine: EngineConfig = field(default_factory=EngineConfig)
    tracking: TrackingConfig = field(default_factory=TrackingConfig)
    metrics: MetricsConfig = field(default_factory=MetricsConfig)
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    store: StoreMode = StoreMode.reuse
    limit: int | None = None
    seed: int = 0
    dry_run: bool = False


def conf_dir() -> Path:
    """The folder of Hydra configs."""
    return shipped_path("conf")


def options(group: str) -> list[str]:
    """Names that `group=` accepts, sorted."""
    return sorted(path.stem for path in (conf_dir() / group).glob("*.yaml"))


def register() -> None:
    """Make the schema and the resolver `mouse_home` known to Hydra; may be called twice."""
    from hydra.core.config_store import ConfigStore
    from omegaconf import OmegaConf

    from mouse.tracking.home import home

    ConfigStore.instance().store(name="mouse_schema", node=RunConfig)
    OmegaConf.register_new_resolver("mouse_home", lambda: str(home()), replace=True)


def check(config: RunConfig) -> None:
    """Refuse values that types alone let through. Raises `UserError` naming the key."""
    from mouse.errors import UserError

    checks: list[tuple[bool, str]] = [
        (config.limit is None or config.limit >= 1, f"limit={config.limit}: at least 1 item"),
        (config.prompt.shots >= 0, f"prompt.shots={config.prompt.shots}: 0 or more examples"),
        (
            config.prompt.max_tokens is None or config.prompt.max_tokens >= 1,
            f"prompt.max_tokens={config.prompt.max_tokens}: at least 1 token",
        ),
        (config.task.repeats >= 1, f"task.repeats={config.task.repeats}: at least 1"),
        (config.judge.repeats >= 1, f"judge.repeats={config.judge.repeats}: at least 1"),
        (
            0 < config.judge.copy_threshold <= 1,
            f"judge.copy_threshold={config.judge.copy_threshold}: a similarity in (0, 1]",
        ),
        (
            config.metrics.resamples >= 100,
            f"metrics.resamples={config.metrics.resamples}: at least 100",
        ),
        (
            0.5 < config.metrics.confidence < 1,
            f"metrics.confidence={config.metrics.confidence}: between 0.5 and 1",
        ),
        (config.model.actors >= 1, f"model.actors={config.model.actors}: at least 1"),
        (
            config.model.tensor_parallel >= 1,
            f"model.tensor_parallel={config.model.tensor_parallel}: at least 1",
        ),
        (
            config.model.limits.max_in_flight >= 1,
            f"model.limits.max_in_flight={config.model.limits.max_in_flight}: at least 1",
        ),
        (
            config.budget.usd is None or config.budget.usd >= 0,
            f"budget.usd={config.budget.usd}: 0 or more dollars",
        ),
        (
            config.budget.requests is None or config.budget.requests >= 0,
            f"budget.requests={config.budget.requests}: 0 or more requests",
        ),
    ]
    wrong = [text for fine, text in checks if not fine]
    if wrong:
        raise UserError("this configuration cannot be run: " + "; ".join(wrong) + " is needed.")
