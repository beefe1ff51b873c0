"""Reads one of a closed set of names, in any of its languages, or its number in the list."""

from __future__ import annotations

import re
from functools import lru_cache

from mouse.answers.normalise import bare, characters
from mouse.answers.statements import Group, Mention, Rating, rate
from mouse.answers.types import Answer, LabelSet
from mouse.contracts import Outcome

_NUMBER = r"(?<![\d.\-A-Za-z])(?<!第)(?<!\d[,:])([1-9]\d?)(?![\d%A-Za-z]|\.\d|\s?[个条种句次点年月日字人位])"
_WHOLE_NUMBER = re.compile(
    r"\A(?:(?:答案|意图|类别|分类|标签|选项|选择|选|第|answer|intent|category|label|option|class|number|no)[\s:.=是为]*)*"
    r"(\d{1,3})\s*(?:类|号|项|个)?\Z",
    re.IGNORECASE,
)
_GLOSS = re.compile(r"\([^()\n]{1,60}\)?\Z")
"""What explains a name: `评价(吐槽,赞扬等)`, whose last parenthesis `bare` has taken off."""
_SUBJECT_BEFORE = re.compile(r"(?:[这该此本][条个段则篇句]?|的|发表|用户|一条)\Z")


@lru_cache(maxsize=32)
def _compiled(
    key: tuple[tuple[str, str, bool], ...], numbered: int
) -> tuple[re.Pattern[str], dict[str, tuple[str, bool]]]:
    """One pattern over all names, the longest first, and what each stands for."""
    known: dict[str, tuple[str, bool]] = {}
    patterns: list[str] = []
    for name, label, loose in sorted(key, key=lambda entry: (-len(entry[0]), entry[2])):
        folded = _fold(name)
        if folded in known:
            continue
        known[folded] = (label, loose)
        patterns.append(_pattern(name))
    names = "|".join(patterns)
    number = f"|{_NUMBER}" if numbered else "|(?!)()"
    return re.compile(f"(?P<name>{names}){number}", re.IGNORECASE), known


def _pattern(name: str) -> str:
    pieces = re.split(r"[\s_-]+", characters(name).strip())
    inner = r"[\s_-]{0,3}".join(
        r"(?:&|and|与|和|及)" if piece in ("&", "and") else re.escape(piece) for piece in pieces
    )
    if re.match(r"[A-Za-z]", name):
        inner = rf"(?<![A-Za-z]){inner}"
    return rf"{inner}(?![A-Za-z])" if re.search(r"[A-Za-z]\Z", name) else inner


def _fold(text: str) -> str:
    return re.sub(r"[\s_&-]+|\band\b|[与和及](?=.)", "", characters(text)).casefold()


def _table(labels: LabelSet) -> tuple[re.Pattern[str], dict[str, tuple[str, bool]]]:
    key = [(name, label, False) for label, names in labels.names.items() for name in names]
    key += [(name, label, True) for label, names in labels.aliases.items() for name in names]
    return _compiled(tuple(key), len(labels.labels) if labels.numbered else 0)


def whole(text: str, labels: LabelSet) -> Answer | None:
    """The answer where the text is nothing but a name or a number."""
    core = bare(text)
    if len(core) > 200:
        return None
    _, known = _table(labels)
    hit = known.get(_fold(core)) or known.get(_fold(bare(_GLOSS.sub("", core))))
    if hit is not None:
        return Answer(Outcome.VALID, hit[0])
    number = _WHOLE_NUMBER.match(core) if labels.numbered else None
    if number is None:
        return None
    place = int(number[1])
    if 1 <= place <= len(labels.labels):
        return Answer(Outcome.VALID, labels.labels[place - 1])
    return Answer(Outcome.UNPARSEABLE, None, f"number {place} of {len(labels.labels)}")


def groups(text: str, labels: LabelSet) -> list[Group]:
    """Names and list numbers in the text, the longest name at each place; loose ones if stated."""
    pattern, known = _table(labels)
    found: list[Mention] = []
    for match in pattern.finditer(text):
        if match["name"] is None:
            place = int(match[2])
            if place <= len(labels.labels):
                found.append(
                    Mention(match.start(), match.end(), labels.labels[place - 1], loose=True)
                )
            continue
        label, loose = known[_fold(match["name"])]
        written = match["name"]
        if not loose and written.isascii() and " " not in written and not written[0].isupper():
            loose = True
        if not loose and _SUBJECT_BEFORE.search(text[max(0, match.start() - 4) : match.start()]):
            loose = True
        found.append(Mention(match.start(), match.end(), label, loose=loose))
    return [
        group
        for group in rate(text, found)
        if group.rating != Rating.MENTION or not all(m.loose for m in group.mentions)
    ]
