"""The sheets of a quality review as in the paper's Table 5: six yes/no questions a reviewer."""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mouse.annotation.folders import check_unused, read_key, read_named, write_key
from mouse.annotation.guidelines import guidelines
from mouse.annotation.sheets import YES_NO, SheetColumn, write_xlsx
from mouse.corpus.items import COMPONENTS, CXEI, ChoiceItem, Dataset
from mouse.corpus.labels import COMPONENT_ZH, INTENT_ZH
from mouse.errors import DataError, Fault, UserError
from mouse.tasks.choice import lettered

Section = Literal["cxei", "ms", "cc"]
MANIFEST = "review.json"


@dataclass(frozen=True, slots=True)
class Question:
    """One aspect of Table 5: which items it is asked of, and how it is put to reviewers.

    `text` and `english` ask what the paper's question asks, in this project's words.
    """

    aspect: str
    section: Section
    header: str
    text: str
    english: str


def _questions() -> tuple[Question, ...]:
    text = Path(__file__).with_name("questions.csv").read_text(encoding="utf-8")
    return tuple(Question(**row) for row in csv.DictReader(text.splitlines()))  # type: ignore[arg-type]


QUESTIONS = _questions()
"""The aspects of Table 5, named as in data/published/table5_quality.csv."""

_TEXT: dict[Section, tuple[SheetColumn, ...]] = {
    "cxei": (
        SheetColumn("text", "原文", 34),
        SheetColumn("reference", "参考译文", 34),
        SheetColumn("components", "成分", 14),
        SheetColumn("intent", "意图", 12),
        SheetColumn("toxicity", "毒性", 8),
    ),
    "ms": (
        SheetColumn("text", "原文", 34),
        SheetColumn("options", "选项", 48),
        SheetColumn("answer", "答案", 8),
    ),
    "cc": (
        SheetColumn("context", "对话", 44),
        SheetColumn("text", "填空", 34),
        SheetColumn("options", "选项", 30),
        SheetColumn("answer", "答案", 8),
    ),
}
SECTIONS = tuple(_TEXT)


def questions_of(section: Section) -> tuple[Question, ...]:
    return tuple(question for question in QUESTIONS if question.section == section)


def columns_of(section: Section) -> tuple[SheetColumn, ...]:
    """The columns of a section's sheet: id, what is shown, the questions, a comment."""
    asked = (SheetColumn(q.aspect, q.header, 12, YES_NO) for q in questions_of(section))
    comment = SheetColumn("comment", "备注", 24, free=True)
    return (SheetColumn("id", "编号", 12), *_TEXT[section], *asked, comment)


def _guidelines_of(section: Section) -> list[str]:
    """What a reviewer of the section reads."""
    questions = [f"{question.header}：{question.text}" for question in questions_of(section)]
    lines = guidelines("review")
    at = lines.index("{questions}")
    return [*lines[:at], *questions, *lines[at + 1 :]]


@dataclass(frozen=True)
class Review:
    """Who reviews what: the ids of each section, the same for all reviewers."""

    reviewers: tuple[str, ...]
    ids: dict[Section, tuple[str, ...]]
    fingerprint: str
    seed: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """One reviewer's answer to one question about one item; None where the cell stayed empty."""

    reviewer: str
    item_id: str
    aspect: str
    yes: bool | None
    comment: str = ""


def export_sheets(
    dataset: Dataset, reviewers: int, n: int | None, seed: int, folder: Path
) -> Review:
    """Draw at most `n` items of each section (all, if None) and write one sheet a reviewer each.

    All reviewers see the same items, each in an order of their own. CXEIs without a reference or
    with a label missing cannot be reviewed and are not drawn. Raises `UserError` for fewer than
    two reviewers, nothing to review, and a folder that holds a review already.
    """
    if reviewers < 2:
        raise UserError("a review needs at least two reviewers: agreement is part of it.")
    check_unused(folder / MANIFEST)
    pools: dict[Section, Sequence[CXEI | ChoiceItem]] = {
        "cxei": [item for item in dataset.cxeis if _complete(item)],
        "ms": [item for item in dataset.choices if item.task == "ms"],
        "cc": [item for item in dataset.choices if item.task == "cc"],
    }
    names = tuple(f"reviewer_{number}" for number in range(1, reviewers + 1))
    ids: dict[Section, tuple[str, ...]] = {}
    for place, (section, pool) in enumerate(pools.items()):
        chance = random.Random(seed * 1_000_003 + place)
        drawn = pool if n is None or n >= len(pool) else chance.sample(pool, n)
        if not drawn:
            continue
        ids[section] = tuple(item.id for item in drawn)
        columns, instructions = columns_of(section), _guidelines_of(section)
        for name in names:
            order = list(drawn)
            chance.shuffle(order)
            write_xlsx(
                folder / f"{name}_{section}.xlsx", columns, [_row(i) for i in order], instructions
            )
    if not ids:
        raise UserError(f"{dataset.name}: there is no fully labelled item to review.")
    review = Review(names, ids, dataset.fingerprint, seed)
    write_key(folder / MANIFEST, review)
    return review


def _complete(item: CXEI) -> bool:
    flags = [getattr(item.components, name) for name in COMPONENTS]
    return None not in (item.reference, item.intent, item.toxicity, *flags)


def _row(item: CXEI | ChoiceItem) -> dict[str, str]:
    if isinstance(item, CXEI):
        named = [COMPONENT_ZH[name] for name in COMPONENTS if getattr(item.components, name)]
        return {
            "id": item.id,
            "text": item.original_text,
            "reference": item.reference or "",
            "components": "、".join(named) or "无",
            "intent": INTENT_ZH[item.intent] if item.intent else "",
            "toxicity": "有毒" if item.toxicity else "无毒",
        }
    return {
        "id": item.id,
        "context": item.context,
        "text": item.text,
        "options": lettered(item.options),
        "answer": item.answer,
    }


def read_review(folder: Path) -> Review:
    """What `export_sheets` wrote. Raises `UserError` where there is none, or it was altered."""
    return read_key(folder / MANIFEST, Review, "`build review-out`")


def import_sheets(folder: Path, review: Review) -> tuple[list[Opinion], list[str]]:
    """Every reviewer's opinions, and the addresses of empty cells (`reviewer_1_ms.xlsx!E7`).

    Raises `DataError` with every fault: a sheet, row or column that is gone, an impossible cell.
    """
    faults: list[Fault] = []
    opinions: list[Opinion] = []
    missing: list[str] = []
    for name in review.reviewers:
        for section, given in review.ids.items():
            columns, unknown_row = columns_of(section), "not an item of the review"
            file, rows = read_named(
                folder, f"{name}_{section}", columns, given, unknown_row, faults
            )
            for row in rows.values():
                missing += [f"{file}!{address}" for address in row.missing]
                comment = row.texts.get("comment", "")
                for question in questions_of(section):
                    value = row.values[question.aspect]
                    yes = None if value is None else value == YES_NO[0]
                    opinions.append(Opinion(name, row.id, question.aspect, yes, comment))
    if faults:
        raise DataError(f"The review sheets have {len(faults)} fault(s):", faults)
    return opinions, missing
