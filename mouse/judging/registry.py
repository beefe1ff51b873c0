"""The kinds of judges by name: those of mouse, and those of plug-ins (`mouse.plugins`)."""

from __future__ import annotations

from mouse.errors import UserError
from mouse.judging.base import Judge
from mouse.judging.config import JudgeConfig
from mouse.judging.none import NoJudge
from mouse.judging.rubric import RubricJudge
from mouse.judging.rule import RuleJudge
from mouse.models.config import ModelConfig
from mouse.plugins import plugged_in


def judge_class(kind: str) -> type[Judge]:
    """The class of `judge.kind`. Raises `UserError` that lists the kinds where there is none, and
    for a plug-in that is no judge or whose kind is taken."""
    found: dict[str, type[Judge]] = {}
    for cls in (NoJudge, RuleJudge, RubricJudge, *plugged_in("judges")):
        if not (isinstance(cls, type) and issubclass(cls, Judge)):
            raise UserError(
                f"plug-in: {cls!r} is not a class derived from mouse.judging.base.Judge"
            )
        for name in cls.kinds:
            if name in found:
                raise UserError(f"plug-in: there is a judge {name!r} already; give another kind")
            found[name] = cls
    if kind not in found:
        raise UserError(f"judge.kind={kind}: expected one of {', '.join(found)}.")
    return found[kind]


def make_judge(config: JudgeConfig, model: ModelConfig) -> Judge:
    """The judge that a configuration names. `model` is the model under test."""
    return judge_class(config.kind).from_config(config, model)
