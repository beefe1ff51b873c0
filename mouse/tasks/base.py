"""What a task is: which items it asks about, how it asks, and how it reads what comes back.

A task file states the labels, the gold answer and the fields of one item; everything that the six
share (variants, repeats, k-shot examples, decoding, outcomes) is in `BaseTask`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from mouse.answers.read import read_answer
from mouse.answers.types import AnswerKind, LabelSet
from mouse.contracts import Completion, Outcome, Prediction, Request, Sampling, TaskCode
from mouse.corpus.items import CXEI, ChoiceItem, Dataset
from mouse.errors import UserError
from mouse.tasks.confidence import confidence
from mouse.tasks.prompts import Decoding, PromptSet, Template
from mouse.tasks.sampling import first_distinct, interleaved

Item = CXEI | ChoiceItem
ItemT = TypeVar("ItemT", bound=Item)


class Task(Protocol):
    """What `evaluate` needs of a task; all six are built on `BaseTask`."""

    code: ClassVar[TaskCode]
    variants: ClassVar[tuple[str, ...]]
    kind: ClassVar[AnswerKind]

    def items(self, dataset: Dataset) -> tuple[list[Any], int]:
        """The items with a gold answer in the data set's order, and how many lack one."""
        ...

    def labels(self, item: Any | None = None) -> tuple[str, ...]:
        """The canonical labels; for `ms` and `cc` those of the item; () for free text."""
        ...

    def variants_of(self, item: Any) -> tuple[str, ...]:
        """The variants for which this item has a gold answer."""
        ...

    def gold(self, item: Any, variant: str = "") -> str:
        """The gold answer: a canonical label, or the reference for `tr`."""
        ...

    def stratum(self, item: Any) -> Hashable:
        """What a stratified sample keeps in proportion: the gold label or labels."""
        ...

    def requests(
        self,
        items: Sequence[Any],
        prompts: PromptSet,
        *,
        sampling: Sampling,
        repeats: int = 1,
        shots: int = 0,
        pool: Sequence[Any] = (),
        seed: int = 0,
        decoding: Decoding = Decoding.free,
    ) -> Iterator[Request]:
        """The requests about these items, keys empty; see `BaseTask.requests`."""
        ...

    def read(self, request: Request, completion: Completion, item: Any) -> Prediction:
        """The one prediction of a request: its completion read into one outcome."""
        ...


class BaseTask(ABC, Generic[ItemT]):
    """The shared part of the six tasks."""

    code: ClassVar[TaskCode]
    variants: ClassVar[tuple[str, ...]] = ("",)
    kind: ClassVar[AnswerKind]

    @abstractmethod
    def candidates(self, dataset: Dataset) -> Sequence[ItemT]:
        """The data set's items of this task's type, with a gold answer or without."""

    @abstractmethod
    def gold_or_none(self, item: ItemT, variant: str) -> str | None:
        """The gold answer, or None where the data set does not say."""

    @abstractmethod
    def labels(self, item: ItemT | None = None) -> tuple[str, ...]:
        """The canonical labels; for `ms` and `cc` those of the item; () for free text."""

    @abstractmethod
    def label_set(self, item: ItemT) -> LabelSet:
        """The labels with the other names under which an answer may give them."""

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

    def stratum(self, item: ItemT) -> Hashable:
        return tuple(self.gold_or_none(item, variant) for variant in self.variants)

    def requests(
        self,
        items: Sequence[ItemT],
        prompts: PromptSet,
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
        same text. Mistakes
        (too few examples, an unknown decoding) raise `UserError` here, not at the first request.
        """
        if decoding not in tuple(Decoding):
            raise UserError(f"task.decoding={decoding!r} is not known: free, choice or json.")
        if shots < 0 or repeats < 1:
            raise UserError(
                f"prompt.shots={shots} must be 0 or more and repeats={repeats} 1 or more."
            )
        for variant in self.variants:
            template = prompts.template(self.code, variant)
            template.instructions(decoding)
            if shots and template.steps:
                raise UserError(
                    f"prompt.shots={shots} does not go with prompt template {template.name}.txt, "
                    "which asks to think first ([steps]): examples give bare answers. Use "
                    "prompt.shots=0, or a prompt without [steps]."
                )
        ordered = {
            variant: self._examples_in_order(pool, variant, seed)
            for variant in (self.variants if shots else ())
        }
        if shots:
            self._require_examples(ordered, shots)
        return self._generate(items, prompts, sampling, repeats, shots, ordered, decoding)

    def _generate(
        self,
        items: Sequence[ItemT],
        prompts: PromptSet,
        sampling: Sampling,
        repeats: int,
        shots: int,
        ordered: Mapping[str, Sequence[ItemT]],
        decoding: Decoding,
    ) -> Iterator[Request]:
        for variant in self.variants:
            template = prompts.template(self.code, variant)
            for item in items:
                if self.gold_or_none(item, variant) is None:
                    continue
                examples = [
                    (
                        self.fields(example),
                        self._example_answer(example, variant, template, decoding),
                    )
                    for example in self._examples_for(item, ordered.get(variant, ()), shots)
                ]
                messages = template.messages(self.fields(item), examples, decoding)
                labels = [self.answer_in(template, label) for label in self.labels(item)]
                for repeat in range(repeats):
                    yield Request(
                        key="",
                        item_id=item.id,
                        task=self.code,
                        variant=variant,
                        repeat=repeat,
                        messages=messages,
                        sampling=sampling,
                        choices=tuple(labels) if decoding == "choice" else (),
                        json_schema=answer_schema(labels) if decoding == "json" else None,
                        steps=bool(template.steps),
                        payload=self.payload(item, variant),
                    )

    def read(self, request: Request, completion: Completion, item: ItemT) -> Prediction:
        """Exactly one outcome: `failed` where there is no completion, else what the text says."""
        gold = self.gold(item, request.variant)
        if completion.error is not None:
            outcome, predicted, note = Outcome.FAILED, None, completion.error.message
        else:
            answer = read_answer(
                completion.text,
                kind=self.kind,
                labels=self.label_set(item),
                finish_reason=completion.finish_reason,
                prompt=prompt_text(request),
                steps=request.steps,
                reasoning=completion.reasoning,
            )
            outcome, predicted, note = answer.outcome, answer.value, answer.note
        return Prediction(
            item_id=request.item_id,
            variant=request.variant,
            gold=gold,
            predicted=predicted,
            outcome=outcome,
            raw_text=completion.text,
            task=self.code,
            repeat=request.repeat,
            reasoning=completion.reasoning,
            request_key=request.key or completion.request_key,
            note=note,
            confidence=(
                confidence(
                    self.label_set(item).names.get(predicted, (predicted,)), completion.logprobs
                )
                if predicted is not None and self.kind != "text"
                else None
            ),
            finish_reason=completion.finish_reason,
        )

    def _examples_in_order(self, pool: Sequence[ItemT], variant: str, seed: int) -> list[ItemT]:
        usable = [item for item in pool if self.gold_or_none(item, variant) is not None]
        return interleaved(
            usable, seed, lambda item: self._example_label(item, variant), balanced=True
        )

    def _example_label(self, item: ItemT, variant: str) -> Hashable:
        return "" if self.kind == "text" else self.gold(item, variant)

    def _examples_for(self, item: ItemT, ordered: Sequence[ItemT], shots: int) -> list[ItemT]:
        # The same order for every item: all prompts but those of the examples themselves then
        # share their examples, and with them the server's prefix cache.
        return first_distinct(ordered, shots, _identities, _identities(item))

    def _require_examples(self, ordered: Mapping[str, Sequence[ItemT]], shots: int) -> None:
        for variant, candidates in ordered.items():
            found = len(first_distinct(candidates, shots, _identities, ()))
            if found < shots:
                raise UserError(
                    f"prompt.shots={shots} needs {shots} unrelated examples with an answer for "
                    f"task {self.code} {variant}".rstrip()
                    + f", and there are {found}: lower prompt.shots, or give more in prompt.shots_from."
                )

    def _example_answer(
        self, example: ItemT, variant: str, template: Template, decoding: Decoding
    ) -> str:
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
