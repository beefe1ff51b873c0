"""Reads yes or no: a digit, a word in either language, or a sentence about the question's topic.

Negation belongs to the word here (`不是`, `无毒`, `not toxic`), so a yes or no is found clause by
clause: a clause that is nothing but such a word is a bare yes or no; a clause that says something
of the topic is a statement, whose polarity is the parity of its negations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mouse.answers.letter import ANSWER_PREFIX
from mouse.answers.normalise import EDGE
from mouse.answers.refusal import is_refusal
from mouse.answers.statements import Group, Mention, Rating, rate
from mouse.answers.types import Answer, LabelSet
from mouse.contracts import Outcome

_NO = (
    "否 不 不是 不是的 并非 并不是 并非如此 没有 没 无 未 非 不对 不正确 错误 不存在 不包含 不含 不含有 不具有 不具备 "
    "未使用 未用 没使用 没有使用 没用 没用到 没有用到 不使用 未包含 没有包含 未涉及 不涉及 不属于 "
    "无毒 无毒性 无害 没毒 没有毒 没有毒性 不有毒 不具有毒性 不含毒性 非有毒 无恶意 没有恶意 "
    "no nope nah false n non-toxic nontoxic non_toxic not_toxic not_offensive not_harmful harmless "
    "none absent negative incorrect it_does_not it_doesn't it_isn't it's_not it_is_not not_really "
    "not_present not_used × ✗ ✘ ❌ ❎ ✖"
)
_YES = (
    "是 是的 有 有的 对 对的 正确 存在 包含 含有 具有 使用 使用了 用了 用到 用到了 涉及 涉及到 属于 确实 确实是 当然 没错 "
    "有毒 有毒性 有害 含毒 yes yeah yep yup y true toxic harmful offensive hateful abusive present "
    "positive correct it_does it_is used indeed √ ✓ ✔ ✅ ☑"
)
_TABLE = {
    word.replace("_", ""): label
    for label, words in (("0", _NO), ("1", _YES))
    for word in words.split()
}
_HEDGE = re.compile(
    r"\A(?:(?:应该|可能|大概率?|或许|也许|似乎|好像|估计|基本|我认为|我觉得|明显|显然|当然|嗯|好的"
    r"|probably|likely|maybe|perhaps|clearly|i think|i believe|it is|it's|this is|okay|well)[\s,]{0,2}){1,3}(?=\S)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?:[^,。.;!?\n:()、…—]|\.(?=\S))+")
_BREAK = re.compile(
    r"但是?|然而|不过|而(?!且)|\bbut\b|\bhowever\b|\bthough\b|\byet\b", re.IGNORECASE
)
_OR = re.compile(r"或者?|还是|和|\bor\b|\band\b|/|\||\s", re.IGNORECASE)
_NOT_SCALE = r"(?!\s?/\s?(?:[2-9]|1\d))"
_DIGIT = re.compile(
    rf"(?<![\d\-+A-Za-z第⁄])(?<!\d\.)([01])(?![\d%A-Za-z⁄]|\.\d|\s?[个条种句次点年月日号字人位名分]){_NOT_SCALE}"
)
_SECOND_POINT = re.compile(r"(?m)^\s{0,4}\(?2[.)、:]")
_POINT = re.compile(r"\(?1[.)、:]")
_CUED_WORD = re.compile(
    r"(?:答案|结论|结果|判断|标签|回答|\b(?:answer|label|verdict|output|response|conclusion)\b)\s?(?:应该?|就|也|should|would|must)?\s?(?:是|为|is|be)\s?(?P<word>\S.{0,20})\Z",
    re.IGNORECASE,
)
_EDGE_BUT_SIGN = EDGE.replace("-", "").replace(".", "")
_FLOAT_OR_SIGN = re.compile(r"[\d.+-]*\d[\d.]*")

_QUESTION = re.compile(
    r"是否|有没有|是不是|有无|能否|会不会|吗\s*\Z|呢\s*\Z|\bwhether\b|\bif\b|判断|回答|输出|\A\s*(?:does|do|is|are|did)\b|\breply\b|\boutput\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"没有?(?!错|想到)|不(?!过|仅|但|只|少|错|断|得不|光|同|管|论|当|良|雅|敬)|并?非(?!常)|无(?!论|疑|聊|非|比|语|关)|未(?!来|免|必)|毫无|缺乏"
    r"|\b(?:not|no|non|never|without|neither|nor|lacks?|free of|cannot)\b|n't\b",
    re.IGNORECASE,
)
_CONCLUDING = re.compile(
    r"\s*(?:因此|所以|故|综上|总之|\b(?:therefore|thus|hence|so)\b)", re.IGNORECASE
)
_EITHER = re.compile(r"(?:或者?|还是|\bor\b)\s*(?:无|非|没|不|not\b|non)", re.IGNORECASE)
_PREDICATE = re.compile(
    r"使用|用[了到]?|运用|采用|利用|借助|包含|含有?|存在|具有|具备|有(?!关)|带有?|涉及|属于|是|构成"
    r"|\b(?:is|are|it's|contains?|use[sd]?|using|involves?|employs?|has|have|appl(?:y|ies|ied)|exhibits?|includes?|present|there's|seems?|appears?|considered|relies|rely|qualif(?:y|ies))\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(r"harmless|non-?\s?toxic|inoffensive|unoffensive", re.IGNORECASE)


def whole(text: str, labels: LabelSet) -> Answer | None:
    """The answer where the text is nothing but a digit, a bare yes or no, or one statement.

    Unparseable where it is another number: a score or a percentage is not a label.
    """
    core = text.strip(_EDGE_BUT_SIGN)
    for candidate in (core, ANSWER_PREFIX.sub("", core, count=1)):
        number = candidate.strip(_EDGE_BUT_SIGN).removesuffix(".")
        if number in labels.labels:
            return Answer(Outcome.VALID, number)
        if number and len(number) < 40 and _FLOAT_OR_SIGN.fullmatch(number):
            return Answer(Outcome.UNPARSEABLE, None, f"the number {number} is no label")
        word = word_polarity(candidate)
        if word is not None:
            return Answer(Outcome.VALID, word)
    polarity = _one_statement(text, labels)
    return None if polarity is None or is_refusal(text) else Answer(Outcome.VALID, polarity)


def groups(text: str, labels: LabelSet) -> list[Group]:
    """Digits, bare yes and no, and what the text concludes about the topic."""
    bare, statements = read_clauses(text, labels)
    concluded = [g for g in rate(text, statements) if g.rating == Rating.FINAL]
    return [*rate(text, bare), *concluded]


def word_polarity(text: str) -> str | None:
    """`0` or `1` where a text is a bare no or yes, perhaps hedged; None otherwise."""
    if len(text) > 60:
        return None
    text = text.strip(EDGE + "*`")
    for candidate in (text, _HEDGE.sub("", text, count=1)):
        folded = re.sub(r"\s+", "", candidate).casefold().strip(EDGE)
        for form in (folded, re.sub(r"[吧哦呀啊的哈]\Z", "", folded)):
            if form in _TABLE:
                return _TABLE[form]
    return None


def read_clauses(text: str, labels: LabelSet) -> tuple[list[Mention], list[Mention]]:
    """(digits and bare yes and no, statements about the topic) of a text, each in order."""
    topic = _topic(labels)
    found = _digits(text)
    statements: list[Mention] = []
    last_bare_end = -1
    for match in _CLAUSE.finditer(text):
        start, end = match.span()
        clause = match[0]
        asked = text[end : end + 1] == "?"
        words = [] if asked or end - start > 80 else _bare_words(clause, start)
        if words:
            gap = text[last_bare_end:start] if last_bare_end >= 0 else "\n"
            if not gap.strip(EDGE) and "\n" not in gap and "." not in gap and "。" not in gap:
                first = words[0]
                words[0] = Mention(first.start, first.end, first.label, polar=True, joined=True)
            found.extend(words)
            last_bare_end = end
            continue
        if clause.strip() not in ("0", "1"):
            last_bare_end = -1
        if not asked and len(clause) <= 400:
            statements.extend(_statements(clause, start, topic))
    found.sort(key=lambda mention: mention.start)
    return found, statements


def _digits(text: str) -> list[Mention]:
    numbered = _SECOND_POINT.search(text) is not None
    return [
        Mention(match.start(), match.end(), match[1])
        for match in _DIGIT.finditer(text)
        if not (numbered and _POINT.match(text, match.start()))
    ]


def _bare_words(clause: str, offset: int) -> list[Mention]:
    polarity = word_polarity(clause)
    if polarity is not None:
        lead = len(clause) - len(clause.lstrip())
        return [Mention(offset + lead, offset + len(clause.rstrip()), polarity, polar=True)]
    cued = _CUED_WORD.search(clause)
    if cued is not None:
        polarity = word_polarity(cued["word"])
        if polarity is not None:
            span = (offset + cued.start("word"), offset + cued.end("word"))
            return [Mention(*span, polarity, polar=True)]
    words: list[Mention] = []
    for start, end in _between(_OR, clause):
        piece = clause[start:end].strip()
        label = word_polarity(piece) if piece else None
        if label is not None:
            at = offset + clause.index(piece, start)
            words.append(Mention(at, at + len(piece), label, polar=True, joined=bool(words)))
        elif piece not in ("", "0", "1"):
            return []
    return words


def _between(separator: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Spans of the text between the separators."""
    position = 0
    for found in separator.finditer(text):
        yield position, found.start()
        position = found.end()
    yield position, len(text)


def _statements(clause: str, offset: int, topic: re.Pattern[str]) -> list[Mention]:
    found: list[Mention] = []
    for start, end in _between(_BREAK, clause):
        label = statement_polarity(clause[start:end], topic)
        if label is not None:
            concluding = _CONCLUDING.match(clause, start)
            begin = concluding.end() if concluding else start
            found.append(Mention(offset + begin, offset + end, label, polar=True))
    return found


def _topic(labels: LabelSet) -> re.Pattern[str]:
    return re.compile(labels.topic or "(?!)", re.IGNORECASE)


def statement_polarity(clause: str, topic: re.Pattern[str]) -> str | None:
    """`1` where the clause affirms the topic, `0` where it denies it, None where it does neither."""
    about = topic.search(clause)
    if about is None or _QUESTION.search(clause) or _EITHER.search(clause):
        return None
    if _HARMLESS.search(clause):
        return "0"
    said = clause[: about.end()]
    negations = len(_NEGATION.findall(said))
    if negations == 0 and _PREDICATE.search(clause) is None:
        return None
    return "0" if negations % 2 else "1"


def _one_statement(text: str, labels: LabelSet) -> str | None:
    """The polarity of a text that is one statement and nothing else; None otherwise."""
    core = text.strip(EDGE)
    if len(core) > 80 or re.search(r"\d", core) or _CLAUSE.fullmatch(core) is None:
        return None
    return None if text.rstrip().endswith("?") else statement_polarity(core, _topic(labels))
