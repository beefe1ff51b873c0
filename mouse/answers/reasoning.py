"""Takes the reasoning that a model wrote into its text out of it."""

from __future__ import annotations

import re

_NAMES = r"(?:seed:)?think(?:ing)?|thoughts?|reasoning|reason|reflection|analysis"
_TAG = re.compile(
    rf"<\s*(?P<close1>/)?\s*(?:{_NAMES})\s*>"
    r"|\[(?P<close2>/)?THINK(?:ING)?\]"
    r"|◁(?P<close3>/)?think▷"
    r"|<\|(?P<open4>begin|start)_of_thought\|>|<\|(?P<close4>end)_of_thought\|>",
    re.IGNORECASE,
)


def strip_reasoning(text: str) -> tuple[str, bool]:
    """The text without reasoning blocks, and whether a block was still open at its end.

    A closing tag without an opening one ends reasoning whose opening tag was part of the chat
    template: all before it goes. Of an open block nothing is kept.
    """
    kept: list[str] = []
    position = 0
    inside = False
    for tag in _TAG.finditer(text):
        closing = any(tag[name] for name in ("close1", "close2", "close3", "close4"))
        if closing:
            if not inside:
                kept.clear()
            inside = False
            position = tag.end()
        elif not inside:
            kept.append(text[position : tag.start()])
            inside = True
    if inside:
        return "".join(kept), True
    kept.append(text[position:])
    return "".join(kept), False
