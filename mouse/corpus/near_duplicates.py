"""Finds all pairs of texts that are nearly the same, exactly and without comparing every pair."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import floor

THRESHOLD = 0.9
"""Similarity from which two texts count as near-duplicates: of ten characters, nine stay."""


def near_duplicates(
    texts: Sequence[str], clusters: Sequence[str], threshold: float = THRESHOLD
) -> list[tuple[int, int, float]]:
    """(i, j, similarity) with i < j of every pair of different texts at or over the threshold.

    Similarity is 1 - d / (|a| + |b|), d the number of characters to delete and insert (rapidfuzz's
    normalised Indel similarity), in [0, 1]. Pairs of one cluster, which belong together, and equal
    texts, which are exact duplicates, are left out. `threshold` in (0.8, 1]; `ValueError` else.

    Prefix filtering (Chaudhuri et al. 2006): d edits change at most 2d bigrams of a text, so two
    similar texts share one of their 2d + 1 rarest; only those are indexed, and no pair is missed.
    At 0.8 and below, d edits may leave no bigram of a short text, so the filter does not hold.
    """
    if not 0.8 < threshold <= 1:
        raise ValueError(f"threshold must be over 0.8 and at most 1, not {threshold}")
    from rapidfuzz.distance import Indel

    grams = [_bigrams(text) for text in texts]
    frequency = Counter(gram for found in grams for gram in found)
    index: dict[tuple[str, int], list[int]] = defaultdict(list)
    pairs: list[tuple[int, int, float]] = []
    for j in sorted(range(len(texts)), key=lambda at: len(texts[at])):
        text = texts[j]
        # The longest partner has |a|(2 - t)/t characters, so |a| + |b| is at most 2|a|/t.
        edits = floor((1 - threshold) * 2 * len(text) / threshold + 1e-9)
        rarest = sorted(grams[j], key=lambda gram: (frequency[gram], gram))[: 2 * edits + 1]
        candidates = {i for gram in rarest for i in index[gram]}
        for i in candidates:
            if clusters[i] == clusters[j] or texts[i] == text:
                continue
            # A cutoff spares work, but rapidfuzz rounds one of exactly the threshold the wrong way.
            similarity = Indel.normalized_similarity(texts[i], text, score_cutoff=threshold - 1e-6)
            if similarity >= threshold:
                pairs.append((min(i, j), max(i, j), similarity))
        for gram in rarest:
            index[gram].append(j)
    return sorted(pairs)


def _bigrams(text: str) -> list[tuple[str, int]]:
    """One bigram a character, numbered where it repeats, so that sets of them are multisets."""
    # The start counts as a character, so that a text of one character has a bigram too.
    padded = "\0" + text
    seen: Counter[str] = Counter()
    numbered = []
    for at in range(len(text)):
        gram = padded[at : at + 2]
        seen[gram] += 1
        numbered.append((gram, seen[gram]))
    return numbered
