"""What a run asks: the tasks, their items, and one request for each question.

`make_plan` is pure: it turns a data set and a configuration into requests and knows no engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mouse.config.schema import RunConfig
from mouse.contracts import Decoding, Request, Sampling
from mouse.corpus.apart import apart
from mouse.corpus.items import CXEI, ChoiceItem, Dataset
from mouse.errors import UserError
from mouse.evaluation.data import load_data, load_examples
from mouse.models.base import BackendContext
from mouse.models.config import Thinking
from mouse.tasks.base import Task
from mouse.tasks.prompts import PromptSet
from mouse.tasks.registry import get_task, parse_tasks
from mouse.tasks.sampling import select

Item = CXEI | ChoiceItem


@dataclass(frozen=True)
class TaskPlan:
    """One task of a run: the items it asks about, and how many have no gold label for it."""

    task: Task[Any]
    items: Mapping[str, Item]
    not_applicable: int

    @property
    def code(self) -> str:
        return self.task.code

    @property
    def clusters(self) -> dict[str, str]:
        """Item id → the CXEI it belongs to, the unit of resampling."""
        return {key: item.cluster for key, item in self.items.items()}


@dataclass(frozen=True)
class Plan:
    """All that a run will ask, before anything is asked."""

    dataset: Dataset
    prompts: PromptSet
    tasks: tuple[TaskPlan, ...]
    sampling: Sampling
    repeats: int
    shots: int
    decoding: Decoding
    seed: int
    warnings: tuple[str, ...] = field(default=())
    examples: Dataset | None = None
    """Where few-shot examples come from, without those that stand in the data; None without any."""

    def requests(self) -> Iterator[Request]:
        """Every request of the run, task after task, made one at a time."""
        for plan in self.tasks:
            yield from self._requests(plan)

    def first_requests(self) -> list[Request]:
        """The first request of each task and variant, to look at."""
        found: dict[tuple[str, str], Request] = {}
        for plan in self.tasks:
            seen: set[str] = set()
            for request in self._requests(plan):
                seen.add(request.variant)
                found.setdefault((plan.code, request.variant), request)
                if len(seen) == len(plan.task.variants):
                    break
        return list(found.values())

    def _requests(self, plan: TaskPlan) -> Iterator[Request]:
        return plan.task.requests(
            list(plan.items.values()),
            self.prompts,
            sampling=self.sampling,
            repeats=self.repeats,
            shots=self.shots,
            pool=plan.task.items(self.examples)[0] if self.examples is not None else [],
            seed=self.seed,
            decoding=self.decoding,
        )

    @property
    def size(self) -> int:
        """Number of requests."""
        questions = sum(
            len(plan.task.variants_of(item)) for plan in self.tasks for item in plan.items.values()
        )
        return questions * self.repeats

    def context(self) -> BackendContext:
        """What a backend may know: label counts and the ids that are asked."""
        counts: dict[str, Counter[str]] = {}
        asked = set()
        for plan in self.tasks:
            for item_id, item in plan.items.items():
                for variant in plan.task.variants_of(item):
                    asked.add((item_id, plan.code, variant))
                    if plan.task.kind != "text":
                        name = f"{plan.code}/{variant}" if variant else plan.code
                        counts.setdefault(name, Counter())[plan.task.gold(item, variant)] += 1
        return BackendContext(counts, frozenset(asked), self.seed)


def stratum(item: Item) -> tuple[object, ...]:
    """What `limit=` keeps in proportion: intent and toxicity of a CXEI, the letter of a choice.

    The same for every task on CXEIs, so that a limited run asks all of them about the same items.
    """
    if isinstance(item, ChoiceItem):
        return (item.answer,)
    return (item.intent, item.toxicity)


def plan_run(config: RunConfig) -> Plan:
    """The plan of what a configuration names, data and examples loaded."""
    return make_plan(
        config, load_data(config), parse_tasks(config.task.names), load_examples(config)
    )


def make_plan(
    config: RunConfig,
    dataset: Dataset,
    codes: Sequence[str],
    examples: Dataset | None = None,
) -> Plan:
    """The plan of one run; `examples` are needed where `prompt.shots` asks for some.

    Raises `UserError` if no task has an item in this data set, or examples are missing.
    """
    prompts = PromptSet.load(config.prompt.name, config.prompt.path, tasks=codes)
    if config.prompt.shots and examples is None:
        raise UserError(
            f"prompt.shots={config.prompt.shots} needs examples that are not scored, and "
            f"data={dataset.name} has none apart: give some with prompt.shots_from=FILE"
        )
    plans: list[TaskPlan] = []
    warnings: list[str] = []
    if examples is not None:
        examples, scored_too = apart(examples, dataset)
        if scored_too:
            warnings.append(
                f"{scored_too} of the examples stand in the data as well: not used as examples"
            )
    for code in codes:
        task = get_task(code)
        items, left_out = task.items(dataset)
        if not items:
            warnings.append(f"data set {dataset.name!r} has no item for task {code}: left out")
            continue
        if left_out:
            warnings.append(f"{code}: {left_out} items have no label for this task: not asked")
        chosen = select(items, config.limit, config.seed, stratum)
        plans.append(TaskPlan(task, {item.id: item for item in chosen}, left_out))
    if not plans:
        raise UserError(
            f"data set {dataset.name!r} has no item for any of the tasks {', '.join(codes)}: "
            "choose other tasks, or see what it holds with python -m mouse.dataset describe."
            + "".join(f" {note}" for note in dataset.notes if "columns not used" in note)
        )
    return Plan(
        dataset=dataset,
        prompts=prompts,
        tasks=tuple(plans),
        sampling=sampling(config),
        repeats=config.task.repeats,
        shots=config.prompt.shots,
        decoding=config.task.decoding,
        seed=config.seed,
        warnings=tuple(warnings),
        examples=examples,
    )


def sampling(config: RunConfig) -> Sampling:
    """Sampling parameters of the model; `model.thinking=on` and a prompt raise the token limit.

    Raises `UserError` for a parameter that mouse does not send.
    """
    params = dict(config.model.params)
    known = {"temperature", "max_tokens", "top_p", "seed", "logprobs"}
    unknown = sorted(set(params) - known)
    if unknown:
        raise UserError(
            f"model.params has {', '.join(unknown)}, which mouse does not send: known are "
            f"{', '.join(sorted(known))}; a vendor's own parameter goes into model.extra_body."
        )
    if config.model.thinking is Thinking.on:
        params["max_tokens"] = max(
            int(params.get("max_tokens", 0)), config.model.thinking_max_tokens
        )
    if config.prompt.max_tokens is not None:
        params["max_tokens"] = max(int(params.get("max_tokens", 0)), config.prompt.max_tokens)
    try:
        return Sampling(**params)
    except TypeError as error:
        raise UserError(f"model.params cannot be used: {error}") from error
