"""Tells a refusal from an answer that merely contains the words of one.

A closed question is read for an answer first, so what is left may be judged freely. A translation
may itself decline something (`对不起，我不能答应你`), so there only what a model says of its task
counts: that it cannot *translate*, *answer this question*, *provide the content*.
"""

from __future__ import annotations

import re

_QUOTED = re.compile(r"“[^”\n]{0,400}”|「[^」\n]{0,400}」|『[^』\n]{0,400}』|\"[^\"\n]{0,400}\"")
_WINDOW = 600
"""A refusal is said at the start; what follows is advice."""

_UNABLE = (
    r"(?:无法|不能|不可以|没办法|没法|不便|不会|不予|不应该?|拒绝|难以|不方便|无权|恕不|恕难|恕我)"
)
_TASK_VERB = (
    r"(?:翻译|回答|作答|解答|答复|回复|协助|提供|生成|处理|满足|执行|完成|参与|讨论|分析|判断|判定|评判"
    r"|评估|识别|解读|解释|转换|改写|给到|给出|继续|选择|作出|做出|确定|理解该|理解这)"
)
_TASK_OBJECT = (
    r"(?:翻译|译文|这个问题|该问题|此问题|此类|这类|该类|这种内容|这段|该段|这句话|该句|此句|该内容"
    r"|此内容|相关内容|相关信息|请求|要求|您的|内容|帮助|协助|服务|文本|判断|答案|回答|选择)"
)
_SELF = r"(?:作为|我(?:只)?是)(?:一个|一名|一款)?(?:由\S{1,12}开发的)?(?:AI|人工智能|语言模型|大模型|大语言模型|智能助手|虚拟助手|机器人助手)"
_GAP = r"[^。.!?！？\n,，;；]{0,12}"

_CHINESE_TASK = re.compile(rf"(?P<unable>{_UNABLE}){_GAP}?{_TASK_VERB}(?P<tail>{_GAP})")
_CHINESE_SELF = re.compile(rf"{_SELF}[^。!?！？\n]{{0,60}}{_UNABLE}", re.IGNORECASE)
_ENGLISH_CANNOT = (
    r"(?:can\s?not|can't|cannot|won't|will not|(?:am|'m) (?:not able|unable|not allowed)(?: to)?"
    r"|(?:must|have to|need to) (?:decline|refuse)(?: to)?|decline to|refuse to|am not going to)"
)
_ENGLISH_VERB = (
    r"(?:help|assist|answer|translate|provide|comply|fulfil|fulfill|generate|continue|engage|choose"
    r"|select|determine|judge|decide|analy[sz]e|classify|process|respond|support|do that|discuss"
    r"|produce|participate|interpret|evaluate|assess)"
)
_ENGLISH = re.compile(
    rf"\bI(?:\s|\b)[^.!?\n]{{0,20}}?{_ENGLISH_CANNOT}[^.!?\n]{{0,30}}?\b{_ENGLISH_VERB}",
    re.IGNORECASE,
)
_ENGLISH_SELF = re.compile(
    rf"\bas an? (?:AI|artificial|language)\b[^.!?\n]{{0,80}}?{_ENGLISH_CANNOT}", re.IGNORECASE
)
_OTHER_SUBJECT = re.compile(
    r"(?:他|她|它|你|咱|大家|老板|谁|们|别人|对方|说|道)[^。!?！？\n,，;；]{0,8}$"
)

_LOOSE = re.compile(
    rf"{_UNABLE}{_GAP}?{_TASK_VERB}"
    r"|(?:抱歉|对不起|不好意思)[^。!?！？\n]{0,40}"
    rf"{_UNABLE}"
    rf"|{_ENGLISH_CANNOT}[^.!?\n]{{0,30}}?\b{_ENGLISH_VERB}"
    r"|拒绝回答|(?:sorry|apologi[sz]e)[^.!?\n]{0,60}(?:can't|cannot|unable|can not)",
    re.IGNORECASE,
)


def _said(text: str) -> str:
    """The start of the text, without what it quotes."""
    return _QUOTED.sub("〃", text[:_WINDOW]).replace("’", "'").replace("‘", "'")


def is_refusal(text: str) -> bool:
    """Whether a reply to a closed question, in which no answer was found, declines to give one.

    Saying that one cannot judge is declining too.
    """
    said = _said(text)
    return bool(_LOOSE.search(said) or _CHINESE_SELF.search(said) or _ENGLISH_SELF.search(said))


def is_refusal_to_translate(text: str) -> bool:
    """Whether a reply that should be a translation speaks of the task and declines it."""
    said = _said(text)
    if _ENGLISH.search(said) or _ENGLISH_SELF.search(said) or _CHINESE_SELF.search(said):
        return True
    return any(
        _of_the_task(match) and not _OTHER_SUBJECT.search(said[: match.start()])
        for match in _CHINESE_TASK.finditer(said)
    )


def _of_the_task(match: re.Match[str]) -> bool:
    """`翻译` names the task itself; other verbs need an object that belongs to it."""
    return (
        re.search(r"翻译|译文", match[0]) is not None
        or re.search(_TASK_OBJECT, match["tail"]) is not None
    )
