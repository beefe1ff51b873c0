"""Counts what a data set holds, and what in it could bend a result: labels, repeats, positions."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mouse.corpus.items import COMPONENTS, CXEI, INTENTS, OPTION_LETTERS, ChoiceItem, Dataset
from mouse.corpus.near_duplicates import THRESHOLD, near_duplicates

LENGTH_BINS = (5, 10, 20, 40, 80, 160, 320)
"""Upper bounds, inclusive, of the length histogram's bins, in characters (code points)."""


@dataclass(frozen=True)
class Repeats:
    """Texts that occur more than once or almost so.

    `exact`: number of items whose text stood before; `near`: number of near-duplicate pairs
    across groups; `examples`: (id, id, similarity), the most similar first, exact ones with 1.0.
    """

    exact: int
    near: int
    examples: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True)
class Expressions:
    """Counts over CXEIs. Labels that the data do not give are counted under `unknown`.

    `mechanisms` counts substitutions, not items; `open_cases` the items with one on which the
    paper is silent.
    """

    n: int
    groups: int
    with_reference: int
    equal_to_reference: int
    with_derivation: int
    open_cases: int
    mechanisms: dict[str, int]
    intent: dict[str, int]
    toxicity: dict[str, int]
    components: dict[str, dict[str, int]]
    combinations: dict[str, int]
    original_lengths: dict[str, int]
    reference_lengths: dict[str, int]
    repeats: Repeats


@dataclass(frozen=True)
class Choices:
    """Counts over the choice items of one task, and shares of them.

    `answer_positions`: right answers a letter. `right_is_longest`: where the right option is the
    longest (a tie among k counts 1/k), beside `expected_longest`, the share if length told
    nothing; likewise shortest. Whether either tells something, `check-choices` tests.
    """

    task: str
    n: int
    options: dict[str, int]
    answer_positions: dict[str, int]
    right_is_longest: float
    right_is_shortest: float
    expected_longest: float
    linked_to_cxei: int
    text_lengths: dict[str, int]
    repeats: Repeats


@dataclass(frozen=True)
class Description:
    """What `describe` gives."""

    name: str
    source: str
    fingerprint: str
    notes: tuple[str, ...]
    cxeis: Expressions | None
    choices: tuple[Choices, ...]
    warnings: tuple[str, ...]


def describe(dataset: Dataset) -> Description:
    """All counts of a data set. Pure; about a second for 10,000 items."""
    cxeis = _expressions(dataset.cxeis) if dataset.cxeis else None
    by_task: dict[str, list[ChoiceItem]] = {}
    for item in dataset.choices:
        by_task.setdefault(item.task, []).append(item)
    choices = tuple(_choices(task, items) for task, items in by_task.items())
    return Description(
        name=dataset.name,
        source=dataset.source,
        fingerprint=dataset.fingerprint,
        notes=dataset.notes,
        cxeis=cxeis,
        choices=choices,
        warnings=tuple(_warnings(cxeis, choices)),
    )


def _expressions(cxeis: Sequence[CXEI]) -> Expressions:
    references = [item.reference for item in cxeis if item.reference is not None]
    return Expressions(
        n=len(cxeis),
        groups=len({item.cluster for item in cxeis}),
        with_reference=len(references),
        equal_to_reference=sum(item.original_text == item.reference for item in cxeis),
        with_derivation=sum(bool(item.derivation) for item in cxeis),
        open_cases=sum(item.open_case for item in cxeis),
        mechanisms=_ranked(step.mechanism for item in cxeis for step in item.derivation),
        intent=_counts((item.intent for item in cxeis), INTENTS),
        toxicity=_counts((item.toxicity for item in cxeis), (0, 1)),
        components={
            name: _counts((getattr(item.components, name) for item in cxeis), (False, True))
            for name in COMPONENTS
        },
        combinations=_ranked(map(_combination, cxeis)),
        original_lengths=length_histogram(item.original_text for item in cxeis),
        reference_lengths=length_histogram(references),
        repeats=_repeats(cxeis, [item.original_text for item in cxeis]),
    )


def _choices(task: str, items: Sequence[ChoiceItem]) -> Choices:
    sizes = [len(item.options) for item in items]
    positions = Counter(item.answer for item in items)
    return Choices(
        task=task,
        n=len(items),
        options={str(size): count for size, count in sorted(Counter(sizes).items())},
        answer_positions={letter: positions[letter] for letter in OPTION_LETTERS[: max(sizes)]},
        right_is_longest=sum(_share_extreme(item, max) for item in items) / len(items),
        right_is_shortest=sum(_share_extreme(item, min) for item in items) / len(items),
        expected_longest=sum(1 / size for size in sizes) / len(items),
        linked_to_cxei=sum(bool(item.cxei_id) for item in items),
        text_lengths=length_histogram(item.text for item in items),
        repeats=_repeats(items, [f"{item.context}\n{item.text}" for item in items]),
    )


def _share_extreme(item: ChoiceItem, extreme: Any) -> float:
    """1/k where the right option is among the k longest (or shortest), else 0."""
    lengths = [len(option) for option in item.options]
    bound = extreme(lengths)
    right = lengths[OPTION_LETTERS.index(item.answer)]
    return 1 / lengths.count(bound) if right == bound else 0.0


def _repeats(items: Sequence[CXEI | ChoiceItem], texts: Sequence[str]) -> Repeats:
    first: dict[str, str] = {}
    exact = []
    for item, text in zip(items, texts, strict=True):
        if text in first:
            exact.append((first[text], item.id, 1.0))
        first.setdefault(text, item.id)
    pairs = near_duplicates(texts, [item.cluster for item in items])
    near = [(items[i].id, items[j].id, round(similarity, 3)) for i, j, similarity in pairs]
    near.sort(key=lambda pair: -pair[2])
    return Repeats(len(exact), len(near), (*exact[:5], *near[:5]))


def _ranked(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def length_histogram(texts: Iterable[str]) -> dict[str, int]:
    """Number of texts by length in code points, over the bins of `LENGTH_BINS`."""
    lows = (1, *(bound + 1 for bound in LENGTH_BINS))
    names = [f"{low}-{high}" for low, high in zip(lows, LENGTH_BINS, strict=False)]
    names.append(f"{lows[-1]}+")
    found = Counter(bisect_left(LENGTH_BINS, len(text)) for text in texts)
    return {name: found[place] for place, name in enumerate(names)}


def _counts(labels: Iterable[object], known: Sequence[object]) -> dict[str, int]:
    found = Counter(labels)
    names = {label: str(int(label)) if isinstance(label, bool) else str(label) for label in known}
    counts = {names[label]: found[label] for label in known}
    return {**counts, "unknown": found[None]} if found[None] else counts


def _combination(item: CXEI) -> str:
    flags = [getattr(item.components, name) for name in COMPONENTS]
    if None in flags:
        return "not fully known"
    return "+".join(name for name, on in zip(COMPONENTS, flags, strict=True) if on) or "none"


def _warnings(cxeis: Expressions | None, choices: Sequence[Choices]) -> Iterable[str]:
    if cxeis:
        if cxeis.equal_to_reference:
            yield f"{cxeis.equal_to_reference:,} originals equal their references."
        if cxeis.repeats.exact:
            yield f"{cxeis.repeats.exact:,} originals stand more than once."
        if cxeis.repeats.near:
            yield f"{cxeis.repeats.near:,} pairs of originals are near-duplicates (≥ {THRESHOLD})."
        absent = [name for name, count in cxeis.intent.items() if not count]
        if absent and cxeis.intent.get("unknown", 0) < cxeis.n:
            yield f"No item has the intent {', '.join(absent)}."
    for task in choices:
        if task.repeats.exact or task.repeats.near:
            yield (
                f"{task.task}: {task.repeats.exact} repeated items,"
                f" {task.repeats.near} near-duplicate pairs."
            )
