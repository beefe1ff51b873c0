"""What passes between the parts of mouse: requests, completions, predictions, verdicts, results.

This module owns the shapes only. Who makes them: tasks make requests and predictions, backends
make completions, judges make verdicts, metrics make metric values, `evaluate` puts them in a
`RunResult`. It imports the standard library alone, so every part may import it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal


class Outcome(StrEnum):
    """How one request ended. Every request ends in exactly one; they add up to n."""

    VALID = "valid"
    REFUSAL = "refusal"
    UNPARSEABLE = "unparseable"
    TRUNCATED = "truncated"
    COPIED = "copied"
    CONTENT_FILTERED = "content_filtered"
    FAILED = "failed"

    @property
    def is_answer(self) -> bool:
        """False for `failed` alone: transport, quota or judge failure is not an answer."""
        return self is not Outcome.FAILED


class Decoding(StrEnum):
    """How an answer is held to the labels: not at all, by choice, by JSON schema.

    `free` is what the paper's "all else at its default" comes to; it names no constraint.
    """

    free = "free"
    choice = "choice"
    json = "json"


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message in the OpenAI sense."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling parameters; the defaults are the paper's (temperature 0, 128 output tokens)."""

    temperature: float = 0.0
    max_tokens: int = 128
    top_p: float | None = None
    seed: int | None = None
    logprobs: int | None = None
    """Number of alternatives a token to report (0-20), or None for no log-probabilities."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to one model.

    `key` is empty until the engine fills it (`mouse.engine.keys`). `payload` carries the item's
    content in structured form (never a gold label) for backends that do not read prose; it
    follows from the item, so it is not part of the key.
    """

    key: str
    item_id: str
    task: str
    """A task code, or `judge` for a question to a judge."""
    variant: str
    """The sub-task (`homophonic`, …) or the judge's name; empty if none."""
    repeat: int
    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    choices: tuple[str, ...] = ()
    """Answers the decoder is held to (`task.decoding=choice`); empty for free text."""
    json_schema: Mapping[str, Any] | None = None
    """JSON schema the decoder is held to (`task.decoding=json`)."""
    steps: bool = False
    """The prompt asks to think in the text first, so that the answer is what stands behind its last
    `答案：` or `Answer:`. It follows from the messages, so it is not part of the key."""
    payload: Mapping[str, Any] = field(default_factory=dict)
    about: tuple[str, int] = ("", 0)
    """A judge's question: task and repeat of the answer it asks about, which are no part of the
    key, because the same answer gets the same score."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one completion, as the server counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False


ErrorKind = Literal[
    "transport",  # connection refused, reset, body cut off
    "timeout",
    "rate_limit",  # 429 that outlived its retries
    "server",  # 5xx, or a 200 that holds no completion
    "auth",  # 401/403: stops the run
    "quota",  # 402 or a vendor's «insufficient quota»: stops the run
    "bad_request",  # 400/404/422: the request itself is refused
    "resources",  # out of memory, no GPU
    "actor_died",
    "budget",  # not sent, because the run's budget is spent
    "missing",  # replay: nobody answered this item
    "cancelled",
    "internal",
]


@dataclass(frozen=True, slots=True)
class CompletionError:
    """Why there is no completion. Plain data: exceptions of SDKs do not unpickle."""

    kind: ErrorKind
    message: str
    """One sentence, free of secrets."""
    status: int | None = None
    fatal: bool = False
    """True where every further request would fail alike, so that the run stops at once."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back for one request. Exactly one of `error` and `finish_reason` is set.

    `finish_reason` is OpenAI's (`stop`, `length`, `content_filter`) plus `refusal` (the server's
    own refusal field, whose text is in `text`) and `context_length` (the prompt did not fit).
    """

    request_key: str
    text: str | None = None
    reasoning: str | None = None
    finish_reason: str | None = None
    logprobs: tuple[Mapping[str, Any], ...] | None = None
    """One mapping a generated token: {"token", "logprob", "top": {token: logprob}}."""
    usage: Usage | None = None
    latency_s: float | None = None
    model_reported: str | None = None
    attempts: int = 1
    error: CompletionError | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """One request read: the gold answer, what was predicted, and how the request ended."""

    item_id: str
    variant: str
    gold: str
    predicted: str | None
    """A label of the task (or the translation); None unless the outcome is valid or copied."""
    outcome: Outcome
    raw_text: str | None
    task: str = ""
    repeat: int = 0
    reasoning: str | None = None
    request_key: str = ""
    note: str = ""
    """Why it is not valid, in a few words (`two answers: A, C`)."""
    confidence: float | None = None
    """Probability of the predicted label where log-probabilities exist, in [0, 1]."""
    finish_reason: str | None = None
    """`Completion.finish_reason`, without which the raw text cannot be read again alike."""


VerdictStatus = Literal[
    "judged",
    "copied",  # 0 by the copy filter
    "invalid_answer",  # 0 by its outcome: refused, unreadable, truncated, filtered
    "unscored",  # judge=none
    "failed",  # no answer to judge; in runs of before `judge_failed`, that as well
    "judge_failed",  # the judge did not answer, or not readably: the next run asks it again
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's score of one translation: 2 right, 1 minor deviations, 0 wrong, None where failed
    or unscored."""

    item_id: str
    score: int | None
    judge: str
    status: VerdictStatus
    rationale: str = ""
    repeat: int = 0

    @property
    def is_failed(self) -> bool:
        return self.status in ("failed", "judge_failed")


def ended(prediction: Prediction, verdict: Verdict | None) -> Outcome:
    """How a request ended for the ledger: `failed` too where the judge of a valid answer failed."""
    if prediction.outcome is Outcome.VALID and verdict is not None and verdict.is_failed:
        return Outcome.FAILED
    return prediction.outcome


@dataclass(frozen=True, slots=True)
class MetricValue:
    """One number with what is needed to trust it.

    `value` counts refusals, unparseable, truncated and filtered answers as wrong. `lo`, `hi`:
    the 95% interval. `worst`, `best`: bounds where requests failed (equal to `value` where none
    did). `valid_only`: the same metric over valid answers alone. NaN where undefined, with
    `note` saying why.
    """

    name: str
    value: float
    lo: float
    hi: float
    n: int
    worst: float
    best: float
    valid_only: float
    higher_is_better: bool = True
    unit: str = "share"
    """`share` in [0, 1], `coefficient` in [-1, 1], or `count`."""
    method: str = ""
    note: str = ""


@dataclass(frozen=True)
class TaskResult:
    """All that one task of a run produced."""

    task: str
    predictions: tuple[Prediction, ...]
    metrics: tuple[MetricValue, ...]
    verdicts: tuple[Verdict, ...] = ()
    member_verdicts: tuple[Verdict, ...] = ()
    """One a judge and repeat of a panel; empty for a single judge."""
    rated_verdicts: tuple[Verdict, ...] = ()
    """What the judge gave the translations that come with ratings, by the ids of those."""
    not_applicable: int = 0
    """Items of the data set without a gold label for this task, which were not asked."""

    @property
    def rows(self) -> Iterator[tuple[Prediction, Verdict | None]]:
        """Each prediction with its verdict, paired by item and repeat."""
        return with_verdicts(self.predictions, self.verdicts)

    @property
    def ledger(self) -> dict[str, int]:
        """Number of predictions by how they ended, every outcome named, zeros included."""
        counts = dict.fromkeys((outcome.value for outcome in Outcome), 0)
        for prediction, verdict in self.rows:
            counts[ended(prediction, verdict).value] += 1
        return counts


def with_verdicts(
    predictions: Iterable[Prediction], verdicts: Iterable[Verdict]
) -> Iterator[tuple[Prediction, Verdict | None]]:
    """Each prediction with its verdict, paired by item and repeat; None where it has none."""
    found = {(verdict.item_id, verdict.repeat): verdict for verdict in verdicts}
    return ((one, found.get((one.item_id, one.repeat))) for one in predictions)


@dataclass(frozen=True, slots=True)
class JudgeValidation:
    """Whether the judge agrees with ratings as far as `judge.min_qwk` asks.

    `validated`: None where nothing was asked for. `reason`: why not, in one sentence.
    """

    validated: bool | None = None
    reason: str = ""


@dataclass(frozen=True)
class RunResult:
    """One model evaluated on one or more tasks of one data set."""

    model: str
    data: str
    fingerprint: str
    tasks: tuple[TaskResult, ...]
    usage: Mapping[str, float]
    """`prompt_tokens`, `completion_tokens`, `cost_usd` (NaN if no price), `requests`,
    `cache_hits`, `attempts`, `latency_p50_s`, `latency_p95_s`, `wall_s`."""
    judge: Mapping[str, float] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    judge_validation: JudgeValidation = JudgeValidation()

    @property
    def complete(self) -> bool:
        return all(task.ledger["failed"] == 0 for task in self.tasks)
