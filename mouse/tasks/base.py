"""What a task is: which items it asks about, how it asks, and how it reads what comes back.

A task file states the labels, the gold answer, the fields of one item and the metrics; everything
that tasks share (variants, repeats, k-shot examples, decoding, outcomes) is in `Task`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from mouse.answers.read import read_answer
from mouse.answers.types import AnswerKind, LabelSet
from mouse.contracts import Completion, Decoding, Message, Outcome, Prediction, Request, Sampling
from mouse.corpus.items import CXEI, ChoiceItem, Dataset
from mouse.errors import UserError
from mouse.metrics.metric import Column, Metric
from mouse.metrics.registry import plugged_metrics
from mouse.tasks.confidence import confidence
from mouse.tasks.sampling import first_distinct, interleaved
from mouse.tasks.template import Template, Templates

Item = CXEI | ChoiceItem
ItemT = TypeVar("ItemT", bound=Item)


class Task(ABC, Generic[ItemT]):
    """A task's declarations, which its class overrides, and what all tasks share."""

    code: ClassVar[str]
    """Two or more small letters: the name of the task on the command line and before its metrics."""
    title: ClassVar[str]
    title_zh: ClassVar[str] = ""
    kind: ClassVar[AnswerKind]
    variants: ClassVar[tuple[str, ...]] = ("",)
    """Questions that are asked about each item, each with a template and a table of its own."""
    placeholders: ClassVar[tuple[str, ...]] = ("text",)
    """What the `[user]` section of its templates must hold; `fields` fills them."""
    prompts: ClassVar[Path | None] = None
    """Folder of a plug-in's own templates, with a sub-folder for each prompt set (`zh`)."""
    headline: ClassVar[tuple[Metric, ...]]
    """With variants, the means over them are the headline and each variant's stand below."""
    also: ClassVar[tuple[Metric, ...]] = ()
    judged: ClassVar[bool] = False
    """Whether an answer is scored 0, 1 or 2 by a judge, after the copy filter."""
    label_titles: ClassVar[Mapping[str, str]] = {}
    """Label → how figures show it; a label without one is shown as it is."""
    variant_titles: ClassVar[Mapping[str, str]] = {}
    lexicon_rule: ClassVar[str] = ""
    """The rule by which `model=lexicon` answers: a method of `noisy_channel.answers.Answerer`."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Every number that the task reports, headline first, metrics of plug-ins last."""
        metrics = (*self.headline, *self.also, *plugged_metrics(self.code))
        if doubled := {m.name for m in metrics if [n.name for n in metrics].count(m.name) > 1}:
            raise UserError(
                f"task {self.code} has two metrics {doubled.pop()!r}: rename the plug-in's"
            )
        if self.variants == ("",):
            return tuple(Column(f"{self.code}/{metric.name}", metric, (0,)) for metric in metrics)
        tables = tuple(range(len(self.variants)))
        means = [Column(f"{self.code}/{metric.name}", metric, tables) for metric in self.headline]
        each = [
            Column(f"{self.code}/{metric.name}_{variant}", metric, (table,))
            for metric in metrics
            for table, variant in enumerate(self.variants)
        ]
        return (*means, *each)

    @property
    def headline_names(self) -> tuple[str, ...]:
        """Full names (`td/acc`) of the headline metrics."""
        return tuple(f"{self.code}/{metric.name}" for metric in self.headline)

    @property
    def templates(self) -> Mapping[str, str]:
        """Template name (file stem) → variant."""
        return {f"{self.code}_{v}" if v else self.code: v for v in self.variants}

    def table_labels(self, seen: Collection[str]) -> tuple[str, ...]:
        """Rows of a confusion matrix over items whose gold or given labels are `seen`."""
        return self.labels()

    @abstractmethod
    def gold_or_none(self, item: ItemT, variant: str) -> str | None:
        """The gold answer, or None where the data set does not say."""

    @abstractmethod
    def label_set(self, item: ItemT | None = None) -> LabelSet:
        """The labels of an item with the other names under which an answer may give them."""

    def labels(self, item: ItemT | None = None) -> tuple[str, ...]:
        """The canonical labels; for `ms` and `cc` those of the item; () for free text."""
        return self.label_set(item).labels

    def candidates(self, dataset: Dataset) -> Sequence[ItemT]:
        """The data set's items of this task's type, with a gold answer or without."""
        return dataset.cxeis  # type: ignore[return-value]

    def answer_in(self, template: Template, label: str) -> str:
        """A label as an answer to this template gives it; the reader takes every name of it."""
        return label

    def fields(self, item: ItemT) -> dict[str, str]:
        """What fills the template's placeholders."""
        return {"text": text_of(item)}

    def payload(self, item: ItemT, variant: str) -> dict[str, Any]:
        """The item's content for backends that do not read prose; never a gold answer."""
        return {"text": text_of(item)}

    def items(self, dataset: Dataset) -> tuple[list[ItemT], int]:
        candidates = self.candidates(dataset)
        kept = [item for item in candidates if self.variants_of(item)]
        return kept, len(candidates) - len(kept)

    def variants_of(self, item: ItemT) -> tuple[str, ...]:
        return tuple(v for v in self.variants if self.gold_or_none(item, v) is not None)

    def gold(self, item: ItemT, variant: str = "") -> str:
        answer = self.gold_or_none(item, variant)
        if answer is None:
            raise ValueError(f"item {item.id} has no gold answer for {self.code} {variant}".strip())
        return answer

    def requests(
        self,
        items: Sequence[ItemT],
        prompts: Templates,
        *,
        sampling: Sampling,
        repeats: int = 1,
        shots: int = 0,
        pool: Sequence[ItemT] = (),
        seed: int = 0,
        decoding: Decoding = Decoding.free,
    ) -> Iterator[Request]:
        """One request an item, variant and repeat, lazily; those with a common beginning together.

        `shots` examples come from `pool`, which no scored item should be in, chosen by `seed`, with
        every label in turn; never an item of the same cluster as the one asked about, or with the
        same text. Mistakes (too few examples, an unknown decoding) raise `UserError` here, not at
        the first request.
        """
        if decoding not in tuple(Decoding):
            raise UserError(f"task.decoding={decoding!r} is not known: free, choice or json.")
        if shots < 0 or repeats < 1:
            raise UserError(
                f"prompt.shots={shots} must be 0 or more and repeats={repeats} 1 or more."
            )
        templates = {variant: prompts.template(self.code, variant) for variant in self.variants}
        ordered = {variant: self._in_order(pool, variant, seed) for variant in self.variants}
        for variant, template in templates.items():
            template.instructions(decoding)
            if shots and template.steps:
                raise UserError(
                    f"prompt.shots={shots} does not go with prompt template {template.name}.txt, "
                    "which asks to think first ([steps]): examples give bare answers. Use "
                    "prompt.shots=0, or a prompt without [steps]."
                )
            found = len(first_distinct(ordered[variant], shots, _identities, ()))
            if found < shots:
                raise UserError(
                    f"prompt.shots={shots} needs {shots} unrelated examples with an answer for "
                    f"task {self.code} {variant}".rstrip()
                    + f", and there are {found}: lower prompt.shots, or give more in prompt.shots_from."
                )

        def messages(item: ItemT, variant: str, template: Template) -> tuple[Message, ...]:
            # The same order for every item: all prompts but those of the examples themselves
            # then share their examples, and with them the server's prefix cache.
            shown = first_distinct(ordered[variant], shots, _identities, _identities(item))
            examples = [
                (self.fields(one), self._written(one, variant, template, decoding)) for one in shown
            ]
            return template.messages(self.fields(item), examples, decoding)

        def made() -> Iterator[Request]:
            for variant, item in product(self.variants, items):
                if self.gold_or_none(item, variant) is None:
                    continue
                template = templates[variant]
                labels = [self.answer_in(template, label) for label in self.labels(item)]
                first = Request(
                    key="",
                    item_id=item.id,
                    task=self.code,
                    variant=variant,
                    repeat=0,
                    messages=messages(item, variant, template),
                    sampling=sampling,
                    choices=tuple(labels) if decoding == "choice" else (),
                    json_schema=answer_schema(labels) if decoding == "json" else None,
                    steps=bool(template.steps),
                    payload=self.payload(item, variant),
                )
                yield from (replace(first, repeat=repeat) for repeat in range(repeats))

        return made()

    def read(self, request: Request, completion: Completion, item: ItemT) -> Prediction:
        """Exactly one outcome: `failed` where there is no completion, else what the text says."""
        labels = self.label_set(item)
        sure = None
        if completion.error is not None:
            outcome, predicted, note = Outcome.FAILED, None, completion.error.message
        else:
            answer = read_answer(
                completion.text,
                kind=self.kind,
                labels=labels,
                finish_reason=completion.finish_reason,
                prompt=prompt_text(request),
                steps=request.steps,
                reasoning=completion.reasoning,
            )
            outcome, predicted, note = answer.outcome, answer.value, answer.note
            if predicted is not None and self.kind != "text":
                names = labels.names.get(predicted, (predicted,))
                sure = confidence(names, completion.logprobs)
        return Prediction(
            item_id=request.item_id,
            variant=request.variant,
            gold=self.gold(item, request.variant),
            predicted=predicted,
            outcome=outcome,
            raw_text=completion.text,
            task=self.code,
            repeat=request.repeat,
            reasoning=completion.reasoning,
            request_key=request.key or completion.request_key,
            note=note,
            confidence=sure,
            finish_reason=completion.finish_reason,
        )

    def _in_order(self, pool: Sequence[ItemT], variant: str, seed: int) -> list[ItemT]:
        """The pool in the order in which examples are taken: every label in turn."""
        usable = [item for item in pool if self.gold_or_none(item, variant) is not None]
        free = self.kind == "text"
        return interleaved(
            usable, seed, lambda item: "" if free else self.gold(item, variant), balanced=True
        )

    def _written(self, example: ItemT, variant: str, template: Template, decoding: Decoding) -> str:
        answer = self.answer_in(template, self.gold(example, variant))
        return json.dumps({"answer": answer}, ensure_ascii=False) if decoding == "json" else answer


def text_of(item: Item) -> str:
    """The expression under evaluation, exactly as the data set has it."""
    return item.original_text if isinstance(item, CXEI) else item.text


def answer_schema(labels: Sequence[str]) -> dict[str, Any]:
    """JSON schema of `{"answer": …}`, closed to the labels where there are any."""
    answer: dict[str, Any] = {"type": "string"}
    if labels:
        answer["enum"] = list(labels)
    return {
        "type": "object",
        "properties": {"answer": answer},
        "required": ["answer"],
        "additionalProperties": False,
    }


def prompt_text(request: Request) -> str:
    """Instructions and item, without the examples (whose answers a model may rightly repeat)."""
    system = [message.content for message in request.messages if message.role == "system"]
    return "\n\n".join([*system, request.messages[-1].content])


def _identities(item: Item) -> tuple[Hashable, ...]:
    context = item.context if isinstance(item, ChoiceItem) else ""
    return (("id", item.id), ("cluster", item.cluster), ("text", text_of(item), context))
