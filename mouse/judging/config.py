"""How a judge is configured: `judge=…` on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mouse.contracts import Decoding
from mouse.models.config import ModelConfig, at_least


@dataclass
class JudgeConfig:
    """Who scores translations. `model` is any model config; a panel has several in `members`."""

    name: str = "???"
    """How tables and MLflow name the judge."""
    kind: str = "rule"
    """`none`, `rule`, `llm`, `panel`, or the name of an installed judge."""
    copy_threshold: float = 0.9
    """Similarity to the original in (0, 1] from which a translation is a copy and scores 0."""
    prompt: str = "zh"
    """A judge's prompt of mouse's: `zh`, `en`."""
    prompt_path: str | None = None
    """A file with a prompt of one's own, instead of `prompt`."""
    decoding: Decoding = Decoding.free
    """How the judge's answer is held to a score: `free` (not at all), `json`."""
    rationale: bool = False
    """Whether the judge writes why before the score."""
    repeats: int = 1
    """How often each translation is judged by each model."""
    min_qwk: float | None = None
    """Quadratic weighted kappa with people from which the judge counts as validated."""
    check: bool = True
    """Whether models that judge also score the rated translations that come with the data."""
    model: ModelConfig | None = None
    """The model that judges (`model@judge.model=NAME`)."""
    members: dict[str, ModelConfig] = field(default_factory=dict)
    """The models of a panel (`model@judge.members.first=NAME`)."""
    aggregate: str = "median"
    """How a panel's scores become one: `median` or `majority`."""
    tie: str = "lower"
    """Which score a tie gives: `lower`, `higher`, or `fail` (none)."""

    def problems(self) -> Iterator[str]:
        yield from at_least(1, ("judge.repeats", self.repeats))
        if not 0 < self.copy_threshold <= 1:
            yield f"judge.copy_threshold={self.copy_threshold}: a similarity in (0, 1]"
