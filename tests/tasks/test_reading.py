"""How a completion becomes a prediction: one outcome, the gold beside it, nothing lost."""

from __future__ import annotations

from typing import Any

import pytest

from mouse.contracts import Completion, CompletionError, Outcome, Prediction, Request, Sampling
from mouse.corpus.items import Dataset
from mouse.tasks.prompts import PromptSet
from mouse.tasks.registry import get_task


def read(
    code: str, dataset: Dataset, prompts: PromptSet, variant: str = "", **fields: Any
) -> tuple[Prediction, Request]:
    task = get_task(code)
    items, _ = task.items(dataset)
    decoding = fields.pop("decoding", "free")
    requests = task.requests(items, prompts, sampling=Sampling(), decoding=decoding)
    request = next(r for r in requests if r.variant == variant)
    completion = Completion(request_key="k", **fields)
    return task.read(request, completion, items[0]), request


@pytest.mark.parametrize(
    ("code", "variant", "text", "predicted", "gold"),
    [
        ("tr", "", "参考0", "参考0", "参考0"),
        ("rc", "visual", "是", "1", "1"),
        ("rc", "homophonic", "0", "0", "1"),
        ("ir", "", "情绪表达", "Emotional Expression", "Comment"),
        ("ir", "", "1", "Comment", "Comment"),
        ("ir", "", "Humor & Memes（幽默与梗）", "Humor & Memes", "Comment"),
        ("ir", "", "7. Urging", "Urging", "Comment"),
        ("td", "", "无毒", "0", "0"),
        ("ms", "", "选项B", "B", "A"),
        ("cc", "", "答案：（Ｃ）", "C", "A"),
    ],
)
@pytest.mark.parametrize("decoding", ["free", "json"])
def test_a_valid_answer(
    dataset: Dataset,
    prompts: PromptSet,
    code: str,
    variant: str,
    text: str,
    predicted: str,
    gold: str,
    decoding: str,
) -> None:
    written = f'{{"answer": "{predicted}"}}' if decoding == "json" else text
    prediction, _ = read(
        code, dataset, prompts, variant, text=written, finish_reason="stop", decoding=decoding
    )
    assert (prediction.outcome, prediction.predicted) == (Outcome.VALID, predicted)
    assert (prediction.gold, prediction.variant) == (gold, variant)
    assert (prediction.raw_text, prediction.task) == (written, code)
    assert prediction.request_key == "k"


@pytest.mark.parametrize("code", ["ir", "td", "ms", "cc"])
def test_the_prompt_sent_back_is_not_an_answer(
    dataset: Dataset, prompts: PromptSet, code: str
) -> None:
    _, request = read(code, dataset, prompts, text="", finish_reason="stop")
    for echo in (request.messages[-1].content, "\n\n".join(m.content for m in request.messages)):
        prediction, _ = read(code, dataset, prompts, text=echo, finish_reason="stop")
        assert prediction.outcome is Outcome.UNPARSEABLE


@pytest.mark.parametrize("code", ["tr", "rc", "ir", "td", "ms", "cc"])
def test_no_completion_is_a_failure_with_its_reason(
    dataset: Dataset, prompts: PromptSet, code: str
) -> None:
    variant = get_task(code).variants[0]
    error = CompletionError("server", "The server answered 503 six times.", 503)
    prediction, _ = read(code, dataset, prompts, variant, error=error)
    assert prediction.outcome is Outcome.FAILED
    assert prediction.predicted is None
    assert prediction.note == error.message


@pytest.mark.parametrize(
    ("reason", "text", "outcome"),
    [
        ("length", "让我想一想", Outcome.TRUNCATED),
        ("content_filter", None, Outcome.CONTENT_FILTERED),
        ("refusal", "我不能回答", Outcome.REFUSAL),
        ("context_length", None, Outcome.TRUNCATED),
        ("stop", "", Outcome.UNPARSEABLE),
    ],
)
def test_how_the_server_ended_decides_the_outcome(
    dataset: Dataset, prompts: PromptSet, reason: str, text: str | None, outcome: Outcome
) -> None:
    prediction, _ = read("td", dataset, prompts, text=text, finish_reason=reason)
    assert prediction.outcome is outcome
    assert prediction.predicted is None
    assert prediction.note


def test_confidence_comes_with_log_probabilities(dataset: Dataset, prompts: PromptSet) -> None:
    tokens = ({"token": "1", "logprob": -0.5, "top": {}},)
    prediction, _ = read("td", dataset, prompts, text="1", finish_reason="stop", logprobs=tokens)
    assert prediction.confidence == pytest.approx(0.6065, abs=1e-4)


@pytest.mark.parametrize(
    ("code", "variant", "text", "predicted"),
    [
        ("td", "", "有毒", "1"),
        ("td", "", "1（有毒）", "1"),
        ("td", "", "0，无毒", "0"),
        ("td", "", "有毒，回答 1。", "1"),
        ("td", "", "Not toxic.", "0"),
        ("rc", "semantic", "使用了", "1"),
        ("rc", "semantic", "1（使用了语义成分）", "1"),
        ("rc", "semantic", "没有使用语义成分。", "0"),
        ("rc", "semantic", "No, it does not.", "0"),
        ("ir", "", "Urging（催促）", "Urging"),
        ("ir", "", "7. Urging（催促）", "Urging"),
        ("ir", "", "Humor & Memes", "Humor & Memes"),
        ("ms", "", "B. 选项文01", "B"),
        ("ms", "", "选项文01", "B"),
        ("cc", "", "选项 C：选项文02", "C"),
    ],
)
def test_what_the_prompt_itself_names_is_still_an_answer(
    dataset: Dataset, prompts: PromptSet, code: str, variant: str, text: str, predicted: str
) -> None:
    """The wording of our prompts must not make a likely reply look like an echo of them."""
    prediction, _ = read(code, dataset, prompts, variant, text=text, finish_reason="stop")
    assert (prediction.predicted, prediction.note) == (predicted, "")
