"""From what a model wrote to an answer with exactly one outcome: the one entry of this package.

The order of reading: how the completion ended; reasoning out; the text as a whole; repetitions of
the prompt out; JSON; stated answers; refusal; a lone mention. Only what is read is normalised; a
translation comes back as it was written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mouse.answers import binary, label, letter
from mouse.answers.echo import remove_echo
from mouse.answers.json_answer import CLOSED_KEYS, find_json_answer
from mouse.answers.last_marker import from_last_marker
from mouse.answers.normalise import clip, plain
from mouse.answers.reasoning import strip_reasoning
from mouse.answers.refusal import is_refusal
from mouse.answers.statements import Group, Rating, at_the_edge, one_of, stated
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
    answer = _Closed(kind, labels).read(clip(said), cut=cut, prompt=prompt)
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


@dataclass(frozen=True, slots=True)
class _Closed:
    """Reads the answer to a question with a closed set of labels; None where there is none."""

    kind: AnswerKind
    labels: LabelSet

    def read(self, raw: str, *, cut: bool, prompt: str | None) -> Answer | None:
        unfenced = _FENCE.sub("\n", raw).strip()
        if unfenced.startswith("{"):
            answer, rest = self._from_json(unfenced)
            if answer is not None and not rest.strip():
                return answer
        text = clip(plain(raw)).strip()  # again: NFKC makes eighteen characters of some
        answer = self._whole(text)
        if answer is not None:
            return answer
        if prompt:
            names = [name for names in self.labels.names.values() for name in names]
            text = remove_echo(text, prompt, [*self.labels.options.values(), *names]).strip()
            answer = self._whole(text) if text else None
            if not text or answer is not None:
                return answer
        answer, rest = self._from_json(text)
        if answer is None:
            return self._from_prose(text, cut=cut)
        if answer.value is not None:
            # The JSON's answer counts, unless the prose around it states another one.
            said = stated(self._groups(rest), floor=Rating.ANSWER)
            if said is not None and said.value is not None:
                return one_of({said.value, answer.value})
        return answer

    def _whole(self, text: str) -> Answer | None:
        return _SCANNERS[self.kind].whole(text, self.labels)

    def _groups(self, text: str) -> list[Group]:
        return _SCANNERS[self.kind].groups(text, self.labels)

    def _from_json(self, text: str) -> tuple[Answer | None, str]:
        """What the objects in a text say, and the text without them."""
        found = find_json_answer(text, CLOSED_KEYS)
        if found is None:
            return None, text
        values = set()
        for source in found.values:
            value = plain(source).strip()
            answer = self._whole(value) or self._from_prose(value, cut=False)
            if answer is None or answer.value is None:
                unnamed = Answer(Outcome.UNPARSEABLE, None, "the JSON names no answer")
                return answer or unnamed, found.rest
            values.add(answer.value)
        return one_of(values) if values else None, found.rest

    def _from_prose(self, text: str, *, cut: bool) -> Answer | None:
        groups = self._groups(text)
        answer = stated(groups)
        refused = is_refusal(text)
        if answer is not None and answer.outcome is Outcome.VALID:
            if not (self.kind == "binary" and refused and _yes_of_a_refusal(text)):
                return answer
            answer = None
        if refused:
            return Answer(Outcome.REFUSAL, None, "declines to answer")
        if answer is not None or cut:
            return answer
        answer = at_the_edge(text, groups)
        if self.kind == "binary":
            said = {mention.label for mention in binary.read_clauses(text, self.labels)[1]}
            if answer is not None and answer.value is not None:
                said.add(answer.value)
            return one_of(said) if said else answer
        return answer


_SCANNERS = {"letter": letter, "label": label, "binary": binary}


def _yes_of_a_refusal(text: str) -> bool:
    """Whether a yes or no opens the very sentence that refuses (`No, I can't help with that`)."""
    sentence = re.split(r"[。.!?\n]", text.lstrip(), maxsplit=1)[0]
    return re.search(r"\d|答案|answer", sentence) is None and is_refusal(sentence)
