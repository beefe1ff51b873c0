"""Finds translations that only hand the original back (the paper's anti-cheating filter).

The question is not whether an answer looks like the original (a good translation of a long
sentence with one substitution does) but whether anything of the substitution was undone.
"""

from __future__ import annotations

from mouse.judging.align import comparable, differences, found_in, similarity

DEFAULT_THRESHOLD = 0.9


def is_copied(
    original: str,
    answer: str,
    reference: str | None = None,
    *,
    threshold: float = DEFAULT_THRESHOLD,
) -> bool:
    """Whether `answer` hands `original` back with nothing of the substitution undone.

    All three are compared without space, punctuation, emoji presentation, case and
    compatibility forms (`align.comparable`; ⑧ and 8 are the same, so are 🌶️ and 🌶).

    1. Never copied: an empty answer; an answer that equals the reference (right, even where the
       original needed no change); any answer where the reference equals the original, because
       there was nothing to undo.
    2. Copied: an answer that equals the original.
    3. Else the answer must be at least `threshold` similar to the original (1 - edit distance /
       longer length, in (0, 1]) to count as a copy at all; 1.0 leaves rule 2 alone in force. Then
       - with a reference: copied if every substituted character of the original (those that the
         reference does not have in their place) still stands in the answer, so that a comma or a
         word changed elsewhere does not pass for a translation;
       - without one: copied if the answer only adds or drops characters and replaces none.
    """
    left, given = comparable(original), comparable(answer)
    wanted = None if reference is None else comparable(reference)
    if not given or wanted in (given, left):
        return False
    if given == left:
        return True
    if similarity(left, given) < threshold:
        return False
    if wanted is None:
        return all(
            span.left_start == span.left_end or span.right_start == span.right_end
            for span in differences(left, given)
        )
    kept = found_in(left, given)
    substituted = [
        place
        for span in differences(left, wanted)
        for place in range(span.left_start, span.left_end)
    ]
    # Where the reference only adds words there is no substituted character that could remain.
    return bool(substituted) and all(kept[place] for place in substituted)
