"""Decides which of the labels that a text mentions, if any, it states as its answer.

A scanner (letter, label, binary) finds where labels are mentioned; this module looks at the words
around each mention, and rates it:

    FINAL    a conclusion: «so I choose», 最终答案, 因此
    ANSWER   an answer by its form: «Answer:», the first thing said, a line of its own
    CHOICE   a choice in a sentence: «I think it is», 选, 属于
    MENTION  none of these
    (rejected mentions, «not A», count for nothing)

The highest rating present decides, if it names one label; two different ones there are a
contradiction, never the first of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from mouse.answers.normalise import EDGE
from mouse.answers.types import Answer
from mouse.contracts import Outcome


class Rating(IntEnum):
    """How much a mention says that it is the answer."""

    REJECTED = -1
    MENTION = 0
    CHOICE = 1
    ANSWER = 2
    FINAL = 3


@dataclass(frozen=True, slots=True)
class Mention:
    """A label at `text[start:end]`.

    `loose`: a name that counts only where an answer is stated. `polar`: a yes or no that holds
    its own negation, so that words before it do not reject it. `joined`: said in one breath with
    the mention before it, whatever stands between.
    """

    start: int
    end: int
    label: str
    loose: bool = False
    polar: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Mentions named in one breath (`A或B`, `3. 一般陈述`), and their common rating."""

    mentions: tuple[Mention, ...]
    rating: Rating

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(mention.label for mention in self.mentions)

    @property
    def start(self) -> int:
        return self.mentions[0].start

    @property
    def end(self) -> int:
        return self.mentions[-1].end


MAX_MENTIONS = 400
"""Mentions looked at: half from the start and half from the end of a text."""
_BEFORE = 64
_AFTER = 32

_OPEN = r"[\s\"'“‘「『《(\[【<:]{0,6}"
_CLOSE = r"[\s\"'”’」』》)\]】>]{0,6}"
_ITEM = r"(?:选项|option|choice|category|class|label|类别|第|number|no\.)?"
_IS = r"(?:应该?|应当|也|就|可能|大概率?|(?:would|should|must|will|may|might)(?: be)?)?\s{0,3}(?:是|为|选|填|属于|:|=|->|→|is|be|are)\s{0,3}(?:an?|the|likely|probably|clearly)?\s{0,3}(?:选项|选|option)?"

_CUE = re.compile(
    r"(?:(?:答案|正确选项|回答|\banswer\b|\bresponse\b)\s{0,3}(?:应该?|也|就)?\s{0,3}(?:is|是|为|:|=|选)?\s{0,3}"
    rf"|(?:答案|选项|结论|判断结果|判断|判定|结果|标签|类别|类型|分类|意图|回答|答|毒性|有毒|谐音|视觉|语义|组成成分"
    r"|\b(?:answer|label|output|result|intent|intention|category|class|classification|prediction|toxicity|toxic|verdict"
    r"|conclusion|homophonic|visual|semantic|option|choice|judge?ment|final)\b)"
    rf"[^\n。,;!?:]{{0,30}}?\s{{0,3}}{_IS})"
    rf"\s{{0,3}}{_ITEM}{_OPEN}\Z",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"(?:选择?|应选|填入?|填的是|选的是|归为|归类为|归入|归到|分类为|划为|划分为|标为|标记为|标注为|判为|判定为|视为|属于|偏向|倾向于?"
    r"|我认为|我觉得|我猜|是|为|给"
    r"|\b(?:choose|pick|select|go(?:ing)? with|go for|choosing|selecting|belongs? to|(?:classif|categori[sz]|label)\w{0,6}(?: it)? as"
    r"|(?:filled|fill|completed)(?: in)? (?:with|by)|I (?:think|believe|guess|say)|i'd say|it'?s|is|be|but|falls? (?:under|into)|lean(?:ing)? towards?))"
    rf"\s{{0,3}}(?:an?|the|likely|probably|in)?\s{{0,3}}{_ITEM}{_OPEN}\Z",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"(?:最终|最后|综上|总之|总的来说|由此可见|因此|所以|因而|可见|故(?=选|答|本|应|填|此|是|为|意)"
    r"|\b(?:final|finally|therefore|thus|hence|so|in conclusion|in summary|overall|to conclude|ultimately)\b)"
    r"[^\n。.!?;]{0,48}\Z",
    re.IGNORECASE,
)
_FINAL_DIRECT = re.compile(
    rf"(?:因此|所以|故|综上(?:所述)?|总之|总的来说|\b(?:therefore|thus|hence|so|overall|in conclusion)\b),?{_OPEN}\Z",
    re.IGNORECASE,
)
_REJECTED_BEFORE = re.compile(
    r"(?:(?:不|别|没|未|无法|不能|不会|不应该?|不要|难以)(?:能|会|应|该|再)?(?:选择?|填入?|标为|属于|归为)|不是|并非|而非|绝非|不为|非|排除了?|除了|没有|既不是"
    r"|\bnot\b|n't|\b(?:neither|nor|rather than|instead of|never|no|without|excluding|except|eliminate|rule out|cannot)\b)"
    rf"\s{{0,3}}(?:choose|select|pick|be|an?|the|选|是)?\s{{0,3}}{_ITEM}{_OPEN}\Z",
    re.IGNORECASE,
)
_REJECTED_AFTER = re.compile(
    rf"\A{_CLOSE}(?:选项|项|类)?\s{{0,3}}(?:也|都|均|则|就|显然|明显|的意思|意思|意义|is|are|was|were|does|do|seems?|looks?)?\s{{0,3}}(?:都|也|also|clearly|simply)?\s{{0,3}}"
    r"(?:不(?!过|仅|但|只|知)|错|无关|太过|wrong|incorrect|not\b|isn't|aren't|doesn't|don't|cannot|can't|false\b|irrelevant)",
    re.IGNORECASE,
)
_FAVOURED_AFTER = re.compile(
    rf"\A{_CLOSE}(?:选项|项|类|option)?\s{{0,3}}(?:(?:应该?|才|就|显然)?是?(?:最|更|比较|较为?)?(?:正确|合适|恰当|符合|合理|贴切|贴近|接近|通顺|对的|可能)"
    r"|吧|(?:is|would be|seems?|looks?|sounds?)(?: to be)? (?:the |a )?(?:most |more |clearly )?(?:correct|right|best|better|appropriate|suitable|likely|answer|accurate)"
    r"|fits|matches|makes (?:the )?(?:most|more)? ?sense)",
    re.IGNORECASE,
)
_JOINER = re.compile(
    r"[\s\"'”’」』)\]】]{0,4}(?P<word>(?:或者?|或是|还是|以及|和|与|及|or|and|/|\||&|\+|vs\.?|,?\s?or|,?\s?and)\s{0,2}(?:是|选择?|an?|the)?|、|,|\.|:|;|-)?"
    r"[\s\"'“‘「『(\[【]{0,4}(?:选项|option)?\s{0,2}",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(
    r"\A(?:\Z|[\s\"'”’」』)\]】.,:;!?。、…(\-—–=<>|/]|选项|项|吧|类|号|因为|而|且)"
)
_PREFIX = re.compile(
    r"\A(?:(?:应该|可能|也许|大概率?|或许|选项|第|填|类别|分类|option|choice|category|class|maybe|probably|likely|perhaps|okay|ok|sure|好的|嗯)[\s,.!:]{0,3}){0,3}\Z",
    re.IGNORECASE,
)
_SUBJECT_OF = re.compile(
    r"\A (?!because|since|as\b|for\b|rather|not\b|over\b|is\b|it\b|the\b|this\b|fits|but\b|with\b)[A-Za-z]",
    re.IGNORECASE,
)
"""A verb after the label: it is the subject of a sentence (`Option A means …`), not a reply."""
_ENUMERATED_AFTER = re.compile(r"\A[)\]】]?\s?[.:、)]")


def rate(text: str, mentions: Sequence[Mention]) -> list[Group]:
    """Mentions, ordered and not overlapping, in groups with their ratings."""
    if len(mentions) > MAX_MENTIONS:
        mentions = [*mentions[: MAX_MENTIONS // 2], *mentions[-MAX_MENTIONS // 2 :]]
    groups = [_rated(text, group) for group in _grouped(text, mentions)]
    return _without_lists(text, groups)


def _grouped(text: str, mentions: Sequence[Mention]) -> list[list[Mention]]:
    groups: list[list[Mention]] = []
    for mention in mentions:
        if groups and _joined(text, groups[-1][-1], mention):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    return groups


def _joined(text: str, first: Mention, second: Mention) -> bool:
    if second.joined:
        return True
    if second.start - first.end > 16:
        return False
    between = text[first.end : second.start]
    if "\n" in between:
        return False
    match = _JOINER.fullmatch(between)
    if match is None:
        return False
    if match["word"] in (None, ",", ".", ":", ";", "-"):
        after = text[second.end : second.end + _AFTER]
        if _REJECTED_AFTER.match(after) or _FAVOURED_AFTER.match(after):
            return False
        return first.label == second.label or _BOUNDARY.match(after) is not None
    return True


def _rated(text: str, mentions: list[Mention]) -> Group:
    start, end = mentions[0].start, mentions[-1].end
    before, after = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
    members = tuple(mentions)
    polar = mentions[0].polar
    if not polar and (_REJECTED_BEFORE.search(before) or _REJECTED_AFTER.match(after)):
        return Group(members, Rating.REJECTED)
    rating = Rating.MENTION
    if _CUE.search(before):
        rating = Rating.ANSWER
    elif _CHOICE.search(before) or _FAVOURED_AFTER.match(after):
        rating = Rating.CHOICE
    elif _FINAL_DIRECT.search(before):
        rating = Rating.FINAL
    single = len({mention.label for mention in mentions}) == 1
    if single and (_is_line(text, start, end) or _is_first(text, start, after, mentions)):
        rating = max(rating, Rating.ANSWER)
    if rating >= Rating.CHOICE and _FINAL.search(before):
        rating = Rating.FINAL
    return Group(members, rating)


def _is_first(text: str, start: int, after: str, mentions: list[Mention]) -> bool:
    """Whether nothing of weight stands before, and the mention is not the start of a phrase."""
    if start > _BEFORE or (mentions[-1].loose and re.match(r" ?\w", after)):
        return False
    if _SUBJECT_OF.match(after):
        return False
    said = text[:start].strip(EDGE)
    return (not said or _PREFIX.match(said) is not None) and _BOUNDARY.match(after) is not None


def _is_line(text: str, start: int, end: int) -> bool:
    """Whether the mention is all that stands in its line."""
    line_start = text.rfind("\n", max(0, start - _BEFORE), start) + 1
    if line_start == 0 and start > _BEFORE:
        return False
    line_end = text.find("\n", end, end + _AFTER)
    if line_end < 0:
        if len(text) - end > _AFTER:
            return False
        line_end = len(text)
    before, after = text[line_start:start].strip(EDGE), text[end:line_end].strip(EDGE)
    return (not before or _PREFIX.match(before) is not None) and after in ("", "选项", "项", "类")


def _without_lists(text: str, groups: list[Group]) -> list[Group]:
    """Groups that restate a list of labels (`A. … B. …`) are mentions, however they begin."""
    listed = [
        group
        for group in groups
        if group.rating in (Rating.MENTION, Rating.ANSWER)
        and not (len(group.mentions) == 1 and _is_line(text, group.start, group.end))
        and _at_list_place(text, group)
    ]
    if len({group.mentions[0].label for group in listed}) < 2:
        return groups
    return [Group(group.mentions, Rating.MENTION) if group in listed else group for group in groups]


def _at_list_place(text: str, group: Group) -> bool:
    first = group.mentions[0]
    line = text[max(0, first.start - 8) : first.start]
    if line.rstrip() and not re.search(r"[\s.。;,、:(]\Z", line):
        return False
    if _CUE.search(text[max(0, first.start - _BEFORE) : first.start]):
        return False
    return _ENUMERATED_AFTER.match(text[first.end : first.end + 3]) is not None


def stated(groups: Sequence[Group], *, floor: Rating = Rating.CHOICE) -> Answer | None:
    """The answer that groups rated at least `floor` state; None where there is none."""
    heard = [group for group in groups if group.rating >= floor]
    if not heard:
        return None
    top = max(group.rating for group in heard)
    best = [group for group in heard if group.rating == top]
    labels = set().union(*(group.labels for group in best))
    if len(labels) == 1:
        last = best[-1].start
        labels |= set().union(
            *(g.labels for g in heard if g.rating >= Rating.ANSWER and g.start > last)
        )
    return one_of(labels)


def one_of(labels: set[str] | frozenset[str]) -> Answer:
    """Valid where there is one label; several are unparseable, whichever came first."""
    if len(labels) == 1:
        return Answer(Outcome.VALID, next(iter(labels)))
    return Answer(Outcome.UNPARSEABLE, None, f"several answers: {', '.join(sorted(labels))}")


def at_the_edge(text: str, groups: Sequence[Group]) -> Answer | None:
    """What mere mentions say: a label that stands alone at the start or at the end of the text.

    None where nothing is mentioned; unparseable where more than one label is.
    """
    open_groups = [group for group in groups if group.rating == Rating.MENTION]
    labels = set().union(*(group.labels for group in open_groups))
    if not labels:
        return None
    if len(labels) > 1:
        return one_of(labels)
    for group in open_groups:
        before = text[group.start - 1 : group.start] if group.start else " "
        after = text[group.end : group.end + _AFTER]
        ends = len(text) - group.end < _AFTER and not after.strip(EDGE)
        if ends and not before.isalnum():
            return one_of(labels)
    return None
