"""The tags that models put around their reasoning, and the text without it."""

from __future__ import annotations

import re

_NAMES = r"(?:seed:)?think(?:ing)?|thoughts?|reasoning|reason|reflection|analysis"
_TAG = re.compile(
    rf"<\s*/?\s*(?:{_NAMES})\s*>|\[/?THINK(?:ING)?\]|◁/?think▷|<\|(?:begin|start|end)_of_thought\|>",
    re.IGNORECASE,
)


def _closes(tag: re.Match[str]) -> bool:
    return "/" in tag[0] or tag[0].lower() == "<|end_of_thought|>"


def strip_reasoning(text: str) -> tuple[str, bool]:
    """The text without reasoning blocks, and whether a block was still open at its end.

    A closing tag without an opening one ends reasoning whose opening tag was part of the chat
    template: all before it goes. Of an open block nothing is kept.
    """
    kept: list[str] = []
    position = 0
    inside = False
    for tag in _TAG.finditer(text):
        if _closes(tag):
            if not inside:
                kept.clear()
            inside = False
            position = tag.end()
        elif not inside:
            kept.append(text[position : tag.start()])
            inside = True
    if not inside:
        kept.append(text[position:])
    return "".join(kept), inside


def split_reasoning(text: str, opened: bool = False) -> tuple[str, str | None]:
    """(answer, reasoning) of a text that begins with one block of reasoning.

    `opened`: the chat template has begun the reasoning, so that the text lacks the opening tag.
    Reasoning that never ends stays in the text, with its opening tag, so that whoever reads the
    answer sees that it was cut off. A text that speaks of the tags later on comes back as it is.
    """
    tags = list(_TAG.finditer(text))
    begins = bool(tags) and not _closes(tags[0]) and not text[: tags[0].start()].strip()
    close = next((tag for tag in tags if _closes(tag)), None)
    if close is None:
        return ("<think>" + text if opened and not begins else text), None
    if tags[0] is not close and not begins and not opened:
        return text, None
    reasoning = text[tags[0].end() if begins else 0 : close.start()]
    return text[close.end() :].lstrip(), reasoning.strip() or None


def opens_reasoning(prompt_end: str) -> bool:
    """Whether a rendered prompt that ends so has begun the reasoning."""
    last = max(_TAG.finditer(prompt_end), key=re.Match.end, default=None)
    return last is not None and not _closes(last) and not prompt_end[last.end() :].strip()


def is_closing_tag(token: str) -> bool:
    """Whether a token of a model's vocabulary ends the reasoning."""
    tag = _TAG.fullmatch(token)
    return tag is not None and _closes(tag)
