"""Checks choice items for what lets one answer without understanding: cues, twins, positions.

Each cue is tested against chance by an exact test, corrected for their number (Holm). All cues
together make an options-only reader, cross-validated and tested by permutation; its floor is
`model=uniform`, which picks any option alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

from mouse.corpus.construction.choice_cues import OPTIONS_ONLY, QUESTION_CUE, picks
from mouse.corpus.construction.deduplication import fold_text
from mouse.corpus.items import CHOICE_TASKS, OPTION_LETTERS, ChoiceItem, Dataset
from mouse.metrics.exact import clopper_pearson
from mouse.metrics.multiplicity import holm
from mouse.metrics.options_only import (
    OptionsOnlyScore,
    at_least,
    options_only_score,
    position_p,
)

NEAR_EQUAL = 0.9
"""Similarity (rapidfuzz's normalised Indel) from which two options say the same."""
MUCH_LONGER = 1.5
"""Times the next longest option, and at least so many characters more, from which the longest
option stands out to the eye."""
MUCH_LONGER_BY = 3
LEVEL = 0.05
HIDDEN = "（题目隐去）"
HIDDEN_CLOZE = "（对话隐去）____"


@dataclass(frozen=True, slots=True)
class CueResult:
    """How often a cue's pick is the right option, against picking that often by chance."""

    cue: str
    picks: int
    right: int
    share: float
    lo: float
    hi: float
    expected: float
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class ItemFinding:
    """Something about one item that a person should look at."""

    item_id: str
    problem: str


@dataclass(frozen=True)
class TaskChecks:
    """What was found in the items of one task."""

    task: str
    n: int
    positions: dict[str, int]
    position_p: float
    cues: tuple[CueResult, ...]
    options_only: OptionsOnlyScore
    items: tuple[ItemFinding, ...]

    @property
    def findings(self) -> tuple[str, ...]:
        """Sentences about the set as a whole, each significant at 5%."""
        found = []
        if self.position_p < LEVEL:
            found.append(f"right answers favour a position (p = {self.position_p:.2g})")
        found += [
            f"the cue «{cue.cue}» is right in {cue.right} of {cue.picks} picks,"
            f" {cue.expected:.0%} expected (p = {cue.p_holm:.2g} after Holm)"
            for cue in self.cues
            if cue.p_holm < LEVEL
        ]
        score = self.options_only
        if score.p < LEVEL:
            found.append(
                f"reading the options alone gives {score.accuracy:.1%},"
                f" chance is {score.chance:.1%} (p = {score.p:.2g})"
            )
        return tuple(found)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "findings": list(self.findings)}


def check_choices(dataset: Dataset, permutations: int = 2_000, seed: int = 0) -> list[TaskChecks]:
    """The checks of each task that has items; `permutations` bounds the smallest p of one test."""
    grouped = [[item for item in dataset.choices if item.task == task] for task in CHOICE_TASKS]
    return [_check(items, permutations, seed) for items in grouped if items]


def _check(items: Sequence[ChoiceItem], permutations: int, seed: int) -> TaskChecks:
    answers = [OPTION_LETTERS.index(item.answer) for item in items]
    sizes = [len(item.options) for item in items]
    found = [picks(item) for item in items]
    cues = [
        _cue(name, [picked[name] for picked in found], answers, sizes)
        for name in (*OPTIONS_ONLY, QUESTION_CUE)
    ]
    corrected = holm({cue.cue: cue.p for cue in cues})
    letters = OPTION_LETTERS[: max(sizes)]
    counts = Counter(item.answer for item in items)
    return TaskChecks(
        items[0].task,
        len(items),
        {letter: counts[letter] for letter in letters},
        position_p(answers, sizes, permutations, seed),
        tuple(replace(cue, p_holm=corrected[cue.cue]) for cue in cues),
        options_only_score(
            [[picked[name] for name in OPTIONS_ONLY] for picked in found],
            answers,
            sizes,
            permutations,
            seed,
        ),
        tuple(
            finding
            for item, picked in zip(items, found, strict=True)
            for finding in _item_findings(item, picked)
        ),
    )


def _cue(
    name: str, picked: Sequence[int | None], answers: Sequence[int], sizes: Sequence[int]
) -> CueResult:
    taken = [at for at, pick in enumerate(picked) if pick is not None]
    right = sum(picked[at] == answers[at] for at in taken)
    low, high = clopper_pearson(right, len(taken))
    if not taken:
        nan = float("nan")
        return CueResult(name, 0, 0, nan, low, high, nan, nan, nan)
    chances = [1 / sizes[at] for at in taken]
    n, p = len(taken), at_least(right, chances)
    return CueResult(name, n, right, right / n, low, high, sum(chances) / n, p, p)


def without_questions(dataset: Dataset) -> Dataset:
    """The choice items with their questions hidden, for asking any model the options alone.

    `model=uniform` on them is the floor; a model well above it reads the answer off the options.
    """
    hidden = tuple(
        replace(item, context="", text=HIDDEN_CLOZE if item.task == "cc" else HIDDEN, cxei_id="")
        for item in dataset.choices
    )
    return Dataset(
        name=f"{dataset.name}-options-only",
        choices=hidden,
        source=dataset.source,
        notes=("Questions are hidden: scores say what the options give away.",),
    )


def _item_findings(item: ChoiceItem, picked: dict[str, int | None]) -> list[ItemFinding]:
    """What stands out in one item."""
    from rapidfuzz.distance import Indel

    problems = []
    right = OPTION_LETTERS.index(item.answer)
    lengths = sorted((len(option) for option in item.options), reverse=True)
    stands_out = max(MUCH_LONGER * lengths[1], lengths[1] + MUCH_LONGER_BY)
    if picked["longest"] == right and lengths[0] >= stands_out:
        problems.append(
            f"the right option ({item.answer}) is much the longest:"
            f" {lengths[0]} characters, the next {lengths[1]}"
        )
    problems += [
        f"the right option ({item.answer}) stands out: {name}"
        for name, pick in picked.items()
        if name.startswith("only one") and pick == right
    ]
    if picked[QUESTION_CUE] == right:
        problems.append(f"the right option ({item.answer}) {QUESTION_CUE}")
    pairs = combinations(zip(OPTION_LETTERS, item.options, strict=False), 2)
    for (letter, first), (other, second) in pairs:
        similarity = Indel.normalized_similarity(first, second)
        if fold_text(first) == fold_text(second) or similarity >= NEAR_EQUAL:
            problems.append(
                f"options {letter} and {other} are nearly equal (similarity {similarity:.2f})"
            )
    return [ItemFinding(item.id, problem) for problem in problems]
