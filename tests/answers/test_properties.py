"""What must hold whatever a model writes: no exception, no echo read, no runaway time."""

import random
import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mouse.answers.read import read_answer
from mouse.answers.types import Answer, AnswerKind, LabelSet
from mouse.contracts import Outcome, Sampling
from mouse.corpus.items import CXEI, ChoiceItem, Components
from mouse.tasks.base import prompt_text
from mouse.tasks.prompts import PromptSet
from mouse.tasks.registry import get_task

OPTIONS = ("我喜欢你，真的很喜欢你", "我讨厌你", "我不认识你这个人到底是谁", "我想你了")
QUESTIONS: dict[str, tuple[AnswerKind, LabelSet]] = {
    "ms": ("letter", LabelSet.letters(OPTIONS)),
    "cc": ("letter", LabelSet.letters(OPTIONS)),
    "td": ("binary", get_task("td").label_set()),
    "rc": ("binary", get_task("rc").label_set()),
    "ir": ("label", get_task("ir").label_set()),
    "tr": ("text", LabelSet()),
}
CLOSED = ("ms", "cc", "td", "rc", "ir")
FINISH = (None, "stop", "length", "content_filter", "refusal", "context_length", "tool_calls")

FRAGMENTS = st.sampled_from(
    [
        "答案", "：", "是", "否", "不", "A", "B", "，", "或", "1", "0", "{", "}", '"answer"', ":",
        "[", "]", "```", "json\n", "<think>", "</think>", "\n", " ", "Comment", "催促", "\\boxed{",
        "“", "”", "*", "抱歉，", "我无法", "回答", "not", "toxic", ".", "译文：", "🅱️", "1️⃣", "\\u",
        "\ud83d", "\x00", "\u202e", "ﷺ", "所以", "不是", "选", "选项", "I can't ", "help", ",", "'",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.text(st.characters(codec=None), max_size=60),
    st.lists(FRAGMENTS, max_size=40).map("".join),
)


def read(
    text: str | None, task: str, prompt: str | None = None, finish: str | None = "stop"
) -> Answer:
    kind, labels = QUESTIONS[task]
    return read_answer(text, kind=kind, labels=labels, finish_reason=finish, prompt=prompt)


def prompts() -> dict[tuple[str, str, str], str]:
    """The project's real prompts, by task, variant and language."""
    cxei = CXEI("x1", "我稀饭泥🌶️", "我喜欢你了", Components(True, True, False), "Urging", 1)
    choice = {
        code: ChoiceItem(f"{code}1", code, "甲：你看那个视频了吗\n乙：看了", "我____泥", OPTIONS, "A")
        for code in ("ms", "cc")
    }  # fmt: skip
    found = {}
    for language in ("zh", "en"):
        prompt_set = PromptSet.load(name=language)
        for code in CLOSED:
            item = choice.get(code, cxei)
            for decoding in ("free", "json"):
                for request in get_task(code).requests(
                    [item], prompt_set, sampling=Sampling(), decoding=decoding
                ):
                    key = (code, f"{request.variant}/{decoding}", language)
                    found[key] = prompt_text(request)
    return found


PROMPTS = prompts()
ECHOES = st.sampled_from(sorted(PROMPTS))


@given(TEXTS, st.sampled_from(sorted(QUESTIONS)), st.sampled_from(FINISH), st.none() | TEXTS)
def test_no_text_makes_it_raise_and_every_value_is_a_label(text, task, finish, prompt) -> None:
    answer = read(text, task, prompt, finish)
    assert (answer.value is not None) == (answer.outcome is Outcome.VALID)
    if answer.value is not None and task != "tr":
        assert answer.value in QUESTIONS[task][1].labels
    assert answer.outcome not in (Outcome.COPIED, Outcome.FAILED)
    assert bool(answer.note) == (answer.outcome is not Outcome.VALID)


@given(
    TEXTS,
    st.sampled_from(sorted(QUESTIONS)),
    st.text(" \t\n\r\u3000\u00a0", max_size=6),
    st.text(" \t\n\r\u3000\u00a0", max_size=6),
)
@example(text="```1", task="td", before="", after="\r")
def test_white_space_around_a_text_changes_nothing(text, task, before, after) -> None:
    assert read(before + text + after, task) == read(text, task)


@given(st.data())
def test_a_translation_that_is_read_is_a_part_of_what_was_written(data) -> None:
    text = data.draw(TEXTS)
    answer = read(text, "tr")
    if answer.value is not None and "{" not in text:
        assert answer.value in text.replace("\r\n", "\n") or answer.value in text or "think" in text


def respaced(text: str, rng: random.Random) -> str:
    """Other white space for each run of it, and some between Chinese characters."""
    spaces = (" ", "\n", "\n\n", "\t", "  ", " \n ")
    text = re.sub(r"\s+", lambda _: rng.choice(spaces), text)
    return re.sub(
        r"(?<=[一-鿿])(?=[一-鿿])", lambda _: rng.choice(spaces) if rng.random() < 0.1 else "", text
    )


@given(ECHOES, st.randoms(use_true_random=False))
def test_an_echoed_prompt_is_never_an_answer(key, rng) -> None:
    prompt = PROMPTS[key]
    answer = read(respaced(prompt, rng), key[0], prompt)
    assert answer.outcome is not Outcome.VALID, answer


def line_starts(prompt: str) -> list[int]:
    return [0] + [match.end() for match in re.finditer(r"\n+|(?<=[。：，；])", prompt)]


@given(ECHOES, st.data(), st.randoms(use_true_random=False))
def test_a_part_of_the_prompt_is_never_an_answer(key, data, rng) -> None:
    """Any part from the start of a clause that is longer than one answer could be."""
    prompt = PROMPTS[key]
    start = data.draw(st.sampled_from(line_starts(prompt)))
    end = data.draw(st.integers(start, len(prompt)))
    part = prompt[start:end]
    if "\n" not in part.strip() or len(re.findall(r"[A-Za-z]+|[一-鿿]", part)) < 8:
        return
    if part.strip().split("\n")[0].strip(" .:：") in QUESTIONS[key[0]][1].labels:
        return
    answer = read(
        respaced(part, rng), key[0], prompt, data.draw(st.sampled_from(("stop", "length")))
    )
    assert answer.outcome is not Outcome.VALID, (part, answer)


@pytest.mark.parametrize("key", sorted(PROMPTS), ids="-".join)
def test_every_prefix_and_suffix_of_a_prompt_that_ends_at_a_line(key) -> None:
    prompt = PROMPTS[key]
    for cut in line_starts(prompt)[1:]:
        for part in (prompt[:cut], prompt[cut:]):
            if len(re.findall(r"[A-Za-z]+|[一-鿿]", part)) < 8 or "\n" not in part.strip():
                continue
            answer = read(part, key[0], prompt)
            assert answer.outcome is not Outcome.VALID, (part, answer)


ANSWERS = {"ms": "B", "cc": "D", "td": "1", "rc": "0", "ir": "Urging"}


@pytest.mark.parametrize("key", sorted(PROMPTS), ids="-".join)
@pytest.mark.parametrize(
    "form", ["{}", "\n{}", "\n答案：{}", "\nAnswer: {}", '\n{{"answer": "{}"}}']
)
def test_an_answer_behind_an_echoed_prompt_is_read(key, form) -> None:
    prompt, expected = PROMPTS[key], ANSWERS[key[0]]
    written = prompt + ("\n" if form == "{}" else "") + form.format(expected)
    assert read(written, key[0], prompt) == Answer(Outcome.VALID, expected)


@pytest.mark.parametrize("key", sorted(PROMPTS), ids="-".join)
def test_every_plain_answer_is_read_beside_its_prompt(key) -> None:
    """Removing echoes takes no answer away, though the prompt holds every one of them."""
    task = key[0]
    labels = QUESTIONS[task][1]
    for label in labels.labels:
        forms = [
            label,
            f"答案：{label}",
            f"Answer: {label}",
            f"**{label}**",
            f'{{"answer": "{label}"}}',
        ]
        if task in ("ms", "cc"):
            forms += [labels.options[label], f"{label}. {labels.options[label]}"]
            forms += [f"我选{label}，因为原句说的就是这个意思。"]
        if task == "ir":
            forms += [*labels.names[label], *(f"意图：{name}" for name in labels.names[label])]
        for form in forms:
            assert read(form, task, PROMPTS[key]) == Answer(Outcome.VALID, label), form


MEGABYTE = 1_000_000
UNITS = [
    "A", "a", "1", "0", " ", "\n", "{", "}", '"', "[", "`", "*", "_", "“", "不", "是", "选", "答", "抱",
    ",", ".", ":", "\\", "<", "\u200b", "ﷺ", "A ", "A或", "1 ", "是，", "不是", "<think>", "</think>",
    '{"a":', '{"answer":"A"}', "```\n", "答案：", "译文：", "译文：A\n", "Comment ", "抱歉，", "I ", "not ", "I can't ",
    "\\boxed{", "选A，", "A\n", "没有", "toxic ", "我喜欢你", "# ", "“我", "第", "我无法",
]  # fmt: skip


@pytest.mark.parametrize("task", ["td", "tr", "ms", "ir"])
@pytest.mark.parametrize("unit", UNITS)
def test_a_megabyte_of_anything_is_read_in_about_a_second(unit, task) -> None:
    """Processor time, with room for a busy machine; a quadratic pattern takes minutes."""
    text = (unit * (MEGABYTE // len(unit) + 1))[:MEGABYTE]
    started = time.process_time()
    read(text, task, PROMPTS.get((task, "/free", "zh")))
    assert time.process_time() - started < 3.0
