"""The typed schema of `conf/`: what each Hydra group may say, so that a misspelt key is refused.

A room that is configured owns its dataclass; here they are put together. `mouse.config.conf` makes
the schema known to Hydra.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from mouse.config.typed import merged
from mouse.contracts import Decoding
from mouse.engine.config import EngineConfig, StoreMode
from mouse.judging.config import JudgeConfig
from mouse.models.config import ModelConfig, at_least, refuse
from mouse.tracking.config import TrackingConfig


class DataKind(Enum):
    sample = "sample"
    files = "files"
    toxicloakcn = "toxicloakcn"
    mouse = "mouse"


@dataclass
class TaskConfig:
    """What is asked."""

    names: list[str] = field(default_factory=list)
    """Task codes: `tr`, `rc`, `ir`, `td`, `ms`, `cc`."""
    decoding: Decoding = Decoding.free
    """How an answer is held to the labels: `free` (not at all), `choice`, `json`."""
    repeats: int = 1
    """How often each question is asked."""

    def problems(self) -> Iterator[str]:
        yield from at_least(1, ("task.repeats", self.repeats))


@dataclass
class PromptConfig:
    """With which words it is asked."""

    name: str = "zh"
    """A prompt set of mouse's: `zh`, `en`, `cot`, `cot-en`."""
    path: str | None = None
    """A folder with prompts of one's own, instead of `name`."""
    max_tokens: int | None = None
    """Output tokens that an answer to this prompt may take; raises `model.params.max_tokens`."""
    shots: int = 0
    """Examples that stand before each question."""
    shots_from: str | None = None
    """File or folder of the examples, read like the data; none of them is scored. `data=sample`
    has examples of its own."""

    def problems(self) -> Iterator[str]:
        yield from at_least(0, ("prompt.shots", self.shots))
        yield from at_least(1, ("prompt.max_tokens", self.max_tokens))


OPEN_MAPPINGS = ("columns", "labels", "where", "constants")
"""Mappings of `DataConfig` whose keys are the data's own words and headers."""

TYPED = "__typed__"
"""Key of an open mapping under which its entries travel as JSON text where they have to."""


@dataclass
class DataConfig:
    """What is asked about."""

    name: str = "???"
    """How tables and MLflow name the data."""
    kind: DataKind = DataKind.sample
    """`sample`: mouse's own small set; `files`: any files; `toxicloakcn`, `mouse`: those data sets."""
    path: Any = None
    """File, folder, list of files, or wildcard; `hub` for the published benchmark."""
    columns: dict[str, str] = field(default_factory=dict)
    """Field → the file's header; a path such as `messages.1.content` leads into nested values."""
    labels: dict[str, Any] = field(default_factory=dict)
    """Field → {the data's word: our label}."""
    where: dict[str, Any] = field(default_factory=dict)
    """Header → value, or list of values, of the rows to keep."""
    constants: dict[str, Any] = field(default_factory=dict)
    """Field → value of all rows, where no column holds it."""
    perturbations: list[str] = field(default_factory=lambda: ["homophone", "emoji"])
    """Which files of ToxiCloakCN: `homophone`, `emoji`, `homophone_keyword`, `emoji_keyword`."""
    revision: str | None = None
    """Branch, tag or commit of a data set on the Hugging Face hub."""

    def __post_init__(self) -> None:
        """Unfold what came as text because Hydra has no such keys (`mouse.config.command_line`)."""
        for name in OPEN_MAPPINGS:
            given = dict(getattr(self, name))
            typed = json.loads(given.pop(TYPED, None) or "{}")
            setattr(self, name, merged(given, typed))


@dataclass
class BudgetConfig:
    """What a run may spend before it stops; it goes on from there with more."""

    usd: float | None = None
    """US dollars, by `model.price`; None for no limit."""
    requests: int | None = None
    """Requests that are sent; answers from the store are free; None for no limit."""

    def problems(self) -> Iterator[str]:
        yield from at_least(0, ("budget.usd", self.usd), ("budget.requests", self.requests))


@dataclass
class MetricsConfig:
    """How intervals are computed."""

    resamples: int = 10_000
    """Bootstrap resamples of the items."""
    confidence: float = 0.95
    """Level of the intervals."""

    def problems(self) -> Iterator[str]:
        yield from at_least(100, ("metrics.resamples", self.resamples))
        if not 0.5 < self.confidence < 1:
            yield f"metrics.confidence={self.confidence}: between 0.5 and 1"


@dataclass
class RunConfig:
    """One evaluation: one model, one or more tasks, one data set."""

    model: ModelConfig = field(default_factory=ModelConfig)
    """Who is asked."""
    task: TaskConfig = field(default_factory=TaskConfig)
    """What is asked."""
    prompt: PromptConfig = field(default_factory=PromptConfig)
    """With which words it is asked."""
    judge: JudgeConfig = field(default_factory=JudgeConfig)
    """Who scores translations."""
    data: DataConfig = field(default_factory=DataConfig)
    """What is asked about."""
    engine: EngineConfig = field(default_factory=EngineConfig)
    """Where requests are answered."""
    tracking: TrackingConfig = field(default_factory=TrackingConfig)
    """What is written to MLflow."""
    metrics: MetricsConfig = field(default_factory=MetricsConfig)
    """How intervals are computed."""
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    """What the run may spend."""
    store: StoreMode = StoreMode.reuse
    """The store of completions: `reuse` its answers, `refresh` them, or `off`."""
    limit: int | None = None
    """Items a task, drawn in the data's proportions; None for all."""
    seed: int = 0
    """Of every draw: items, examples, baselines, resamples."""
    dry_run: bool = False
    """Prints what would be asked and cost, and sends nothing."""

    def check(self) -> None:
        """Refuse values that types alone let through. Raises `UserError` naming every such key."""
        groups = (self.model, self.task, self.prompt, self.judge, self.budget, self.metrics)
        refuse(
            [
                *at_least(1, ("limit", self.limit)),
                *(problem for group in groups for problem in group.problems()),
            ]
        )
