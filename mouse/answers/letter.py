"""Reads the letter of one option, or one option's text.

A digit is no letter: `2` is read only where it is exactly one option's text. A letter together
with another option's text is a contradiction.
"""

from __future__ import annotations

import re

from mouse.answers.normalise import bare, squeezed
from mouse.answers.statements import Group, Mention, rate
from mouse.answers.types import Answer, LabelSet
from mouse.contracts import Outcome

ANSWER_PREFIX = re.compile(
    r"\A(?:(?:好的|okay|ok|sure)[,.!]\s*)?"
    r"(?:(?:(?:我|本题|此题|这里|空格处|空白处)?(?:的|认为|觉得|会|应该?)?(?:最终|正确|最后的?|参考)?(?:答案|选项|选择|回答|答|应选|应?填入?|选)\s*(?:应该?)?(?:是|为|选)?)"
    r"|(?:(?:my|the)\s+)?(?:final\s+|correct\s+|best\s+|right\s+)?(?:answer|choice|option|output|response)\s*(?:is|should be|would be)?"
    r"|(?:I\s+(?:choose|select|pick|think|believe)(?:\s+it\s+is|\s+it's)?))"
    r"\s*[:=]?\s*",
    re.IGNORECASE,
)
_LETTER = re.compile(r"(?<![A-Za-z0-9'])([A-H])(?![A-Za-z0-9'])")
_ARTICLE_AFTER = re.compile(
    r"\A\s+(?!(?:is|was|as|and|or|because|since|fits?|seems?|means?|matches|would|should|could|for|from|but|rather|over|with|makes|best|in|not|the|that|which|instead|if|does|doesn't|isn't|can|has|says|here|looks|sounds|conveys|expresses|captures|reflects|describes|refers)\b)[A-Za-z]",
    re.IGNORECASE,
)
_QUOTATION = re.compile(r"“[^”\n]{3,200}”|「[^」\n]{3,200}」|『[^』\n]{3,200}』|\"[^\"\n]{3,200}\"")
_LETTER_AND_REST = re.compile(
    r"\A(?:选项|option)?\s*[(\[【<]?\s*([A-Ha-h])\s*[)\]】>]?(?P<rest>(?:选项|项)?\s*[.:、,)\-(\[\s。].*)?\Z",
    re.DOTALL | re.IGNORECASE,
)


def whole(text: str, labels: LabelSet) -> Answer | None:
    """The answer where the text is nothing but a letter, an option's text, or both."""
    core = bare(text)
    for candidate in dict.fromkeys((core, bare(ANSWER_PREFIX.sub("", core, count=1)))):
        answer = _letter_with_text(candidate, labels) or _option_text(candidate, labels)
        if answer is not None:
            return answer
    return None


def _letter_with_text(text: str, labels: LabelSet) -> Answer | None:
    match = _LETTER_AND_REST.match(text)
    if match is None or match[1].upper() not in labels.labels:
        return None
    letter = match[1].upper()
    rest = match["rest"] or ""
    if not rest.strip():
        return Answer(Outcome.VALID, letter)
    if len(rest) > 4 * max(len(option) for option in labels.options.values()) + 40:
        return None
    if _option_text(text, labels):
        return None
    named = _option_text(rest, labels)
    if named is None:
        return None
    if named.value == letter:
        return named
    return Answer(Outcome.UNPARSEABLE, None, f"letter {letter} with the text of {named.value}")


def _option_text(text: str, labels: LabelSet) -> Answer | None:
    wanted = squeezed(text)
    if not wanted:
        return None
    letters = {letter for letter, option in labels.options.items() if squeezed(option) == wanted}
    if len(letters) == 1:
        return Answer(Outcome.VALID, letters.pop())
    return None


def groups(text: str, labels: LabelSet) -> list[Group]:
    """Capital letters that stand alone, the English article and quoted sentences left out."""
    quoted = [match.span() for match in _QUOTATION.finditer(text)]
    found: list[Mention] = []
    at = 0
    for match in _LETTER.finditer(text):
        while at < len(quoted) and quoted[at][1] <= match.start():
            at += 1
        if at < len(quoted) and quoted[at][0] <= match.start() < quoted[at][1]:
            continue
        if match[1] not in labels.labels:
            continue
        if match[1] == "A" and _ARTICLE_AFTER.match(text[match.end() : match.end() + 40]):
            continue
        found.append(Mention(match.start(), match.end(), match[1]))
    return rate(text, found)
