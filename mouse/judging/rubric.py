"""The LLM judge and the panel: the paper's 0/1/2 rubric, asked of one or more models.

Original, reference and answer go to the judge as one JSON object, so nothing in an answer can
end its own field and speak to the judge as the user. Prompt, version, decoding and model are part
of each question's key, so rejudging with another judge asks only the judge.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mouse.contracts import (
    Completion,
    Message,
    Outcome,
    Prediction,
    Request,
    Sampling,
    Verdict,
)
from mouse.corpus.items import CXEI
from mouse.errors import UserError
from mouse.judging.aggregate import aggregate, check_rules
from mouse.judging.base import Judge, Judgement
from mouse.judging.config import JudgeConfig
from mouse.judging.read import read_score
from mouse.models.base import BackendContext
from mouse.models.config import ModelConfig
from mouse.models.registry import make_spec
from mouse.tasks.base import object_schema
from mouse.tasks.prompts import BUILT_IN, read_template

VERSION = "1"
_SECTION = re.compile(r"^\[([a-z]+)\]\s*$", re.MULTILINE)


@dataclass(frozen=True)
class JudgePrompt:
    """The rubric as a judge reads it. `fingerprint`: SHA-256 of the instructions."""

    instructions: str
    fingerprint: str
    source: str = ""
    """The whole file, so that a run's record can give it back."""

    @classmethod
    def load(cls, name: str, path: str | None, decoding: str, rationale: bool) -> JudgePrompt:
        """Read `judge.txt` of a built-in prompt set, or the user's file `path`."""
        file = Path(path).expanduser() if path else BUILT_IN / name / "judge.txt"
        if not file.is_file():
            raise UserError(
                f"the judge's prompt {file} does not exist: judge.prompt is zh or en, and "
                "judge.prompt_path a file with the sections of mouse/tasks/templates/zh/judge.txt."
            )
        source = read_template(file)
        pieces = _SECTION.split(source)
        sections = {
            title: body.strip() for title, body in zip(pieces[1::2], pieces[2::2], strict=True)
        }
        how = "rationale" if rationale else ("json" if decoding == "json" else "number")
        missing = [f"[{title}]" for title in ("system", how) if not sections.get(title)]
        if missing:
            raise UserError(f"the judge's prompt {file} lacks the section {', '.join(missing)}.")
        instructions = f"{sections['system']}\n\n{sections[how]}"
        return cls(instructions, hashlib.sha256(instructions.encode()).hexdigest(), source)

    def messages(self, original: str, reference: str, answer: str) -> tuple[Message, ...]:
        material = {"original": original, "reference": reference, "answer": answer}
        return (
            Message("system", self.instructions),
            Message("user", json.dumps(material, ensure_ascii=False)),
        )


@dataclass(frozen=True)
class Member:
    """One model of a panel; a single judge is a panel of one."""

    name: str
    model: ModelConfig
    identity: Mapping[str, Any]
    """The model's part of every request key (`BackendSpec.identity`)."""
    sampling: Sampling

    @property
    def pool(self) -> str:
        return f"judge:{self.name}"


class RubricJudge(Judge):
    """Asks its members about each valid translation and reduces their scores to one."""

    kinds = ("llm", "panel")
    asks_models = True

    def __init__(
        self, config: JudgeConfig, members: Sequence[Member], prompt: JudgePrompt, note: str = ""
    ) -> None:
        check_rules(config.aggregate, config.tie)
        self.name = config.name
        self.members = tuple(members)
        self.pools = {member.pool: member.model for member in self.members}
        self.note = note
        self.prompt = prompt
        self.prompt_source = prompt.source
        self._config = config
        self.identity = {
            "judge": config.name,
            "version": VERSION,
            "prompt": prompt.fingerprint,
            "members": {member.name: _identity(member) for member in self.members},
            "decoding": config.decoding.value,
            "rationale": config.rationale,
            "repeats": config.repeats,
            "aggregate": config.aggregate if len(members) * config.repeats > 1 else "single",
            "tie": config.tie,
        }

    def questions(self, item: CXEI, prediction: Prediction) -> list[tuple[str, Request]]:
        if prediction.outcome is not Outcome.VALID:
            return []
        messages = self.prompt.messages(
            item.original_text, item.reference or "", prediction.predicted or ""
        )
        config = self._config
        # The rationale first, so that it is written before the score.
        why = {"rationale": {"type": "string"}} if config.rationale else {}
        schema = object_schema({**why, "score": {"type": "integer", "enum": [0, 1, 2]}})
        return [
            (
                member.pool,
                Request(
                    key="",
                    item_id=prediction.item_id,
                    task="judge",
                    variant=member.name,
                    repeat=repeat,
                    messages=messages,
                    sampling=member.sampling,
                    choices=("0", "1", "2") if config.decoding == "choice" else (),
                    json_schema=schema if config.decoding == "json" else None,
                ),
            )
            for member in self.members
            for repeat in range(config.repeats)
        ]

    def score(
        self,
        item: CXEI,
        prediction: Prediction,
        answers: Sequence[tuple[Request, Completion]],
    ) -> Judgement:
        """A member whose request failed makes the verdict `judge_failed` (the next run asks it
        again); one whose answer cannot be read is left out, if more than half can."""
        ordered = sorted(answers, key=lambda answer: (answer[0].variant, answer[0].repeat))
        item_id = prediction.item_id
        members = tuple(
            _verdict(item_id, asked.variant, *read_score(answer), asked.repeat)
            for asked, answer in ordered
        )
        lost = [answer.error.message for _, answer in ordered if answer.error is not None]
        scores = [verdict.score for verdict in members if verdict.score is not None]
        final: int | None = None
        if lost:
            why = lost[-1]
        elif 2 * len(scores) > len(members):
            final = aggregate(scores, self._config.aggregate, self._config.tie)
            why = "the panel is tied" if final is None else _rationale(members, final)
        else:
            unread = next(verdict.rationale for verdict in members if verdict.score is None)
            why = f"{unread}; another judge or judge.decoding=json may be read"
        return Judgement(_verdict(item_id, self.name, final, why, prediction.repeat), members)

    @classmethod
    def from_config(cls, config: JudgeConfig, model: ModelConfig) -> RubricJudge:
        """The judge or panel of a configuration; `model.family` is compared for the note."""
        decoding = config.decoding.value
        configured = dict(config.members)
        if config.model is not None:
            configured = {config.model.name: config.model, **configured}
        if not configured:
            raise UserError(
                f"judge={config.name} names no model: choose one with judge=llm "
                "model@judge.model=NAME, or list judge.members."
            )
        prompt = JudgePrompt.load(config.prompt, config.prompt_path, decoding, config.rationale)
        members: list[Member] = []
        same_family = []
        for key, member in configured.items():
            taken = {already.name for already in members}
            name = f"{member.name}#{key}" if member.name in taken else member.name
            sampling = Sampling(
                temperature=float(member.params.get("temperature", 0.0)),
                max_tokens=512 if config.rationale else 32,
            )
            identity = make_spec(member, BackendContext()).identity
            members.append(Member(name, member, identity, sampling))
            if member.family and member.family == model.family:
                same_family.append(name)
        note = (
            f"judge {', '.join(same_family)} is of the same family as the model under test "
            f"({model.family}): it may favour it"
        )
        return cls(config, members, prompt, note if same_family else "")


def _verdict(item_id: str, judge: str, score: int | None, why: str, repeat: int) -> Verdict:
    return Verdict(
        item_id, score, judge, "judge_failed" if score is None else "judged", why, repeat
    )


def _identity(member: Member) -> dict[str, Any]:
    """What decides a member's scores. Runs of before temperature was part of it had 0."""
    warm = member.sampling.temperature
    return {**member.identity, **({"temperature": warm} if warm else {})}


def _rationale(members: Sequence[Verdict], score: int) -> str:
    """The rationale of the first member that gave the final score."""
    return next((v.rationale for v in members if v.score == score and v.rationale), "")
