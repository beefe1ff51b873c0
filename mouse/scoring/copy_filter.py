"""Finds translations that only hand the original back (the paper's anti-cheating filter, §3.1).

The question is not whether an answer looks like the original (a good translation of a long
sentence with one substitution does) but whether anything of the substitution was transformed.
"""

from __future__ import annotations

import re
import unicodedata

from mouse.scoring.align import comparable, differences, folded, similarity

DEFAULT_THRESHOLD = 0.9

_LABEL = re.compile(
    r"^\W*(?:(?:这句话|这句|这段话|这条|该句|此句|原文|原句)的)?"
    r"(?:译文|翻译|译为|改写|改写后|原文|原句|抽象话|标准中文|标准汉语|规范汉语|普通话|答案|输出|结果"
    r"|意思|含义|大意|translation|answer|output|original|result|meaning)"
    r"(?:成|为|是|如下|结果|标准中文|标准汉语|规范汉语|普通话)*\W*[:：]",
    re.IGNORECASE,
)
"""What a model may write before its answer; it translates nothing."""


_INVERTED = {
    "¿": str.maketrans("¿？?", "\ue000\ue001\ue001"),
    "¡": str.maketrans("¡！!", "\ue002\ue003\ue003"),
}
"""A sign on its head → characters for private use, which `comparable` keeps, for it and for what it
stands for."""


def is_copied(
    original: str,
    answer: str,
    reference: str | None = None,
    *,
    threshold: float = DEFAULT_THRESHOLD,
) -> bool:
    """Whether `answer` hands `original` back with nothing of the substitution undone.

    Answer and reference are compared by `align.comparable` (characters as they are: 🉑 is not 可),
    answer and original by `align.folded` (compatibility forms, width, case, script and emoji
    presentation are no transformation).

    1. Never copied: an empty answer; an answer that equals the reference; any answer where the
       reference is the original, because there was nothing to undo. Where the two differ in space
       or punctuation alone (¿ for ？), only the original itself is copied.
    2. Copied: an answer that equals the original, once or repeated, with or without a label
       (译文：) before it, unless a form that it folds (可 for 🉑) is what the reference has there;
       and one that only leaves out emoji or signs that were to be replaced.
    3. Else the answer must be at least `threshold` similar to the original (1 - edit distance /
       longer length, in (0, 1]) to count as a copy at all; 1.0 leaves rule 2 alone in force. Then
       - with a reference: copied if at no substituted place of the original (where the reference
         differs) the answer has anything new, and it adds nothing that the reference adds there,
         so that a comma or a word changed elsewhere does not pass for a translation;
       - without one: copied if the answer only adds or drops characters and replaces none.
    """
    if not _LABEL.match(original):
        answer = _LABEL.sub("", answer)
    text, source = comparable(answer), comparable(original)
    target = None if reference is None else comparable(reference)
    if reference is not None:
        if not text or reference.strip() in (original.strip(), answer.strip()):
            return False
        if source == target:
            return answer.strip() == original.strip()
    if not text or text == target:
        return False
    left, given = folded(original), folded(answer)
    for sign, table in _INVERTED.items():
        # Punctuation only sets a sentence, but for a sign on its head, which is a substitution.
        if reference is not None and sign in original:
            original, answer, reference = (
                one.translate(table) for one in (original, answer, reference)
            )
            source, text, target = map(comparable, (original, answer, reference))
    if given and left and given == left * (len(given) // len(left)):
        return target is None or len(given) > len(left) or not _has_new(source, text, target)
    if target is not None and _only_leaves_out(source, text, target):
        return True
    if similarity(left, given) < threshold:
        return False
    if target is None:
        return all(
            span.left_start == span.left_end or span.right_start == span.right_end
            for span in differences(left, given)
        )
    # Where the reference only adds words there is no substituted character that could remain.
    return any(_substituted(source, target)) and not _has_new(source, text, target)


_EMOJI = ("So", "Sk", "Sm", "Sc", "Cn")
"""Categories of emoji and signs; those newer than this Python's Unicode are unassigned."""


def _substituted(source: str, target: str) -> list[bool]:
    """For each character of the original, whether the reference has another in its place."""
    flags = [False] * len(source)
    for span in differences(source, target):
        flags[span.left_start : span.left_end] = [True] * (span.left_end - span.left_start)
    return flags


def _only_leaves_out(source: str, text: str, target: str) -> bool:
    """Whether the answer is the original less some of the emoji and signs that are substituted.

    Letters and characters left out are another matter: without its 他妈的 a sentence keeps most of
    what it says.
    """
    gone: list[int] = []
    for span in differences(source, text):
        if span.right_start != span.right_end:
            return False
        gone += range(span.left_start, span.left_end)
    flags = _substituted(source, target)
    return bool(gone) and all(
        flags[place] and unicodedata.category(source[place]) in _EMOJI for place in gone
    )


def _has_new(source: str, text: str, target: str) -> bool:
    """Whether some substituted place of the original holds anything new in the answer.

    New is what folding alone does not make of the original's characters there, and what the
    reference has there although folding gives it too (可 for 🉑 is right, 8 for ⑧ is not). So is
    what both add at one place (尴尬 for 尬; 考上 for 上岸, which aligns as 考 added and 岸 gone).
    """
    meant: dict[int, str] = {}
    added: dict[int, str] = {}
    for span in differences(source, target):
        wanted = target[span.right_start : span.right_end]
        if span.left_start == span.left_end:
            added[span.left_start] = wanted
        meant.update(dict.fromkeys(range(span.left_start, span.left_end), wanted))
    for span in differences(source, text):
        new = text[span.right_start : span.right_end]
        wanted = added.get(span.left_start, "") if span.left_start == span.left_end else ""
        if wanted and (new in wanted or wanted in new):
            return True
        places = [place for place in range(span.left_start, span.left_end) if place in meant]
        if not places or not new:
            continue
        if any(new in meant[place] or meant[place] in new for place in places if meant[place]):
            return True
        kept = folded(source[span.left_start : span.left_end])
        if any(char not in kept for char in folded(new)):
            return True
    return False
