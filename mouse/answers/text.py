"""Reads a translation: what the model offers as the text, exactly as it wrote it.

Only packaging is taken off (code fence, JSON, label, lead-in line, quotes around the whole);
inside the text not a character is changed.
"""

from __future__ import annotations

import re
from itertools import pairwise

from mouse.answers.json_answer import TEXT_KEYS, find_json_answer
from mouse.answers.refusal import is_refusal_to_translate
from mouse.answers.types import Answer
from mouse.contracts import Outcome

_FENCE = re.compile(r"\A```[ \t]{0,8}[\w+-]{0,20}[ \t]{0,8}\n(.*?)\n?[ \t]{0,8}```\Z", re.DOTALL)
_NAME = (
    r"(?:标准(?:中文|汉语|普通话)?(?:译文|翻译|表达)?|规范(?:中文|汉语)|普通话|译文|翻译(?:结果|成标准中文|为标准中文|如下)?"
    r"|答案|还原(?:结果|后)?|standard chinese(?: translation)?|translation|translated text|answer|output)"
)
_LABEL = re.compile(
    rf"(?im)^[ \t]{{0,8}}(?:#{{1,6}}[ \t]{{0,8}})?\*{{0,3}}[【\[]?\*{{0,3}}(?P<final>最终|最后的?|final[ \t])?{_NAME}\*{{0,3}}"
    r"(?:[】\]]\*{0,3}[ \t]{0,8}[:：]?|[ \t]{0,8}[:：]\*{0,3})[ \t]{0,8}\*{0,3}[ \t]{0,8}"
)
_HEADING = re.compile(
    rf"(?im)^[ \t]{{0,8}}#{{1,6}}[ \t]{{0,8}}(?P<final>最终|final[ \t])?{_NAME}[ \t]{{0,8}}$"
)
_ASIDE = re.compile(
    r"(?im)^[ \t]{0,8}\*{0,3}[【\[(（]?\*{0,3}(?:注释?|说明|解释|解析|分析|理由|备注|原文|原句|注意|思路"
    r"|note|explanation|analysis|reason(?:ing)?|original)\*{0,3}(?:[】\]]|[ \t]{0,8}[:：])"
)
_LEAD_IN = re.compile(
    r"(?i)\A(?:[^\n。]{0,30}(?:译文|翻译|意思|标准中文|结果)[^\n。“”\"]{0,12}"
    r"|[^\n]{0,40}(?:translation|meaning)[^\n\"“]{0,30})[:：][ \t]{0,8}\n+"
)
_MEANS = re.compile(
    r"\A(?:这句(?:话|抽象话)?|该句(?:话)?|原文|原句|整句(?:话)?|它)?(?:的)?(?:标准中文)?(?:意思|含义|译文|翻译)(?:大致|应该|就)?(?:是|为)[:：]?\s*"
    r"(?P<quoted>[“「\"『][^\n]+[”」\"』])[。.]?\Z"
)
_MAX_WRAPPINGS = 8
_QUOTES = {"“": "”", "‘": "’", "「": "」", "『": "』", '"': '"', "'": "'", "`": "`"}


def read_text(text: str) -> Answer:
    """The translation in `text` (reasoning already taken out), or why there is none."""
    text = text.strip()
    fenced = _FENCE.match(text)
    inner = fenced[1].strip() if fenced else text
    if inner.startswith("{"):
        found = find_json_answer(inner, TEXT_KEYS)
        if found is not None and not found.rest.strip():
            return _from_values(found.values)
    elif "```json" in inner or '{"' in inner:
        found = find_json_answer(inner, TEXT_KEYS)
        if found is not None and any(found.values):
            return _from_values(found.values)
    offers = _labelled(inner)
    if offers:
        return _from_values(offers)
    if is_refusal_to_translate(inner):
        return Answer(Outcome.REFUSAL, None, "declines to translate")
    means = _MEANS.match(inner)
    if means:
        inner = means["quoted"]
    return _from_values([_LEAD_IN.sub("", inner, count=1)])


def has_label(text: str) -> bool:
    """Whether a line of the text says that what follows is the translation."""
    return _LABEL.search(text) is not None or _HEADING.search(text) is not None


def _labelled(text: str) -> list[str]:
    """The texts that stand under a label; those under a final label alone where there are any."""
    heads = sorted(
        [*_LABEL.finditer(text), *_HEADING.finditer(text)], key=lambda match: match.start()
    )
    if not heads:
        return []
    ends = [second.start() for _, second in pairwise(heads)] + [len(text)]
    offers: list[tuple[bool, str]] = []
    for head, end in zip(heads, ends, strict=True):
        body = text[head.end() : max(head.end(), end)]
        aside = _ASIDE.search(body)
        offers.append((head["final"] is not None, body[: aside.start()] if aside else body))
    final = [body for is_final, body in offers if is_final]
    return final or [body for _, body in offers if body.strip()] or [""]


def _from_values(values: list[str] | tuple[str, ...]) -> Answer:
    distinct = list(dict.fromkeys(unwrapped(value) for value in values))
    if len(distinct) > 1:
        return Answer(Outcome.UNPARSEABLE, None, f"{len(distinct)} translations that differ")
    if not distinct or not distinct[0]:
        return Answer(Outcome.UNPARSEABLE, None, "no text")
    return Answer(Outcome.VALID, distinct[0])


def unwrapped(text: str) -> str:
    """The text without white space, a code fence, emphasis or quotes around the whole of it."""
    for _ in range(_MAX_WRAPPINGS):
        before = text
        text = text.strip()
        fenced = _FENCE.match(text)
        if fenced:
            text = fenced[1].strip()
        for mark in ("**", "__"):
            if text.startswith(mark) and text.endswith(mark) and mark not in text[2:-2]:
                text = text[2:-2] if len(text) >= 4 else text
        closing = _QUOTES.get(text[:1])
        if closing and text[-1:] == closing and len(text) >= 2:
            inside = text[1:-1]
            if text[0] not in inside and closing not in inside:
                text = inside
        if text == before:
            break
    return text.strip()
