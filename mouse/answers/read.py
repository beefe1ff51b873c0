"""From what a model wrote to an answer with exactly one outcome: the one entry of this package.

The order of reading: how the completion ended; reasoning out; the text as a whole; repetitions of
the prompt out; JSON; stated answers; refusal; a lone mention. Only what is read is normalised; a
translation comes back as it was written.
"""

from __future__ import annotations

import re

from mouse.answers import binary, label, letter
from mouse.answers.echo import remove_echo
from mouse.answers.json_answer import CLOSED_KEYS, find_json_answer
from mouse.answers.last_marker import from_last_marker
from mouse.answers.normalise import clip, plain
from mouse.answers.reasoning import strip_reasoning
from mouse.answers.refusal import is_refusal
from mouse.answers.statements import Group, Rating, at_the_edge, one_of, rate, stated
from mouse.answers.text import has_label, read_text
from mouse.answers.types import Answer, AnswerKind, LabelSet
from mouse.contracts import Outcome

_FENCE = re.compile(r"```[ \t]*[\w+-]{0,20}[ \t]*\n?|```")
_MAX_PROMPT = 200_000


def read_answer(
    text: str | None,
    *,
    kind: AnswerKind,
    labels: LabelSet,
    finish_reason: str | None = "stop",
    prompt: str | None = None,
    reasoning: str | None = None,
    steps: bool = False,
) -> Answer:
    """Read one completion. Never raises for what the text holds.

    `finish_reason` is `Completion.finish_reason`. `prompt` is the text that was sent, whose
    repetition is not read as an answer. `reasoning` came apart from the text and is never read;
    it only explains an empty text. `steps`: the prompt asked to think in the text first, so only
    what stands behind the last `答案：` or `Answer:` is read. Several different answers are
    unparseable, never the first.
    """
    if finish_reason == "content_filter":
        return Answer(Outcome.CONTENT_FILTERED, None, "filtered by the server")
    if finish_reason == "refusal":
        return Answer(Outcome.REFUSAL, None, "refused by the server")
    if finish_reason == "context_length":
        return Answer(Outcome.TRUNCATED, None, "the prompt did not fit")
    cut = finish_reason == "length"
    said, still_reasoning = strip_reasoning(text or "")
    if still_reasoning:
        return Answer(Outcome.TRUNCATED, None, "cut off while reasoning")
    said = said.strip()
    if not said:
        if cut:
            where = "while reasoning" if reasoning or (text or "").strip() else "before any text"
            return Answer(Outcome.TRUNCATED, None, f"cut off {where}")
        return Answer(Outcome.UNPARSEABLE, None, "empty")
    if steps:
        marked = from_last_marker(said)
        if marked is None and cut:
            return Answer(Outcome.TRUNCATED, None, "cut off before the answer")
        if marked is None and kind == "text":
            return _unmarked_translation(said)
        said = marked or said
    if kind == "text":
        return _read_translation(said, cut=cut, prompt=prompt)
    answer = _read_closed(clip(said), kind, labels, cut=cut, prompt=prompt)
    if answer is not None:
        return answer
    if cut:
        return Answer(Outcome.TRUNCATED, None, "cut off before an answer")
    return Answer(Outcome.UNPARSEABLE, None, "no answer found")


def _read_translation(text: str, *, cut: bool, prompt: str | None) -> Answer:
    if cut:
        return Answer(Outcome.TRUNCATED, None, "cut off at the token limit")
    if prompt:
        text = _without_whole_prompt(text, prompt)
        if not text.strip():
            return Answer(Outcome.UNPARSEABLE, None, "repeats the prompt")
    return read_text(text)


def _unmarked_translation(text: str) -> Answer:
    """A line alone, or a text that labels its translation otherwise; thinking is no translation."""
    answer = read_text(text)
    if answer.outcome is Outcome.VALID and "\n" in text.strip() and not has_label(text):
        return Answer(Outcome.UNPARSEABLE, None, "no line with the answer")
    return answer


def _without_whole_prompt(text: str, prompt: str) -> str:
    """The text after a complete repetition of the prompt at its start, white space aside.

    A part of the prompt stays: it may be the original, whose copy the copy filter judges.
    """
    position = 0
    for char in prompt[:_MAX_PROMPT]:
        if char.isspace():
            continue
        while position < len(text) and text[position].isspace():
            position += 1
        if position >= len(text) or text[position] != char:
            return text
        position += 1
    return text[position:]


def _read_closed(
    raw: str, kind: AnswerKind, labels: LabelSet, *, cut: bool, prompt: str | None
) -> Answer | None:
    unfenced = _FENCE.sub("\n", raw).strip()
    if unfenced.startswith("{"):
        answer, rest = _from_json(unfenced, kind, labels)
        if answer is not None and not rest.strip():
            return answer
    text = clip(plain(raw)).strip()  # again: NFKC makes eighteen characters of some
    answer = _whole(text, kind, labels)
    if answer is not None:
        return answer
    if prompt:
        known = [*labels.options.values(), *(n for names in labels.names.values() for n in names)]
        text = remove_echo(text, prompt, known).strip()
        if not text:
            return None
        answer = _whole(text, kind, labels)
        if answer is not None:
            return answer
    from_json, rest = _from_json(text, kind, labels)
    if from_json is not None:
        return _confirmed(from_json, rest, kind, labels)
    return _from_prose(text, kind, labels, cut=cut)


def _whole(text: str, kind: AnswerKind, labels: LabelSet) -> Answer | None:
    if kind == "letter":
        return letter.whole(text, labels)
    if kind == "label":
        return label.whole(text, labels)
    answer = binary.whole(text, labels)
    if answer is None:
        polarity = binary.is_statement(text, labels)
        if polarity is not None and not is_refusal(text):
            return Answer(Outcome.VALID, polarity)
    return answer


def _from_json(text: str, kind: AnswerKind, labels: LabelSet) -> tuple[Answer | None, str]:
    """What the objects in a text say, and the text without them."""
    found = find_json_answer(text, CLOSED_KEYS)
    if found is None:
        return None, text
    if not found.values:
        return None, found.rest
    read = [_read_value(value, kind, labels) for value in found.values]
    values = {answer.value for answer in read if answer.value is not None}
    if any(answer.value is None for answer in read):
        broken = next(answer for answer in read if answer.value is None)
        return broken, found.rest
    return one_of(frozenset(values)), found.rest


def _read_value(value: str, kind: AnswerKind, labels: LabelSet) -> Answer:
    text = plain(value).strip()
    answer = _whole(text, kind, labels) or _from_prose(text, kind, labels, cut=False)
    return answer or Answer(Outcome.UNPARSEABLE, None, "the JSON names no answer")


def _confirmed(answer: Answer, rest: str, kind: AnswerKind, labels: LabelSet) -> Answer:
    """The JSON's answer, unless the prose around it states another one."""
    if answer.value is None:
        return answer
    said = stated(_groups(rest, kind, labels), floor=Rating.ANSWER)
    if said is not None and said.value is not None and said.value != answer.value:
        return one_of(frozenset((said.value, answer.value)))
    return answer


def _groups(text: str, kind: AnswerKind, labels: LabelSet) -> list[Group]:
    if kind == "letter":
        return rate(text, letter.mentions(text, labels))
    if kind == "label":
        groups = rate(text, label.mentions(text, labels))
        return [
            group
            for group in groups
            if group.rating != Rating.MENTION or not all(m.loose for m in group.mentions)
        ]
    reading = binary.read_clauses(text, labels)
    concluded = [g for g in rate(text, reading.statements) if g.rating == Rating.FINAL]
    return [*rate(text, reading.bare), *concluded]


def _from_prose(text: str, kind: AnswerKind, labels: LabelSet, *, cut: bool) -> Answer | None:
    groups = _groups(text, kind, labels)
    answer = stated(groups)
    refused = is_refusal(text)
    if answer is not None and answer.outcome is Outcome.VALID:
        if not (kind == "binary" and refused and _yes_of_a_refusal(text)):
            return answer
        answer = None
    if refused:
        return Answer(Outcome.REFUSAL, None, "declines to answer")
    if answer is not None:
        return answer
    if cut:
        return None
    answer = at_the_edge(text, groups)
    if kind == "binary":
        said = binary.read_clauses(text, labels).statements
        polarities = {mention.label for mention in said}
        if answer is not None and answer.value is not None:
            polarities.add(answer.value)
        return one_of(polarities) if polarities else answer
    return answer


def _yes_of_a_refusal(text: str) -> bool:
    """Whether a yes or no opens the very sentence that refuses (`No, I can't help with that`)."""
    sentence = re.split(r"[。.!?\n]", text.lstrip(), maxsplit=1)[0]
    return re.search(r"\d|答案|answer", sentence) is None and is_refusal(sentence)
