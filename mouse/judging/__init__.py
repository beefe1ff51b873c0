"""Judges: who scores a translation, and how far that score can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mouse.models.config import ModelConfig

if TYPE_CHECKING:
    from pathlib import Path

    from mouse.config.schema import JudgeConfig
    from mouse.judging.base import Judge


def make_judge(config: JudgeConfig, model: ModelConfig, home: Path | None = None) -> Judge:
    """The judge that a configuration names. `model`: the model under test; `home`: mouse's folder."""
    from mouse.judging.offline import NoJudge, OfflineRuleJudge

    if config.kind.value == "none":
        return NoJudge()
    if config.kind.value == "rule":
        return OfflineRuleJudge()
    from mouse.judging.rubric import make_rubric_judge

    return make_rubric_judge(config, model, home)
